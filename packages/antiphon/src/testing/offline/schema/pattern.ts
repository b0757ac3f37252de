import { patienceFor, tooMuch } from "./patience.ts";

/** A part of a pattern: gives text when told how often to repeat beyond the minimum and which variant is wanted. */
type Part = (turn: Turn) => string;
interface Turn {
  growth: number;
  /** Spent by the character classes digit by digit, so that different variants give different texts. */
  variant: number;
  /** How many repetitions are left: repetitions of repetitions are many. */
  room: number;
}

const alphabet = Array.from(
  "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.,:;!?@#%&*+=/~$ ()[]{}<>|^'\"`\\\t\n",
);
const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", "0": "\0" };
const repeatsAtMost = 5_000;
const repeatsInAll = 50_000;
const nothing: Part = () => "";

/** A pattern as JSON Schema means it, or `undefined` where it is not one. */
function compilePattern(source: string): RegExp | undefined {
  for (const flags of ["u", ""])
    try {
      return new RegExp(source, flags);
    } catch {
      // Many patterns in the wild escape more than the Unicode mode allows.
    }
  return undefined;
}

/** Whether a pattern matches a text, or `undefined` where it is not one; a text that is too long for it to be tried on does not fit. */
export function matches(source: string, text: string): boolean | undefined {
  const pattern = compilePattern(source);
  return pattern && text.length <= patienceFor(source) && pattern.test(text);
}

/** A text of a length that a regular expression matches, or `undefined` where the expression is beyond this generator. */
export function fillPattern(source: string, variant = 0, shortest = 0, longest = Number.POSITIVE_INFINITY): string | undefined {
  const part = compilePattern(source) && parsePattern(source);
  if (!part) return undefined;
  for (let growth = 0; growth <= Math.max(16, Math.min(shortest, repeatsAtMost)); growth += 1) {
    const text = part({ growth: growth < 2 ? 1 - growth : growth, variant, room: repeatsInAll });
    const found = [lengthened(source, text, variant, shortest), text].find((candidate) => {
      const length = Array.from(candidate).length;
      return length >= shortest && length <= longest && matches(source, candidate);
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

// A pattern that is open at its end allows more after it, which tells variants apart.
const lengthened = (source: string, text: string, variant: number, shortest: number): string =>
  source.endsWith("$") ? text : `${text}${variant > 0 ? variant : ""}`.padEnd(shortest, "x");

function parsePattern(source: string): Part | undefined {
  const parser = new PatternParser(source);
  const part = parser.alternatives();
  return parser.atEnd && !parser.lost ? part : undefined;
}

/** Reads the plain part of the regular-expression grammar; look-arounds are skipped and left to the final test. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  /** Whether something was met that this parser cannot follow. */
  lost = false;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y)) parts.push(this.#sequence());
    const [first = nothing] = parts;
    return parts.length === 1
      ? first
      : (turn) => {
          const chosen = parts[turn.variant % parts.length] ?? first;
          turn.variant = Math.floor(turn.variant / parts.length);
          return chosen(turn);
        };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (!this.atEnd && !this.lost && !/[|)]/.test(this.#source[this.#at] ?? "")) parts.push(this.#quantified(this.#atom()));
    return (turn) => parts.map((part) => part(turn)).join("");
  }

  #quantified(part: Part): Part {
    const mark = this.#take(/[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y);
    if (!mark) return part;
    const [least, most] = bounds(mark);
    return (turn) => {
      const times = Math.min(most, least + turn.growth, Math.max(least, repeatsAtMost));
      turn.room -= times;
      if (turn.room < 0) throw tooMuch();
      return Array.from({ length: times }, () => part(turn)).join("");
    };
  }

  #atom(): Part {
    if (this.#take(/\^|\$|\\[bB]/y)) return nothing;
    if (this.#take(/\(\?<?[=!]/y)) return this.#group(true);
    if (this.#take(/\((?:\?:|\?<\w+>)?/y)) return this.#group(false);
    const set = this.#take(/\[\^?(?:\\.|[^\]\\])+\]|\.|\\[dDwWsS]|\\[pP]\{[^}]*\}/y);
    if (set) return this.#anyOf(set[0]);
    const escaped = this.#take(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^1-9ukpP]))/y);
    if (escaped) return literal(escaped);
    const plain = this.#take(/[^\\[\](){}*+?|]/uy);
    this.lost ||= !plain;
    return () => plain?.[0] ?? "";
  }

  #group(skipped: boolean): Part {
    const inside = this.alternatives();
    this.lost ||= !this.#take(/\)/y);
    return skipped ? nothing : inside;
  }

  #anyOf(set: string): Part {
    const test = compilePattern(`^${set}$`);
    const letters = test ? alphabet.filter((letter) => test.test(letter)) : [];
    this.lost ||= letters.length === 0;
    return (turn) => {
      const letter = letters[turn.variant % letters.length] ?? "";
      turn.variant = Math.floor(turn.variant / letters.length);
      return letter;
    };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

function literal([, unit, byte, letter = ""]: RegExpExecArray): Part {
  const code = unit ?? byte;
  const text = code === undefined ? (controls[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
  return () => text;
}

function bounds([mark, least, comma, most]: RegExpExecArray): [number, number] {
  if (least === undefined) return [mark.startsWith("+") ? 1 : 0, mark.startsWith("?") ? 1 : Number.POSITIVE_INFINITY];
  if (!comma) return [Number(least), Number(least)];
  return [Number(least), most ? Number(most) : Number.POSITIVE_INFINITY];
}

import type { Span, Style } from "../text/line.ts";

/** How inline markup is shown. */
export interface InlineOptions {
  /** Keeps the marks that say what is bold or code, for where there are no styles to say it. */
  marks?: boolean;
  /** Whether more may come: what is not closed yet is shown as if it were. */
  open?: boolean;
}

interface Emphasis {
  mark: string;
  style: Style;
}

// The longest first: `***` is both.
const emphases: readonly Emphasis[] = [
  { mark: "***", style: { bold: true, italic: true } },
  { mark: "**", style: { bold: true } },
  { mark: "__", style: { bold: true } },
  { mark: "~~", style: { strike: true } },
  { mark: "*", style: { italic: true } },
  { mark: "_", style: { italic: true } },
];
const codeStyle: Style = { colour: "cyan" };
const linkStyle: Style = { underline: true };
const deepest = 6;
/** Text up to the next sign that may be a mark. */
const unmarked = /[^\\`*_~![\n]+/y;

/** The text of a paragraph as spans. Marks that stand for nothing stay as they are. */
export const inline = (text: string, style: Style, options: InlineOptions = {}): Span[] =>
  new InlineReader(text, options).read(style);

class InlineReader {
  readonly #text: string;
  readonly #options: InlineOptions;
  readonly #depth: number;
  /** From where on a mark is known not to be closed any more: each is searched for in vain once, so that the cost stays linear. */
  readonly #unclosed = new Map<string, number>();
  readonly #spans: Span[] = [];
  #style: Style = {};
  #plain = "";

  constructor(text: string, options: InlineOptions, depth = 0) {
    this.#text = text;
    this.#options = options;
    this.#depth = depth;
  }

  read(style: Style): Span[] {
    this.#style = style;
    for (let at = 0; at < this.#text.length;) at = this.#next(at);
    this.#flush();
    return this.#spans;
  }

  /** Reads what stands at a place, and gives the place behind it. */
  #next(at: number): number {
    unmarked.lastIndex = at;
    const plain = unmarked.exec(this.#text)?.[0];
    if (plain !== undefined) {
      this.#plain += plain;
      return at + plain.length;
    }
    const sign = this.#text[at]!;
    const end = this.#arms[sign]?.(at);
    if (end !== undefined) return end;
    this.#plain += sign;
    return at + 1;
  }

  readonly #arms: Readonly<Record<string, (at: number) => number | undefined>> = {
    "\\": (at) => this.#escape(at),
    "`": (at) => this.#code(at),
    "*": (at) => this.#emphasis(at),
    _: (at) => this.#emphasis(at),
    "~": (at) => this.#emphasis(at),
    "!": (at) => this.#link(at),
    "[": (at) => this.#link(at),
    "\n": (at) => this.#lineEnd(at),
  };

  #flush(): void {
    if (this.#plain) this.#spans.push({ text: this.#plain, style: this.#style });
    this.#plain = "";
  }

  #add(...spans: readonly Span[]): void {
    this.#flush();
    this.#spans.push(...spans);
  }

  #escape(at: number): number | undefined {
    const next = this.#text[at + 1] ?? "";
    if (next === "\n") return at + 1;
    if (!/[!-/:-@[-`{-~]/.test(next)) return undefined;
    this.#plain += next;
    return at + 2;
  }

  /** Two blanks or a backslash at its end keep a line apart from the next; else they are one. */
  #lineEnd(at: number): number {
    const isHard = /(?: {2}|\\)$/.test(this.#text.slice(Math.max(0, at - 2), at));
    this.#plain = `${this.#plain.trimEnd()}${isHard ? "\n" : " "}`;
    return at + 1 + /^ */.exec(this.#text.slice(at + 1, at + 100))![0].length;
  }

  #code(at: number): number {
    const mark = /^`+/.exec(this.#text.slice(at))![0];
    const from = at + mark.length;
    const found = this.#ticks(mark.length, from);
    if (found === undefined && !this.#options.open) {
      this.#plain += mark;
      return from;
    }
    const inner = this.#text.slice(from, found).replaceAll("\n", " ");
    const code = /^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner;
    this.#add({ text: this.#options.marks ? mark + code + mark : code, style: { ...this.#style, ...codeStyle } });
    return (found ?? this.#text.length) + mark.length;
  }

  /** Where a run of just so many backticks begins. */
  #ticks(length: number, from: number): number | undefined {
    return this.#search("`".repeat(length), from, () => {
      for (const run of this.#text.slice(from).matchAll(/`+/g)) if (run[0].length === length) return from + run.index;
      return undefined;
    });
  }

  #search(mark: string, from: number, find: () => number | undefined): number | undefined {
    if (from >= (this.#unclosed.get(mark) ?? Infinity)) return undefined;
    const found = find();
    if (found === undefined) this.#unclosed.set(mark, from);
    return found;
  }

  #emphasis(at: number): number | undefined {
    const kind = emphases.find(({ mark }) => this.#text.startsWith(mark, at));
    if (!kind || this.#depth >= deepest) return undefined;
    const { mark, style } = kind;
    const from = at + mark.length;
    if (!this.#opens(mark, at)) {
      this.#plain += mark;
      return from;
    }
    const found = this.#search(mark, from, () => this.#closing(mark, from));
    if (found === undefined && !this.#options.open) {
      this.#plain += mark;
      return from;
    }
    const inner = this.#text.slice(from, found);
    const spans = new InlineReader(inner, this.#options, this.#depth + 1).read({ ...this.#style, ...style });
    const shown = this.#options.marks ? [{ text: mark, style: this.#style }] : [];
    this.#add(...shown, ...spans, ...shown);
    return (found ?? this.#text.length) + mark.length;
  }

  /** A mark opens before what is no blank; an underscore inside a word is a letter of a name. */
  #opens(mark: string, at: number): boolean {
    const next = this.#text[at + mark.length] ?? " ";
    const before = this.#text[at - 1] ?? " ";
    return /\S/.test(next) && !(mark.startsWith("_") && /[\p{L}\p{N}_]/u.test(before));
  }

  #closing(mark: string, from: number): number | undefined {
    const sign = mark[0]!;
    for (let at = from; at < this.#text.length; at += 1) {
      const here = this.#text[at];
      if (here === "\\") at += 1;
      else if (here === "`") at = this.#behindCode(at);
      else if (here === sign) {
        const run = runLength(this.#text, at, sign);
        if (at > from && fits(run, mark.length) && this.#closes(mark, at, run)) return at + Math.max(0, run - mark.length);
        at += run - 1;
      }
    }
    return undefined;
  }

  #closes(mark: string, at: number, run: number): boolean {
    const isAfterText = /\S/.test(this.#text[at - 1] ?? " ");
    return isAfterText && !(mark.startsWith("_") && /[\p{L}\p{N}]/u.test(this.#text[at + run] ?? " "));
  }

  /** The last place of a code span, or of the backticks alone where nothing closes them. */
  #behindCode(at: number): number {
    const length = runLength(this.#text, at, "`");
    const from = at + length;
    const found = this.#ticks(length, from);
    return (found === undefined ? from : found + length) - 1;
  }

  #link(at: number): number | undefined {
    const isImage = this.#text[at] === "!";
    const [whole, label = "", address = ""] = linkPattern.exec(this.#text.slice(at, at + longestLink)) ?? [];
    if (whole === undefined) return undefined;
    const shown = isImage ? [{ text: `image: ${label}`, style: this.#style }] : this.#inside(label);
    const place =
      address === label || address === "" ? [] : [{ text: ` (${address})`, style: { ...this.#style, dim: true } as const }];
    this.#add(...shown, ...place);
    return at + whole.length;
  }

  #inside(label: string): Span[] {
    if (this.#depth >= deepest) return [{ text: label, style: this.#style }];
    return new InlineReader(label, { ...this.#options, open: false }, this.#depth + 1).read({ ...this.#style, ...linkStyle });
  }
}

// The address is always shown, so that a link cannot say one thing and mean another.
const linkPattern =
  /^!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+["'][^"']*["'])?\s*\)/;
const longestLink = 4_000;

function runLength(text: string, at: number, sign: string): number {
  let length = 0;
  while (text[at + length] === sign) length += 1;
  return length;
}

// A run closes a mark of its own length, and `***` closes whatever of its parts is still open.
const fits = (run: number, length: number): boolean => run === length || run === 3;

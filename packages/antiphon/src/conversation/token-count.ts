/** Counts the tokens of a text: `estimateTokens`, or a tokenizer of the caller's. */
export type CountTokens = (text: string) => number;

// Tokenizers cut a text into runs of one kind and these into pieces; how long a piece is depends on the script.
const kinds = {
  blank: { charactersPerToken: 16 },
  newline: { charactersPerToken: 4 },
  /** Latin letters; capitals begin a run of their own, as in `camelCase`. */
  word: { charactersPerToken: 8 },
  digit: { charactersPerToken: 3 },
  sign: { charactersPerToken: 3 },
  /** Alphabets that tokenizers have seen less of. */
  script: { charactersPerToken: 3.5 },
  /** Han, kana, Hangul. */
  ideograph: { charactersPerToken: 1.2 },
  /** Everything else: emoji, private signs. */
  rare: { charactersPerToken: 1 },
} as const;
type Kind = keyof typeof kinds;

/** The first code unit of each stretch, with the kind that holds up to the next. */
const stretches: readonly (readonly [number, Kind])[] = [
  [0x00, "sign"],
  [0x09, "blank"],
  [0x0a, "newline"],
  [0x0e, "sign"],
  [0x20, "blank"],
  [0x21, "sign"],
  [0x30, "digit"],
  [0x3a, "sign"],
  [0x41, "word"],
  [0x5b, "sign"],
  [0x61, "word"],
  [0x7b, "sign"],
  [0xc0, "word"],
  [0x0250, "script"],
  [0x2000, "sign"],
  [0x2c00, "script"],
  [0x2e80, "ideograph"],
  [0xd7b0, "rare"],
  [0xf900, "ideograph"],
  [0xfb00, "script"],
  [0xfe00, "rare"],
  [0xfe70, "script"],
  [0xff00, "ideograph"],
];

const names = Object.keys(kinds) as Kind[];
const perToken = names.map((name) => kinds[name].charactersPerToken);
const [blank, word] = [names.indexOf("blank"), names.indexOf("word")];

/** The kind of every code unit, as an index into `names`: one look-up for each character read. */
const kindOf = new Uint8Array(0x1_0000);
for (const [first, kind] of stretches) kindOf.fill(names.indexOf(kind), first);

const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;

/**
 * Estimates the tokens of a text, within about ten percent for prose and code, in linear time.
 *
 * @example
 * estimateTokens("The quick brown fox"); // 4
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let kind = -1;
  let length = 0;
  let lower = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const next = kindOf[code]!;
    const capital = next === word && isCapital(code);
    if (next === kind && !(capital && lower)) length += 1;
    else {
      tokens += costOf(kind, length);
      kind = next;
      length = 1;
    }
    lower = next === word && !capital;
  }
  return tokens + costOf(kind, length);
}

/** What a run costs; a single blank goes with the word that follows. */
const costOf = (kind: number, length: number): number =>
  length === 0 || (kind === blank && length === 1) ? 0 : Math.ceil(length / perToken[kind]!);

import type { Line, Span } from "./line.ts";
import { graphemes, widthOf } from "./width.ts";

/** What is never broken, unless a line is too narrow for it: a word, one wide sign, or the blanks between. */
interface Unit {
  kind: "word" | "blank" | "end";
  spans: Span[];
  width: number;
}

const pieces = /\n|[^\S\n\u00A0]+|[\S\u00A0]+/g;

/** Words may go on from one span to the next, as in `un**break**able`. */
function unitsOf(line: Line): Unit[] {
  const units: Unit[] = [];
  const add = (kind: Unit["kind"], text: string, style: Span["style"], alone = false): void => {
    const last = units.at(-1);
    const width = kind === "end" ? 0 : widthOf(text);
    if (last?.kind === kind && kind === "word" && !alone) {
      last.spans.push({ text, style });
      last.width += width;
    } else units.push({ kind, spans: [{ text, style }], width });
  };
  for (const { text, style } of line)
    for (const [piece] of text.matchAll(pieces)) {
      if (piece === "\n") add("end", piece, style);
      else if (/^\s/.test(piece) && piece[0] !== "\u00A0") add("blank", piece, style);
      else addWord(piece, style, add);
    }
  return units;
}

// A line may be broken on either side of a wide sign, as Chinese and Japanese are.
function addWord(
  word: string,
  style: Span["style"],
  add: (kind: Unit["kind"], text: string, style: Span["style"], alone?: boolean) => void,
): void {
  if (widthOf(word) === word.length) return add("word", word, style);
  let narrow = "";
  let alone = false;
  for (const grapheme of graphemes(word)) {
    if (widthOf(grapheme) < 2) {
      narrow += grapheme;
      continue;
    }
    if (narrow) add("word", narrow, style, alone);
    add("word", grapheme, style, true);
    narrow = "";
    alone = true;
  }
  if (narrow) add("word", narrow, style, alone);
}

/** Collects spans into lines, with neighbours of one style as one. */
class Rows {
  readonly lines: Span[][] = [[]];
  used = 0;

  push({ text, style }: Span, width: number): void {
    const row = this.lines.at(-1)!;
    const last = row.at(-1);
    if (last?.style === style) row[row.length - 1] = { text: last.text + text, style };
    else row.push({ text, style });
    this.used += width;
  }

  end(): void {
    this.lines.push([]);
    this.used = 0;
  }

  /** Puts signs one by one, on as many rows as they need. */
  chop(spans: readonly Span[], width: number): void {
    for (const { text, style } of spans)
      for (const grapheme of graphemes(text)) {
        const wide = widthOf(grapheme);
        if (this.used > 0 && this.used + wide > width) this.end();
        this.push({ text: grapheme, style }, wide);
      }
  }
}

/** Breaks a line between words, so that no row is wider than asked; blanks at a break are dropped. */
export function wrap(line: Line, width: number): Line[] {
  const rows = new Rows();
  let blank: Unit | undefined;
  for (const unit of unitsOf(line)) {
    if (unit.kind === "blank") {
      blank = unit;
      continue;
    }
    if (unit.kind === "end") rows.end();
    else place(rows, unit, blank, width);
    blank = undefined;
  }
  return rows.lines;
}

function place(rows: Rows, unit: Unit, blank: Unit | undefined, width: number): void {
  const gap = blank && blank.width < width ? blank : undefined;
  if (rows.used + (gap?.width ?? 0) + unit.width > width && rows.used > 0) rows.end();
  else if (gap) for (const span of gap.spans) rows.push(span, gap.width);
  if (rows.used + unit.width > width) rows.chop(unit.spans, width);
  else for (const span of unit.spans) rows.push(span, widthOf(span.text));
}

/** Breaks a line wherever a row is full, as code is: blanks stay. */
export function chop(line: Line, width: number): Line[] {
  const rows = new Rows();
  rows.chop(line, width);
  return rows.lines;
}

/** Lines with something before them: `first` before the first, `rest` before all others. */
export const prefixed = (lines: readonly Line[], first: Line, rest: Line = first): Line[] =>
  lines.map((line, index) => [...(index === 0 ? first : rest), ...line]);

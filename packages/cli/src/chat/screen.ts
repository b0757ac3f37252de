import { lineWidth, paint, type Line } from "./text/line.ts";

/** What is to be seen: lines that stay, and below them lines that the next frame may replace. */
export interface Frame {
  /** Written for good, above the rest. */
  settled?: readonly Line[];
  /** Never more than the window has rows. */
  live: readonly Line[];
  /** Where in the live lines the cursor is; behind the last where nothing is said. */
  cursor?: { row: number; column: number };
}

interface Painted {
  text: string;
  width: number;
}

const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : "");
const forward = (columns: number): string => (columns > 0 ? `\u001B[${columns}C` : "");
const eraseLine = "\u001B[K";

/**
 * What stands at the end of a terminal, and what must be written to make it something else. Only moves of the cursor and erased lines
 * are used, and lines that stay the same are not written again.
 */
export class Screen {
  readonly #hasColour: boolean;
  #columns: number;
  /** The live lines as they stand there. There is always one, which the cursor is in. */
  #shown: Painted[] = [{ text: "", width: 0 }];
  #cursor = { row: 0, column: 0 };

  constructor(columns: number, hasColour: boolean) {
    this.#columns = columns;
    this.#hasColour = hasColour;
  }

  /** What to write for the next frame; nothing where it looks like the last one. */
  draw({ settled = [], live, cursor }: Frame): string {
    const wanted = [...settled, ...(live.length > 0 ? live : [[]])].map((line) => this.#painted(line));
    const before = this.#shown;
    const firstNew = wanted.findIndex(({ text }, row) => text !== before[row]?.text);
    const isSame = firstNew === -1 && before.length === wanted.length;
    const out = isSame ? "" : this.#rewrite(wanted, firstNew === -1 ? wanted.length : firstNew);
    this.#shown = wanted.slice(settled.length);
    const end = { row: this.#shown.length - 1, column: this.#shown.at(-1)!.width };
    this.#cursor = isSame ? { ...this.#cursor, row: this.#cursor.row - settled.length } : end;
    return out + this.#place(cursor ?? end);
  }

  /** What to write when the window has changed its width: what terminals broke into more rows is erased. */
  resize(columns: number): string {
    const rowsOf = (width: number): number => Math.max(1, Math.ceil(width / columns));
    const sum = (lines: readonly Painted[]): number => lines.reduce((rows, { width }) => rows + rowsOf(width), 0);
    const { row, column } = this.#cursor;
    const above = sum(this.#shown.slice(0, row)) + Math.floor(Math.max(0, column - 1) / columns);
    const all = sum(this.#shown);
    this.#columns = columns;
    this.#shown = [{ text: "", width: 0 }];
    this.#cursor = { row: 0, column: 0 };
    return `${up(above)}\r${Array.from({ length: all }, () => eraseLine).join("\r\n")}${up(all - 1)}\r`;
  }

  /** What to write to leave the cursor below all that stands there. */
  leave(): string {
    const below = this.#shown.length - 1 - this.#cursor.row;
    return `${"\r\n".repeat(Math.max(0, below))}${this.#shown.at(-1)!.width > 0 ? "\r\n" : "\r"}`;
  }

  /** Somebody else wrote to the terminal: what stands there is theirs, and a new line is begun. */
  forget(): string {
    this.#shown = [{ text: "", width: 0 }];
    this.#cursor = { row: 0, column: 0 };
    return "\r";
  }

  #painted(line: Line): Painted {
    return { text: paint(line, this.#hasColour), width: lineWidth(line) };
  }

  /** Writes the lines from one on, and leaves the cursor at the end of the last. */
  #rewrite(wanted: readonly Painted[], from: number): string {
    const before = this.#shown.length;
    const start = Math.min(from, wanted.length - 1, before - 1);
    const here = this.#cursor.row;
    // Down by newlines, which also make room at the bottom of the window.
    let out = start <= here ? `${up(here - start)}\r` : "\r\n".repeat(start - here);
    out += wanted
      .slice(start)
      .map((line) => this.#line(line))
      .join("\r\n");
    const left = before - wanted.length;
    if (left > 0) out += `${`\r\n${eraseLine}`.repeat(left)}${up(left)}\r${forward(wanted.at(-1)!.width)}`;
    return out;
  }

  // Erased first: behind a full row the cursor still stands on its last sign.
  #line({ text, width }: Painted): string {
    return width < this.#columns ? text + eraseLine : eraseLine + text;
  }

  #place(to: { row: number; column: number }): string {
    const { row, column } = this.#cursor;
    if (row === to.row && column === to.column) return "";
    this.#cursor = to;
    const vertical = to.row <= row ? up(row - to.row) : "\r\n".repeat(to.row - row);
    return `${vertical}\r${forward(to.column)}`;
  }
}

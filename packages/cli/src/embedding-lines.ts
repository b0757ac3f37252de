import { readFileSync } from "node:fs";
import { CommandError } from "./options.ts";

/** A text to embed, and its id. */
export interface Piece {
  id: string;
  text: string;
  /** The file and the position of the chunk in it. */
  file?: string;
  offset?: number;
}

/** How files are split. */
export interface Cut {
  size: number;
  overlap: number;
}

/** The non-empty lines of a text, with their numbers from 1. */
export function* linesOf(text: string): Generator<[line: number, text: string]> {
  let number = 0;
  for (const line of text.split(/\r?\n/)) {
    number += 1;
    if (line.trim() !== "") yield [number, line];
  }
}

/** The chunks of a file. */
export function piecesOf(path: string, cut: Cut): Piece[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new CommandError(`cannot read ${path}`);
  }
  return path.endsWith(".jsonl") ? linePieces(text, path) : cutPieces(text, path, cut);
}

/** One chunk per line: an object with a text, a JSON string, or the line itself. */
export const linePieces = (text: string, file: string): Piece[] =>
  [...linesOf(text)].map(([number, line]) => linePiece(line, `${file}:${number}`));

function linePiece(line: string, place: string): Piece {
  if (!/^\s*["{]/.test(line)) return { id: place, text: line };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Plain text may start with a quotation mark.
    return { id: place, text: line };
  }
  if (typeof value === "string") return { id: place, text: value };
  const text: unknown = Reflect.get(Object(value), "text");
  const id: unknown = Reflect.get(Object(value), "id");
  if (typeof text !== "string" || text === "")
    throw new CommandError(`${place}: the object requires a non-empty "text", as in {"id": "a", "text": "…"}`);
  return { id: typeof id === "string" || typeof id === "number" ? String(id) : place, text };
}

/** Splits at the last space before the limit, if there is one in the second half of the chunk. */
function cutPieces(text: string, file: string, { size, overlap }: Cut): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length;) {
    const limit = Math.min(text.length, from + size);
    const blank = limit < text.length ? text.slice(from, limit).search(/\s\S*$/) : -1;
    const to = blank > size / 2 ? from + blank + 1 : limit;
    const piece = text.slice(from, to);
    if (piece.trim() !== "") pieces.push({ id: `${file}:${from}`, text: piece, file, offset: from });
    from = to >= text.length ? to : Math.max(to - overlap, from + 1);
  }
  return pieces;
}

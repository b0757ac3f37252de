import { readFileSync } from "node:fs";
import { UsageError } from "./options.ts";

/** A text to embed, and what it is called. */
export interface Piece {
  id: string;
  text: string;
  /** The file that it is a piece of, and where in it. */
  file?: string;
  offset?: number;
}

/** How files are cut. */
export interface Cut {
  size: number;
  overlap: number;
}

/** The lines of a text that are not empty, with their numbers from 1 on. */
export function* linesOf(text: string): Generator<[line: number, text: string]> {
  let number = 0;
  for (const line of text.split(/\r?\n/)) {
    number += 1;
    if (line.trim() !== "") yield [number, line];
  }
}

/** The pieces of a file. */
export function piecesOf(path: string, cut: Cut): Piece[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read`);
  }
  return path.endsWith(".jsonl") ? linePieces(text, path) : cutPieces(text, path, cut);
}

/** A piece for each line: an object with a text, a JSON string, or the line itself. */
export const linePieces = (text: string, file: string): Piece[] =>
  [...linesOf(text)].map(([number, line]) => linePiece(line, `${file}:${number}`));

function linePiece(line: string, place: string): Piece {
  if (!/^\s*["{]/.test(line)) return { id: place, text: line };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // A line of text may well begin with a quotation mark.
    return { id: place, text: line };
  }
  if (typeof value === "string") return { id: place, text: value };
  const text: unknown = Reflect.get(Object(value), "text");
  const id: unknown = Reflect.get(Object(value), "id");
  if (typeof text !== "string" || text === "")
    throw new UsageError(`${place}: a line wants a text, as in {"id": "a", "text": "…"}`);
  return { id: typeof id === "string" || typeof id === "number" ? String(id) : place, text };
}

/** Cuts at the last blank before the limit, where there is one in the second half of the piece. */
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

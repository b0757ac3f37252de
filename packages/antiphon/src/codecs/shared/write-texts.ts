import type { RawPieces } from "../../core/raw-pieces.ts";
import { RawRun } from "../../core/runs.ts";
import type { RunEvent } from "../../model/index.ts";

const encoder = new TextEncoder();

/** The most bytes that a character takes where it is escaped. */
const widestEscaped = 6;

/** Texts to be written as JSON. */
export interface Texts {
  count: number;
  /** How many bytes one of them takes at most, without its quotes. */
  most(index: number): number;
  /** Writes one, in quotes, and gives where it ends. */
  write(index: number, room: Uint8Array, at: number): number;
}

export const strings = (deltas: readonly string[]): Texts => ({
  count: deltas.length,
  most: (index) => deltas[index]!.length * widestEscaped,
  write: (index, room, at) => writeText(deltas[index]!, room, at),
});

/** Those that are JSON already. */
const raw = ({ bytes, places, count }: RawPieces): Texts => ({
  count,
  most: (index) => places[2 * index + 1]! - places[2 * index]!,
  write(index, room, at) {
    const stop = places[2 * index + 1]!;
    let end = at;
    room[end++] = quote;
    for (let from = places[2 * index]!; from < stop; from += 1) room[end++] = bytes[from]!;
    room[end++] = quote;
    return end;
  },
});

/** The texts of a run. */
export const textsOf = (run: RunEvent): Texts => (run instanceof RawRun ? raw(run.raw) : strings(run.deltas));

const [quote, backslash, space] = [34, 92, 32];

/** A text in quotes. What JSON escapes, and pairs of surrogates, are seldom. */
function writeText(text: string, room: Uint8Array, at: number): number {
  const end = writePlain(text, room, at);
  return end === -1 ? at + encoder.encodeInto(JSON.stringify(text), room.subarray(at)).written : end;
}

/** The same for a text without any of these; -1 for others. */
function writePlain(text: string, room: Uint8Array, at: number): number {
  let end = at;
  room[end++] = quote;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < space || code === quote || code === backslash || (code >= 0xd800 && code <= 0xdfff)) return -1;
    if (code < 0x80) room[end++] = code;
    else {
      if (code < 0x800) room[end++] = 0xc0 | (code >> 6);
      else {
        room[end++] = 0xe0 | (code >> 12);
        room[end++] = 0x80 | ((code >> 6) & 0x3f);
      }
      room[end++] = 0x80 | (code & 0x3f);
    }
  }
  room[end++] = quote;
  return end;
}

import { strings, textsOf, type Texts } from "../shared/write-texts.ts";
import {
  encodeFrame,
  headOf,
  isDelta,
  isDeltaRun,
  mouldFor,
  type Delta,
  type DeltaRun,
  type Mould,
  type Told,
} from "./encode-frame.ts";
import { eventPieces } from "./event-json.ts";

/** A mould as bytes; `seam` is what lies between the text of a delta and the number of the next. */
interface Cast extends Record<"before" | "between" | "after" | "seam", Uint8Array> {
  mould: Mould;
}

const encoder = new TextEncoder();
/** The cast of the last mould. */
let cast: Cast | undefined;

const castOf = (mould: Mould): Cast => ({
  mould,
  before: encoder.encode(mould.before),
  between: encoder.encode(mould.between),
  after: encoder.encode(mould.after),
  seam: encoder.encode(mould.after + mould.before),
});

/** More than a number and two quotes take. */
const spare = 32;
/** The most bytes that a character takes. */
const widest = 3;

/**
 * The frame of an event as bytes, as `ServerCodec` has it: text that is put together from pieces has to be gone through again to become
 * bytes, and every piece of it is garbage.
 */
export function writeFrame(value: unknown, room: Uint8Array, at: number): number | string {
  // The encoder makes nothing else.
  const told = value as Told;
  if (isDeltaRun(told)) return writeRun(told, room, at) ?? encodeFrame(told);
  if (isDelta(told)) return writeDeltas(told, strings([told.delta]), room, at) ?? encodeFrame(told);
  return writeEvent(told, room, at);
}

const writeRun = ({ first, run }: DeltaRun, room: Uint8Array, at: number): number | undefined =>
  writeDeltas(first, textsOf(run), room, at);

/** The frames of deltas that differ from the first in their text and their number alone; nothing where there is not enough room. */
function writeDeltas(first: Delta, texts: Texts, room: Uint8Array, at: number): number | undefined {
  const number = first.sequence_number;
  if (!isPlain(number)) return undefined;
  const { before, between, after, seam } = castFor(first);
  const fixed = seam.length + between.length + spare;
  if (at + fixed > room.length) return undefined;
  room.set(before, at);
  let end = at + before.length;
  for (let index = 0; index < texts.count; index += 1) {
    if (end + fixed + texts.most(index) > room.length) return undefined;
    end = writeNumber(number + index, room, end);
    room.set(between, end);
    end = texts.write(index, room, end + between.length);
    const next = index + 1 < texts.count ? seam : after;
    room.set(next, end);
    end += next.length;
  }
  return end;
}

function castFor(delta: Delta): Cast {
  const mould = mouldFor(delta);
  return cast?.mould === mould ? cast : (cast = castOf(mould));
}

const lf = 10;

function writeEvent(event: { type: string }, room: Uint8Array, at: number): number | string {
  const head = headOf(event);
  const pieces = eventPieces(event);
  let length = head.length;
  for (const piece of pieces) length += piece.length;
  if (at + length * widest + spare > room.length) return `${head}${pieces.join("")}\n\n`;
  let end = at + encoder.encodeInto(head, room.subarray(at)).written;
  for (const piece of pieces) end += encoder.encodeInto(piece, room.subarray(end)).written;
  room[end++] = lf;
  room[end++] = lf;
  return end;
}

const isPlain = (number: number): boolean => number >= 0 && Math.trunc(number) === number && number <= Number.MAX_SAFE_INTEGER;

const [zero, ten] = [48, 10];

function writeNumber(number: number, room: Uint8Array, at: number): number {
  let end = at + 1;
  for (let left = number; left >= ten; left = Math.trunc(left / ten)) end += 1;
  for (let left = number, place = end - 1; place >= at; left = Math.trunc(left / ten), place -= 1)
    room[place] = zero + (left % ten);
  return end;
}

import { encodeFrame, headOf, isDelta, jsonOf, mouldFor, type Mould } from "./encode-frame.ts";

/** A mould as bytes. */
interface Cast extends Record<"before" | "between" | "after", Uint8Array> {
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
  // The encoder makes nothing but events.
  const event = value as { type: string };
  if (!isDelta(event)) return writeEvent(event, room, at);
  const mould = mouldFor(event);
  if (cast?.mould !== mould) cast = castOf(mould);
  const { before, between, after } = cast;
  const { delta, sequence_number } = event;
  const most = before.length + between.length + after.length + delta.length * widest + spare;
  if (at + most > room.length || !isPlain(sequence_number)) return encodeFrame(event);
  room.set(before, at);
  let end = writeNumber(sequence_number, room, at + before.length);
  room.set(between, end);
  end = writeText(delta, room, end + between.length);
  if (end === -1) return encodeFrame(event);
  room.set(after, end);
  return end + after.length;
}

const lf = 10;

function writeEvent(event: { type: string }, room: Uint8Array, at: number): number | string {
  const head = headOf(event);
  const json = jsonOf(event);
  if (at + (head.length + json.length) * widest + spare > room.length) return `${head}${json}\n\n`;
  let end = at + encoder.encodeInto(head, room.subarray(at)).written;
  end += encoder.encodeInto(json, room.subarray(end)).written;
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

const [quote, backslash, space] = [34, 92, 32];

/** A text in quotes; -1 where it has what JSON escapes, or pairs of surrogates, which are seldom. */
function writeText(text: string, room: Uint8Array, at: number): number {
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

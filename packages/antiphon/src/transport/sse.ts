import { AntiphonError } from "../core/error.ts";
import type { Machine } from "../core/machine.ts";
import { KeptBytes } from "./kept-bytes.ts";

export interface SseOptions {
  /** The largest event that is taken, in bytes; 32 MiB where nothing is said. */
  maxEventBytes?: number;
}

export const defaultLimit = 32 * 1024 * 1024;
const lf = 10;
const cr = 13;
const space = 32;
const letterD = 100;
const openBrace = 123;
const colonCode = 58;
/**
 * How many bytes are decoded at once, about. One character beyond ASCII makes a string of twice the size, which takes several times
 * longer to decode: in smaller pieces most of a text gets by without.
 */
const block = 2048;
/** What a line may hold beside its data: the field's name. */
const fieldRoom = 64;

/**
 * Splits the bytes of an event stream into the data of its events, in time linear in the bytes. Their names are passed over: on all wires
 * they stand in the data, too. Only whole lines are decoded, many at a time: a line break is one byte that never lies inside a character,
 * so no decoder state is carried from chunk to chunk.
 *
 * @example
 * const parser = new SseParser();
 * parser.push(new TextEncoder().encode('event: a\ndata: {"a":1}\n\n')); // ['{"a":1}']
 */
export class SseParser implements Machine<Uint8Array, string> {
  readonly #limit: number;
  // The mark of byte order is looked for by hand: a decoder would also strip it from the middle of a stream.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The beginning of a line whose end has not come. */
  readonly #kept = new KeptBytes();
  #begun = false;
  #endedInCr = false;
  #overflow = false;
  #data: string | undefined;
  /** Plain JSON after the events: Google tells of a failure in the middle of a stream without framing it. */
  #bare: string | undefined;
  #framed = false;

  constructor({ maxEventBytes = defaultLimit }: SseOptions = {}) {
    this.#limit = maxEventBytes;
  }

  /** Whether what comes next is the beginning of an event. */
  get isBetween(): boolean {
    return this.#kept.length === 0 && this.#data === undefined && this.#bare === undefined && this.#begun && !this.#endedInCr;
  }

  push(chunk: Uint8Array): string[] {
    if (this.#overflow) throw this.#tooLarge();
    const bytes = this.#endedInCr && chunk[0] === lf ? chunk.subarray(1) : chunk;
    if (chunk.length > 0) this.#endedInCr = false;
    const size = lineEnd(bytes) + 1;
    const frames: string[] = [];
    if (size > 0) this.#endedInCr = size === bytes.length && bytes[size - 1] === cr;
    for (let from = 0, to: number; from < size; from = to) {
      to = blockEnd(bytes, from, size);
      this.#lines(this.#decode(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)), frames);
    }
    if (size < bytes.length) this.#keep(size === 0 ? bytes : bytes.subarray(size));
    // Frames that came before the oversized one are still delivered; the error waits for the next call.
    if (this.#overflow && frames.length === 0) throw this.#tooLarge();
    return frames;
  }

  end(): string[] {
    if (this.#overflow) throw this.#tooLarge();
    const frames: string[] = [];
    if (this.#kept.length > 0) this.#lines(`${this.#decode(new Uint8Array(0))}\n`, frames);
    if (this.#overflow) throw this.#tooLarge();
    this.#dispatch(frames);
    return frames;
  }

  /** Decodes what was kept and `bytes` as one string, with line feeds only. */
  #decode(bytes: Uint8Array): string {
    let text = this.#decoder.decode(this.#kept.take(bytes));
    if (!this.#begun) {
      this.#begun = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  #keep(bytes: Uint8Array): void {
    this.#overflow ||= this.#kept.length + bytes.length > this.#limit + fieldRoom;
    if (!this.#overflow) this.#kept.append(bytes);
  }

  /** Reads lines; the last one ends in a line feed. */
  #lines(text: string, frames: string[]): void {
    for (let at = 0, end: number; at < text.length && !this.#overflow; at = end + 1) {
      end = text.indexOf("\n", at);
      if (end === at) this.#dispatch(frames);
      else this.#field(text, at, end);
    }
  }

  #field(text: string, at: number, end: number): void {
    const first = text.charCodeAt(at);
    if (first === letterD && isData(text, at)) {
      const value = valueOf(text, at + 4, end);
      if (value === undefined) return;
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#overflow = this.#data.length > this.#limit;
    } else if (this.#bare !== undefined || (first === openBrace && this.#framed)) {
      this.#bare = `${this.#bare ?? ""}${text.slice(at, end)}\n`;
      this.#overflow = this.#bare.length > this.#limit;
    }
  }

  #dispatch(frames: string[]): void {
    const data = this.#data ?? this.#bare;
    if (data !== undefined) {
      frames.push(data);
      this.#framed = true;
    }
    this.#data = undefined;
    this.#bare = undefined;
  }

  #tooLarge(): AntiphonError {
    return tooLarge(this.#limit);
  }
}

/** An event is larger than what is taken. */
export const tooLarge = (limit: number): AntiphonError =>
  new AntiphonError("PROTOCOL", `The server sent an event of more than ${limit} bytes. Raise \`maxEventBytes\` to accept it.`);

/** Where a block of whole lines ends that begins at `from`; a line that is longer than a block is taken with all that follows. */
function blockEnd(bytes: Uint8Array, from: number, size: number): number {
  const end = size - from > block ? bytes.lastIndexOf(lf, from + block) + 1 : size;
  return end > from ? end : size;
}

/** Where the last line ends that is whole; a carriage return counts only where there is no line feed. */
function lineEnd(bytes: Uint8Array): number {
  const at = bytes.lastIndexOf(lf);
  return at === -1 ? bytes.lastIndexOf(cr) : at;
}

const data = "data";

/** Whether a line that begins with the right letter is one of data; `startsWith` takes several times as long. */
function isData(text: string, at: number): boolean {
  for (let letter = 1; letter < data.length; letter += 1)
    if (text.charCodeAt(at + letter) !== data.charCodeAt(letter)) return false;
  return true;
}

/** The value of a field whose name ends at `colon`, or nothing where the name goes on. */
function valueOf(text: string, colon: number, end: number): string | undefined {
  if (colon === end) return "";
  if (text.charCodeAt(colon) !== colonCode) return undefined;
  return text.slice(text.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1, end);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What stands for bytes that are no text. */
const replaced = "\ufffd";

/**
 * Pieces of a text as a wire has them: inside JSON strings, escaped, in UTF-8. Most of them are written on just so, and never become
 * strings of their own.
 */
export class RawPieces {
  readonly bytes: Uint8Array;
  /** Where each begins in the bytes, and where it ends, by turns. */
  readonly places: readonly number[];
  /** All of it. */
  readonly text: string;
  /** The same as it stands there. */
  readonly #joined: string;

  constructor(bytes: Uint8Array, places: readonly number[]) {
    this.bytes = bytes;
    this.places = places;
    this.#joined = decoder.decode(joinedBytes(bytes, places));
    this.text = unescaped(this.#joined);
  }

  get count(): number {
    return this.places.length / 2;
  }

  /** How many characters they have, as they stand there. */
  get size(): number {
    return this.#joined.length;
  }

  /** Whether they can be written on as they are. */
  get intact(): boolean {
    return !this.#joined.includes(replaced);
  }

  /** The first as a string. */
  get first(): string {
    return unescaped(this.#joined.slice(0, charactersIn(this.bytes, this.places[0]!, this.places[1]!)));
  }

  /** Each as a string. */
  get deltas(): string[] {
    const pieces: string[] = [];
    for (let place = 0, at = 0; place < this.places.length; place += 2) {
      const end = at + charactersIn(this.bytes, this.places[place]!, this.places[place + 1]!);
      pieces.push(unescaped(this.#joined.slice(at, end)));
      at = end;
    }
    return pieces;
  }
}

// A JSON string holds a string.
const unescaped = (text: string): string => (text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text);

/** Room for pieces of usual length; taken anew for longer ones. */
let room = new Uint8Array(32 * 1024);

/** Decoding all of them at once takes a fraction of the time. */
function joinedBytes(bytes: Uint8Array, places: readonly number[]): Uint8Array {
  if (bytes.length > room.length) room = new Uint8Array(bytes.length);
  let end = 0;
  for (let place = 0; place < places.length; place += 2)
    for (let at = places[place]!; at < places[place + 1]!; at += 1) room[end++] = bytes[at]!;
  return room.subarray(0, end);
}

/** How many characters, as strings count them, some bytes of UTF-8 are. */
function charactersIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) !== 0x80) count += 1;
    if (byte >= 0xf0) count += 1;
  }
  return count;
}

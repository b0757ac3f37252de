import type { ServerCodec } from "antiphon";

/** Room for what is written in one go. */
const room = Buffer.allocUnsafeSlow(256 * 1024);
/** The most bytes that a character of a text takes. */
const widest = 3;

/** Where bytes are written to. */
export interface Out {
  write(bytes: Uint8Array): void;
}

/**
 * Puts frames together as bytes. Whoever adds some writes them before anybody else has a turn: the room is for all. Text that was put
 * together from many pieces is written there as well, and copied: to count its bytes first, as `Buffer.from` does, takes longer.
 */
export class Frames {
  readonly #codec: ServerCodec;
  #full: Uint8Array[] = [];
  /** Where the bytes in the room end, and the text behind them. */
  #at = 0;
  #text = "";

  constructor(codec: ServerCodec) {
    this.#codec = codec;
  }

  /** Adds a value of the encoder. */
  add(value: unknown): void {
    const codec = this.#codec;
    if (codec.writeFrame) this.#settle();
    const frame = codec.writeFrame?.(value, room, this.#at) ?? codec.encodeFrame(value);
    if (typeof frame === "string") this.#text += frame;
    else this.#at = frame;
  }

  text(text: string): void {
    this.#text += text;
  }

  /** Writes all that was added. */
  writeTo(out: Out): void {
    this.#settle();
    this.#clear();
    for (const bytes of this.#full) out.write(bytes);
    if (this.#full.length > 0) this.#full = [];
  }

  /** Makes bytes of the text. */
  #settle(): void {
    const text = this.#text;
    if (!text) return;
    this.#text = "";
    const most = text.length * widest;
    if (this.#at + most > room.length) this.#clear();
    if (most > room.length) this.#full.push(Buffer.from(text));
    else this.#at += room.write(text, this.#at);
  }

  #clear(): void {
    if (this.#at > 0) this.#full.push(Buffer.from(room.subarray(0, this.#at)));
    this.#at = 0;
  }
}

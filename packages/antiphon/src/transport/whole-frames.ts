import type { AntiphonError } from "../core/error.ts";
import { KeptBytes } from "./kept-bytes.ts";
import { defaultLimit, tooLarge, type SseOptions } from "./sse.ts";

const lf = 10;
const cr = 13;

/** Cuts the bytes of an event stream behind its last whole frame; lines are not looked at. */
export class WholeFrames {
  readonly #limit: number;
  readonly #kept = new KeptBytes();

  constructor({ maxEventBytes = defaultLimit }: SseOptions = {}) {
    this.#limit = maxEventBytes;
  }

  /**
   * What is whole by now: the frame that began in an earlier chunk, and the others, which are not copied. Nobody writes to that memory
   * any more.
   */
  push(bytes: Uint8Array): Uint8Array[] {
    const size = this.#lastEnd(bytes);
    const first = this.#kept.length > 0 && size > 0 ? this.#firstEnd(bytes, size) : 0;
    const whole = first > 0 ? [this.#kept.join(bytes.subarray(0, first))] : [];
    if (first < size) whole.push(bytes.subarray(first, size));
    if (size < bytes.length) this.#kept.append(size === 0 ? bytes : bytes.subarray(size));
    return whole;
  }

  /** Whether what is not whole yet has become too large. */
  get error(): AntiphonError | undefined {
    return this.#kept.length > this.#limit ? tooLarge(this.#limit) : undefined;
  }

  /** What is left. */
  end(): Uint8Array {
    return this.#kept.join(new Uint8Array(0));
  }

  /** How many of these bytes lie before the end of the last empty line. */
  #lastEnd(bytes: Uint8Array): number {
    for (let at = bytes.lastIndexOf(lf); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(lf, at - 1))
      if (this.#endsAt(bytes, at)) return at + 1;
    return 0;
  }

  /** The same for the first one. */
  #firstEnd(bytes: Uint8Array, size: number): number {
    for (let at = bytes.indexOf(lf); at < size - 1; at = bytes.indexOf(lf, at + 1)) if (this.#endsAt(bytes, at)) return at + 1;
    return size;
  }

  /** Whether the line feed at a position ends an empty line. */
  #endsAt(bytes: Uint8Array, at: number): boolean {
    const before = this.#at(bytes, at - 1) === cr ? at - 2 : at - 1;
    return this.#at(bytes, before) === lf;
  }

  /** A byte of these, or of those before them. */
  #at(bytes: Uint8Array, at: number): number | undefined {
    return at >= 0 ? bytes[at] : this.#kept.fromEnd(-at);
  }
}

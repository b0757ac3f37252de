/** A larger buffer than this is given back once it is read. */
const lastingBuffer = 1024 * 1024;

const none = new Uint8Array(0);

/** Bytes that wait for those that follow; grows by doubling. */
export class KeptBytes {
  #bytes = none;
  length = 0;

  /** The byte that is this far from the end, counted from 1. */
  fromEnd(distance: number): number | undefined {
    return distance > this.length ? undefined : this.#bytes[this.length - distance];
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.length);
    this.length = length;
  }

  /** The same as `take`, as bytes of their own. */
  join(bytes: Uint8Array): Uint8Array {
    return this.length === 0 ? bytes : this.take(bytes).slice();
  }

  /** All that was kept with `bytes` behind it; valid until more is kept. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.length === 0) return bytes;
    this.append(bytes);
    const joined = this.#bytes.subarray(0, this.length);
    this.length = 0;
    if (this.#bytes.length > lastingBuffer) this.#bytes = none;
    return joined;
  }
}

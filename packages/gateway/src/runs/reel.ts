import { deflateRawSync, inflateRawSync } from "node:zlib";

/** So much is packed at once: a third of a millisecond of work, some four hundred words of a model. */
const packedAt = 128 * 1024;

/**
 * The frames that a client was told, for readers that come late. Frames are much alike: packed, they take a tenth. Most streams end
 * before there is anything to pack.
 */
export class Reel {
  readonly #packed: Uint8Array[] = [];
  #fresh: Uint8Array[] = [];
  #freshBytes = 0;

  add(frames: Uint8Array): void {
    this.#fresh.push(frames);
    this.#freshBytes += frames.length;
    if (this.#freshBytes >= packedAt) this.#pack();
  }

  /** All that was added. */
  get frames(): readonly Uint8Array[] {
    return this.#packed.length === 0 ? this.#fresh : [...this.#packed.map((piece) => inflateRawSync(piece)), ...this.#fresh];
  }

  #pack(): void {
    this.#packed.push(deflateRawSync(Buffer.concat(this.#fresh), { level: 3 }));
    this.#fresh = [];
    this.#freshBytes = 0;
  }
}

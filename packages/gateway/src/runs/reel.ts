const blockSize = 8 * 1024;
/** Blocks that are held for the next who need some; what is given back beyond that is let go. */
const mostFree = 1024;

/** Memory that is handed round: what would be made and thrown away with every stream is dear to collect. */
export class Blocks {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(blockSize);
  }

  give(blocks: readonly Buffer[]): void {
    this.#free.push(...blocks.slice(0, mostFree - this.#free.length));
  }
}

/** A stream as it was told: its frames, copied, so that nothing else need be held on to. */
export class Reel {
  readonly #blocks: Blocks;
  #taken: Buffer[] = [];
  #length = 0;

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  /** The memory that it takes, in bytes. */
  get size(): number {
    return this.#taken.length * blockSize;
  }

  append(frames: string | Uint8Array): void {
    const bytes = typeof frames === "string" ? Buffer.from(frames) : frames;
    for (let at = 0; at < bytes.length; ) {
      const offset = this.#length % blockSize;
      if (offset === 0) this.#taken.push(this.#blocks.take());
      const piece = bytes.subarray(at, at + blockSize - offset);
      this.#taken.at(-1)!.set(piece, offset);
      this.#length += piece.length;
      at += piece.length;
    }
  }

  text(): string {
    return Buffer.concat(this.#taken, this.#length).toString();
  }

  /** Gives its memory back, and is empty then. */
  release(): void {
    this.#blocks.give(this.#taken);
    this.#taken = [];
    this.#length = 0;
  }
}

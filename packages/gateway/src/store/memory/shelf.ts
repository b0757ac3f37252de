/** Something that takes up room. */
export interface Kept {
  /** What it takes up now. */
  bytes(): number;
  /** Whether it has to stay, however little room there is. */
  inUse(): boolean;
  drop(): void;
}

/** Room for so many bytes: where there is too little, what has not been written to for the longest time goes first. */
export class Shelf {
  readonly #most: number;
  /** With the size that each was counted with; the one written to last is the last. */
  readonly #kept = new Map<Kept, number>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Puts something up, or up again after it changed. */
  put(kept: Kept): void {
    this.remove(kept);
    const bytes = kept.bytes();
    this.#kept.set(kept, bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.#most) this.#makeRoom(kept);
  }

  remove(kept: Kept): void {
    this.#bytes -= this.#kept.get(kept) ?? 0;
    this.#kept.delete(kept);
  }

  #makeRoom(newest: Kept): void {
    for (const old of this.#kept.keys()) {
      if (this.#bytes <= this.#most) return;
      if (old === newest || old.inUse()) continue;
      this.remove(old);
      old.drop();
    }
  }
}

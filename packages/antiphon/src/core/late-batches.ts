import type { ResponseEvent } from "../model/index.ts";

type Batches = AsyncIterator<ResponseEvent[]>;
const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/** A stream that takes a while to open; once it is, nothing stands between it and its reader. */
export class LateBatches implements AsyncIterableIterator<ResponseEvent[]> {
  readonly #open: () => Promise<Batches>;
  #opening: Promise<Batches> | undefined;
  #inner: Batches | undefined;
  #left = false;

  constructor(open: () => Promise<Batches>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ResponseEvent[]>> {
    return this.#inner ? this.#inner.next() : this.#begin();
  }

  async #begin(): Promise<IteratorResult<ResponseEvent[]>> {
    if (this.#left) return over;
    const inner = await (this.#opening ??= this.#open());
    this.#inner = inner;
    if (!this.#left) return inner.next();
    await inner.return?.();
    return over;
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#left = true;
    await this.#inner?.return?.();
    return over;
  }
}

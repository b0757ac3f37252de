import type { ResponseEvent } from "../model/index.ts";

type Batches = AsyncIterator<ResponseEvent[]>;
const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/** A stream of which some batches were read ahead. */
export class ReadAhead implements Batches {
  readonly #ahead: IteratorResult<ResponseEvent[]>[];
  readonly #inner: Batches;

  constructor(ahead: IteratorResult<ResponseEvent[]>[], inner: Batches) {
    this.#ahead = ahead;
    this.#inner = inner;
  }

  next(): Promise<IteratorResult<ResponseEvent[]>> {
    const first = this.#ahead.shift();
    return first ? Promise.resolve(first) : this.#inner.next();
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    await this.#inner.return?.();
    return over;
  }
}

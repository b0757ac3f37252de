import { pointToCaller } from "./caller-stack.ts";

/** Reads batches one value at a time. Values of the same batch need no further asynchronous step. */
export class Unrolled<T> implements AsyncIterator<T> {
  readonly #batches: AsyncIterator<readonly T[]>;
  #batch: readonly T[] = [];
  #at = 0;
  /** The newest of those who wait for a batch, and how many they are: each gets his turn after those who asked before him. */
  #last: Promise<IteratorResult<T>> | undefined;
  #waiting = 0;

  constructor(batches: AsyncIterator<readonly T[]>) {
    this.#batches = batches;
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#last !== undefined || this.#at >= this.#batch.length) return this.#wait();
    this.#at += 1;
    return Promise.resolve({ done: false, value: this.#batch[this.#at - 1]! });
  }

  async return(): Promise<IteratorResult<T>> {
    this.#batch = [];
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }

  #wait(): Promise<IteratorResult<T>> {
    this.#waiting += 1;
    this.#last = this.#last?.then(this.#take, this.#take) ?? this.#take();
    return this.#last;
  }

  readonly #take = async (): Promise<IteratorResult<T>> => {
    try {
      while (this.#at >= this.#batch.length) {
        const { done, value } = await this.#batches.next();
        if (done) return { done: true, value: undefined };
        this.#batch = value;
        this.#at = 0;
      }
      this.#at += 1;
      return { done: false, value: this.#batch[this.#at - 1]! };
    } catch (thrown) {
      throw pointToCaller(thrown, this.#take);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#last = undefined;
    }
  };
}

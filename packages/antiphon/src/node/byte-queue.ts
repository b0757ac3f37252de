import type { AntiphonError } from "../core/error.ts";

/** More than this unread, and the server is made to wait. */
const mostQueued = 1024 * 1024;

/** Whoever brings the bytes, and can be made to wait. */
interface Source {
  pause(): void;
  resume(): void;
}

/**
 * The bytes of a body between the socket and its reader. What one turn of the event loop brings is handed over at once, however many
 * chunks the server cut it into: that is far cheaper than a stream's own iterator, which takes several hops a chunk.
 */
export class ByteQueue {
  readonly #source: Source;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #scheduled = false;
  #apart = false;
  #paused = false;
  #ended = false;
  #error: AntiphonError | undefined;
  #resolve: ((bytes: Uint8Array | undefined) => void) | undefined;
  #reject: ((error: AntiphonError) => void) | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Whether nothing more comes. */
  get settled(): boolean {
    return this.#ended || this.#error !== undefined;
  }

  /** Whether there is nothing left to read. */
  get isOver(): boolean {
    return this.#ended && this.#size === 0;
  }

  read(apart = false): Promise<Uint8Array | undefined> {
    this.#apart = apart;
    if (this.#error) return Promise.reject(this.#error);
    if (this.#size > 0) return Promise.resolve(this.#take());
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  more(): Uint8Array | undefined {
    return this.#size > 0 ? this.#take() : undefined;
  }

  push(bytes: Uint8Array): void {
    if (this.#error) return;
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    if (this.#size > mostQueued && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    if (this.#resolve && !this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(flush, this);
    }
  }

  end(): void {
    this.#ended = true;
    if (this.#size === 0) this.#hand(undefined);
  }

  /** What is not read yet is lost. */
  fail(error: AntiphonError): void {
    this.#error = error;
    this.#chunks = [];
    this.#size = 0;
    this.#reject?.(error);
    this.#resolve = undefined;
  }

  /** Hands over what came in this turn. */
  flush(): void {
    this.#scheduled = false;
    if (this.#resolve && this.#size > 0) this.#hand(this.#take());
  }

  #take(): Uint8Array {
    const bytes = this.#apart || this.#chunks.length === 1 ? this.#chunks.shift()! : this.#join();
    this.#size -= bytes.length;
    if (this.#paused && this.#size <= mostQueued) {
      this.#paused = false;
      this.#source.resume();
    }
    return bytes;
  }

  #join(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [];
    return bytes;
  }

  #hand(bytes: Uint8Array | undefined): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(bytes);
  }
}

const flush = (queue: ByteQueue): void => queue.flush();

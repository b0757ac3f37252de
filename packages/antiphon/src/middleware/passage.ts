import { AntiphonError, toAntiphonError } from "../core/error.ts";
import type { CallOptions } from "../core/respond.ts";
import { terminalIn } from "../core/seen-events.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";

export type Batches = AsyncIterator<ResponseEvent[]>;

/** How a stream ended: with a response, an error that was thrown, a reader that left, or (a job that goes on elsewhere) none of these. */
export interface Ending {
  response?: ResponseResource;
  error?: AntiphonError;
  left?: true;
}

/** What wants to know of a stream that passes by. */
export interface Watcher {
  /** Makes the stream when it is first read, perhaps after a wait. */
  open(): Batches | Promise<Batches>;
  batch?(events: readonly ResponseEvent[]): void;
  /** Told exactly once: when the terminal event comes by, the stream throws or ends, or its reader leaves. */
  ended(ending: Ending): void;
}

/**
 * Passes batches on untouched and says how the stream ended. Not an async generator: leaving one waits for the batch that is under
 * way, and this must reach the connection at once.
 */
export class Passage implements Batches {
  readonly #watcher: Watcher;
  #inner: Batches | undefined;
  #ended = false;
  #left = false;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    if (this.#left) return over;
    try {
      this.#inner ??= await this.#watcher.open();
      if (this.#left) {
        await this.#inner.return?.();
        return over;
      }
      const result = await this.#inner.next();
      if (result.done) this.#end({});
      else this.#pass(result.value);
      return result;
    } catch (thrown) {
      if (this.#left) return over;
      this.#end({ error: toAntiphonError(thrown, "CONNECTION_ERROR") });
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#left = true;
    this.#end({ left: true });
    await this.#inner?.return?.();
    return over;
  }

  #pass(events: readonly ResponseEvent[]): void {
    this.#watcher.batch?.(events);
    const terminal = terminalIn(events);
    if (terminal) this.#end({ response: terminal.response });
  }

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watcher.ended(ending);
  }
}

export const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/** A stream in which nothing comes. */
export const empty: Batches = { next: () => Promise.resolve(over) };

/** A stream with some events in front. */
export function following(events: ResponseEvent[], rest: Batches): Batches {
  if (events.length === 0) return rest;
  let told = false;
  return {
    next: () => {
      if (told) return rest.next();
      told = true;
      return Promise.resolve({ done: false, value: events });
    },
    return: () => rest.return?.() ?? Promise.resolve(over),
  };
}

/** The error of a call that its caller stopped. */
export const stopped = ({ signal }: CallOptions = {}): AntiphonError =>
  signal?.reason instanceof AntiphonError
    ? signal.reason
    : new AntiphonError("ABORTED", "The caller cancelled the request.", { cause: signal?.reason });

/** Waits, but not beyond a signal. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

// A longer timer would fire at once.
const longestTimer = 2 ** 31 - 1;

export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(milliseconds, longestTimer));
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });

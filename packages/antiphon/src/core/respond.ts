import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { LateBatches } from "./late-batches.ts";
import type { StopSignal } from "./stop.ts";
import { Unrolled } from "./unrolled.ts";

/**
 * How long to wait before giving up, in milliseconds. `0` waits for ever. Only `connect` is retried: after the others the model may
 * have worked on the request already.
 */
export interface Timeouts {
  /** Until the connection is made. Default: 10 seconds. */
  connect?: number;
  /** From the start of an attempt until its first event; for a plain answer, until all of it. Default: 15 minutes. */
  firstEvent?: number;
  /** Between two events. Keep-alives do not count. Default: 15 minutes. */
  idle?: number;
  /** For the whole answer, retries included. Default: no limit. */
  total?: number;
}

/** When to try again. */
export interface RetryOptions {
  /** How many times after the first; `0` never retries. */
  retries?: number;
  /** The first pause, in milliseconds; it doubles each time. */
  minDelay?: number;
  /** The longest pause, also when the server asks for more: then the error is thrown at once. */
  maxDelay?: number;
}

/** What a caller may say about one call, beside the request itself. */
export interface CallOptions {
  /**
   * Stops the call: the connection closes, and the stream ends with `response.incomplete`, reason `cancelled`. Any `AbortSignal` will
   * do; a model that needs a real one makes it with `abortSignal`.
   */
  signal?: StopSignal;
  headers?: Record<string, string>;
  timeouts?: Timeouts;
  retry?: RetryOptions;
  /** Gives the first events before those that came with them are read: the first word comes sooner, and all of them together later. */
  eager?: boolean;
  /**
   * Tells pieces of a text that came together as one event, `antiphon:run`, where the model can: `piecesOf` makes events of it again. For
   * those who pass many streams on.
   */
  runs?: boolean;
  /** Overrides the `relay` option of `connect` for this call. `false` parses every event, so none is `antiphon:wire`. */
  relay?: boolean;
}

/**
 * Returns the options of a call for middleware that must see every event: it inspects, replaces or shares the answer, so no
 * part of it may pass unread (`relay`) or joined (`runs`), whatever the caller or the connection chose.
 */
export const parsedCall = (call?: CallOptions): CallOptions => ({ ...call, relay: false, runs: false });

/** The events of one answer. Read it once: one by one, or in the batches in which they arrived. */
export interface EventStream extends AsyncIterable<ResponseEvent> {
  batches?(): AsyncIterator<ResponseEvent[]>;
}

/** A model: a function from a request to a stream of events. */
export type Respond = (request: CreateResponse, options?: CallOptions) => EventStream;

/** A function from models to models. */
export type Middleware = (next: Respond) => Respond;

/** The batches of any stream; one event makes a batch of its own where the stream has none. */
export function batchesOf(stream: EventStream): AsyncIterator<ResponseEvent[]> {
  if (stream.batches) return stream.batches();
  const events = stream[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await events.next();
      return done ? { done: true, value: undefined } : { done: false, value: [value] };
    },
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** A stream made of batches; `start` runs when the stream is first read. */
export const fromBatches = (start: () => AsyncIterator<ResponseEvent[]>): EventStream => new Batches(start);

class Batches implements EventStream {
  readonly batches: () => AsyncIterator<ResponseEvent[]>;

  constructor(start: () => AsyncIterator<ResponseEvent[]>) {
    this.batches = start;
  }

  [Symbol.asyncIterator](): AsyncIterator<ResponseEvent> {
    return new Unrolled(this.batches());
  }
}

/** A model that is loaded when it is first asked, and only once; where that fails, whoever asks next tries again. */
export function lazily(load: () => Promise<Respond>): Respond {
  let loaded: Promise<Respond> | undefined;
  const forget = (thrown: unknown): never => {
    loaded = undefined;
    throw thrown;
  };
  return (request, options) =>
    fromBatches(() => new LateBatches(async () => batchesOf((await (loaded ??= load().catch(forget)))(request, options))));
}

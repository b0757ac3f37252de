import { isObject } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { LateBatches } from "./late-batches.ts";
import { checkArgument } from "./options.ts";
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

/** Throws `BAD_REQUEST` for anything that is not a stream of events, such as a promise of one. */
export function checkStream(of: string, stream: EventStream): void {
  const isStream = isObject(stream) && (typeof stream.batches === "function" || Symbol.asyncIterator in stream);
  checkArgument(of, "a stream of events", isStream, stream);
}

/** Returns the batches of any stream. If the stream has no batches, each event is one. */
export function batchesOf(stream: EventStream): AsyncIterator<ResponseEvent[]> {
  checkStream("batchesOf", stream);
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

/** Creates a stream from an iterator of batches. `start` runs when the stream is first read. */
export function fromBatches(start: () => AsyncIterator<ResponseEvent[]>): EventStream {
  checkArgument("fromBatches", "a function that starts the batches", typeof start === "function", start);
  return new Batches(start);
}

class Batches implements EventStream {
  readonly batches: () => AsyncIterator<ResponseEvent[]>;

  constructor(start: () => AsyncIterator<ResponseEvent[]>) {
    this.batches = start;
  }

  [Symbol.asyncIterator](): AsyncIterator<ResponseEvent> {
    return new Unrolled(this.batches());
  }
}

/** Returns a model that is loaded once, when it is first called. If loading fails, the next call tries again. */
export function lazily(load: () => Promise<Respond>): Respond {
  checkArgument("lazily", "a function that loads a model", typeof load === "function", load);
  let loaded: Promise<Respond> | undefined;
  const forget = (thrown: unknown): never => {
    loaded = undefined;
    throw thrown;
  };
  return (request, options) =>
    fromBatches(() => new LateBatches(async () => batchesOf((await (loaded ??= load().catch(forget)))(request, options))));
}

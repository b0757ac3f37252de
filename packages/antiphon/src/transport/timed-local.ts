import { toAntiphonError } from "../core/error.ts";
import { EventRecord } from "../core/event-record.ts";
import { interrupt } from "../core/interrupt.ts";
import { batchesOf, fromBatches, type CallOptions, type Respond, type Timeouts } from "../core/respond.ts";
import { terminalIn } from "../core/seen-events.ts";
import { Stop } from "../core/stop.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { quiet } from "./call.ts";
import { Deadlines } from "./timeouts.ts";

type Batches = AsyncIterator<ResponseEvent[]>;
type Batch = IteratorResult<ResponseEvent[]>;
const over: Batch = { done: true, value: undefined };

/** A model inside this process that is given up when its time is over, whether or not it hears its signal. */
export const timedLocal =
  (respond: Respond, timeouts: Required<Timeouts>): Respond =>
  (request, call = {}) =>
    fromBatches(() => new TimedCall((signal) => batchesOf(respond(request, { ...call, signal })), request, call, timeouts));

class TimedCall implements Batches {
  readonly #open: (signal: AbortSignal) => Batches;
  readonly #request: CreateResponse;
  readonly #outer: CallOptions["signal"];
  readonly #timeouts: Required<Timeouts>;
  readonly #controller = new AbortController();
  readonly #expiry = new Stop();
  readonly #record = new EventRecord();
  #inner: Batches | undefined;
  #deadlines: Deadlines | undefined;
  #closed = false;

  constructor(open: (signal: AbortSignal) => Batches, request: CreateResponse, call: CallOptions, timeouts: Required<Timeouts>) {
    this.#open = open;
    this.#request = request;
    this.#outer = call.signal;
    this.#timeouts = timeouts;
  }

  async next(): Promise<Batch> {
    if (this.#closed) return over;
    try {
      this.#inner ??= this.#begin();
      this.#deadlines?.wait();
      const batch = await unlessAborted(this.#inner.next(), this.#expiry);
      if (batch.done) this.#close();
      else this.#pass(batch.value);
      return batch;
    } catch (thrown) {
      if (this.#closed) return over;
      this.#close();
      return { done: false, value: this.#ending(thrown) };
    }
  }

  async return(): Promise<Batch> {
    this.#close();
    await this.#inner?.return?.();
    return over;
  }

  #begin(): Batches {
    if (this.#outer?.aborted) this.#onAbort();
    else this.#outer?.addEventListener("abort", this.#onAbort);
    this.#deadlines = new Deadlines(this.#timeouts, (error) => {
      this.#expiry.abort(error);
      this.#controller.abort(error);
    });
    this.#deadlines.attempt();
    return this.#open(this.#controller.signal);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);

  #pass(events: ResponseEvent[]): void {
    this.#record.add(events);
    if (events.some(({ type }) => !quiet.has(type))) this.#deadlines?.heard();
    this.#deadlines?.rest();
    if (terminalIn(events)) this.#deadlines?.stop();
  }

  /** What is told of a model whose time is over; before the first event, and where the model itself fails, the error is thrown. */
  #ending(thrown: unknown): ResponseEvent[] {
    const fold = this.#record.fold();
    if (thrown !== this.#expiry.reason || !fold.base) throw thrown;
    // It may go on for as long as it likes: nobody waits for it any more.
    void this.#inner?.return?.().catch(() => {});
    const next = this.#record.nextNumber;
    const events = interrupt(fold, this.#request, toAntiphonError(thrown, "TIMEOUT"));
    return events.map((event, index) => ({ ...event, sequence_number: next + index }));
  }

  #close(): void {
    this.#closed = true;
    this.#deadlines?.stop();
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }
}

import { interrupt } from "../core/interrupt.ts";
import { Reducer } from "../core/reduce.ts";
import type { CallOptions } from "../core/respond.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { over, stopped, type Batches } from "./passage.ts";

/**
 * One stream read by several: each reads all of it, at its own pace and from the start. It is asked for more only when somebody
 * wants more, and left when the last reader has left.
 */
export class Flight {
  readonly request: CreateResponse;
  readonly batches: ResponseEvent[][] = [];
  failure: { thrown: unknown } | undefined;
  readonly #source: Batches;
  readonly #abandoned: () => void;
  #reading: Promise<void> | undefined;
  #readers = 0;
  #done = false;

  /** @param abandoned Told when the last reader has left. */
  constructor(source: Batches, request: CreateResponse, abandoned: () => void) {
    this.#source = source;
    this.request = request;
    this.#abandoned = abandoned;
  }

  /** The stream from its start, for one more reader. */
  read(call: CallOptions | undefined): Batches {
    this.#readers += 1;
    return new Reader(this, call);
  }

  /** Resolves when there is another batch, or will be none. */
  more(): Promise<void> {
    return this.#done ? Promise.resolve() : (this.#reading ??= this.#pull());
  }

  async leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    this.#abandoned();
    if (this.#done) return;
    this.#done = true;
    await this.#source.return?.();
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#done = true;
      else this.batches.push(value);
    } catch (thrown) {
      this.#done = true;
      this.failure = { thrown };
    }
    this.#reading = undefined;
  }
}

class Reader implements Batches {
  readonly #flight: Flight;
  readonly #call: CallOptions | undefined;
  readonly #woken: Promise<void>;
  #wake!: () => void;
  #at = 0;
  #state: "reading" | "stopped" | "gone" = "reading";

  constructor(flight: Flight, call: CallOptions | undefined) {
    this.#flight = flight;
    this.#call = call;
    this.#woken = new Promise((resolve) => (this.#wake = resolve));
    call?.signal?.addEventListener("abort", this.#onAbort);
    if (call?.signal?.aborted) this.#onAbort();
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    const { batches } = this.#flight;
    if (this.#state === "reading" && this.#at === batches.length) await Promise.race([this.#flight.more(), this.#woken]);
    if (this.#state === "stopped") return this.#ending();
    if (this.#state === "gone") return over;
    const batch = batches[this.#at];
    if (batch) {
      this.#at += 1;
      return { done: false, value: batch };
    }
    await this.return();
    if (this.#flight.failure) throw this.#flight.failure.thrown;
    return over;
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    await this.#leave("gone");
    return over;
  }

  // Whoever is stopped leaves at once, whether or not it is being read: the model may have nobody else to work for.
  readonly #onAbort = (): void => void this.#leave("stopped").catch(() => {});

  async #leave(state: "stopped" | "gone"): Promise<void> {
    const was = this.#state;
    this.#state = state;
    if (was !== "reading") return;
    this.#call?.signal?.removeEventListener("abort", this.#onAbort);
    this.#wake();
    await this.#flight.leave();
  }

  /** Ends the stream for a reader who was stopped, as a model does; the others read on. */
  #ending(): IteratorResult<ResponseEvent[]> {
    this.#state = "gone";
    const seen = this.#flight.batches.slice(0, this.#at).flat();
    if (seen.some(isTerminal)) return over;
    const fold = new Reducer();
    for (const event of seen) fold.push(event);
    if (!fold.base) throw stopped(this.#call);
    const from = (seen.at(-1)?.sequence_number ?? -1) + 1;
    const events = interrupt(fold, this.#flight.request, stopped(this.#call));
    events.forEach((event, index) => (event.sequence_number = from + index));
    return { done: false, value: events };
  }
}

import { AntiphonError } from "../core/error.ts";
import { EventRecord } from "../core/event-record.ts";
import { interrupt } from "../core/interrupt.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent, TerminalEvent } from "../model/index.ts";

type Batches = AsyncIterator<ResponseEvent[]>;

const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/**
 * One reading of a stream for any number of readers. Whoever is first to want a batch fetches it, and all get the same events; a
 * reader that comes late starts at the beginning, so all are recorded. When the last reader leaves early, the source is stopped, and
 * whoever reads on finds the end that a stopped stream has.
 */
export class SharedStream {
  readonly #open: (signal: AbortSignal) => Batches;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #record = new EventRecord();
  /** As it came: whoever keeps up gets it without its being made again. */
  #newest: ResponseEvent[] = [];
  #source: Batches | undefined;
  #pulling: Promise<void> | undefined;
  #readers = 0;
  #state: "open" | "left" | "ended" = "open";
  #failure: { thrown: unknown } | undefined;

  /** `open` is called when the first reader reads; its signal fires when the outer one does, too. */
  constructor(open: (signal: AbortSignal) => Batches, outer?: AbortSignal) {
    this.#open = open;
    this.#outer = outer;
  }

  /** All that has come so far but the pieces of texts. */
  outline(): Iterable<ResponseEvent> {
    return this.#record.outline();
  }

  /** The terminal event, once it has come. */
  get end(): TerminalEvent | undefined {
    return this.#newest.findLast(isTerminal);
  }

  /** The events from a place on, as many as there are at once. */
  from(place: number): ResponseEvent[] {
    return place === this.#record.length - this.#newest.length ? this.#newest : this.#record.from(place);
  }

  /** A reader of its own place. */
  read(): Batches {
    return new Reader(this);
  }

  /** Stops the source; readers find the end that it then gives. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason ?? new AntiphonError("ABORTED", "The run was cancelled."));
  }

  enter(): void {
    this.#readers += 1;
  }

  async leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#readers > 0 || this.#state !== "open") return;
    const isComplete = this.end !== undefined;
    if (!isComplete) this.abort(new AntiphonError("ABORTED", "All readers cancelled the stream."));
    this.#end(isComplete ? "ended" : "left");
    const closing = this.#source?.return?.();
    // A source that does not heed its signal may never bring what was under way, and close only after it.
    if (this.#pulling) closing?.catch(() => {});
    else await closing;
  }

  /** Fetches another batch, unless all have come; gives whether there may be more to read. */
  async more(): Promise<boolean> {
    if (this.#state === "open") await (this.#pulling ??= this.#pull());
    else if (this.#state === "left") this.#close();
    else if (this.#failure) throw this.#failure.thrown;
    else return false;
    return true;
  }

  async #pull(): Promise<void> {
    try {
      const source = (this.#source ??= this.#begin());
      const { done, value } = await source.next();
      if (this.#state !== "open") return;
      if (done) this.#end("ended");
      else if (value.length > 0) this.#add(value);
    } catch (thrown) {
      if (this.#state !== "open") return;
      this.#end("ended");
      this.#failure = { thrown };
    } finally {
      this.#pulling = undefined;
    }
  }

  #begin(): Batches {
    if (this.#outer?.aborted) this.#onAbort();
    else this.#outer?.addEventListener("abort", this.#onAbort);
    return this.#open(this.#controller.signal);
  }

  readonly #onAbort = (): void => this.abort(this.#outer?.reason);

  #end(state: "left" | "ended"): void {
    this.#state = state;
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }

  /** Ends a stream that was left as a stopped one ends. It costs a fold, so it waits until somebody wants to know. */
  #close(): void {
    this.#state = "ended";
    const fold = this.#record.fold();
    const error = new AntiphonError("ABORTED", "The run was cancelled because all its readers cancelled.");
    if (!fold.base) {
      this.#failure = { thrown: error };
      return;
    }
    const { instructions, tools } = fold.base;
    const next = this.#record.nextNumber;
    const ending = interrupt(fold, { instructions, tools }, error);
    this.#add(ending.map((event, index) => ({ ...event, sequence_number: next + index })));
  }

  #add(batch: ResponseEvent[]): void {
    this.#record.add(batch);
    this.#newest = batch;
  }
}

class Reader implements Batches {
  readonly #shared: SharedStream;
  #place = 0;
  #state: "new" | "reading" | "gone" = "new";

  constructor(shared: SharedStream) {
    this.#shared = shared;
  }

  next(): Promise<IteratorResult<ResponseEvent[]>> {
    if (this.#state === "gone") return Promise.resolve(over);
    if (this.#state === "new") {
      this.#state = "reading";
      this.#shared.enter();
    }
    const events = this.#shared.from(this.#place);
    if (events.length === 0) return this.#wait();
    this.#place += events.length;
    return Promise.resolve({ done: false, value: events });
  }

  async #wait(): Promise<IteratorResult<ResponseEvent[]>> {
    const shared = this.#shared;
    try {
      while ((await shared.more()) && this.#state === "reading") {
        const events = shared.from(this.#place);
        if (events.length === 0) continue;
        this.#place += events.length;
        return { done: false, value: events };
      }
    } catch (thrown) {
      const isGone = this.#state === "gone";
      await this.return();
      if (!isGone) throw thrown;
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    const wasReading = this.#state === "reading";
    this.#state = "gone";
    if (wasReading) await this.#shared.leave();
    return over;
  }
}

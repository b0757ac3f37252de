import { toAntiphonError } from "../core/error.ts";
import { batchesOf, type EventStream } from "../core/respond.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";
import { endOf, MergedSteps } from "./loop/merge-steps.ts";
import { isRunEvent, type RunEventOf } from "./loop/run-events.ts";

/** A run that goes on from one that ended, and what is told in between. */
export interface Onward {
  stream: EventStream;
  type: `antiphon:${string}`;
  fields: object;
}

/** What decides how a relay goes on. */
export interface Baton {
  /** Told of each answer of the model, before its calls are answered. */
  stepped(response: ResponseResource): void;
  /** What follows a run that ended: another, or nothing; fields of the response say that the whole ends otherwise than its last run. */
  next(ended: ResponseResource): Promise<Onward | Partial<ResponseResource> | undefined>;
}

type Batches = AsyncIterator<ResponseEvent[]>;
const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/**
 * Runs one after the other, told as one lawful response: one beginning, one numbering, one end, which holds the items of all and the
 * sum of what they used.
 */
export class Relay implements Batches {
  readonly #merged: MergedSteps;
  readonly #baton: Baton;
  #batches: Batches | undefined;
  #steps = 0;
  /** Steps of the runs before the one under way. */
  #before = 0;
  #over = false;

  constructor(id: string, first: EventStream, baton: Baton) {
    this.#merged = new MergedSteps(id);
    this.#baton = baton;
    this.#begin(first);
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    while (!this.#over) {
      const batch = await this.#read();
      if (batch.length > 0) return { done: false, value: batch };
    }
    return over;
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#over = true;
    await this.#batches?.return?.();
    return over;
  }

  #begin(stream: EventStream): void {
    this.#merged.step();
    this.#before = this.#steps;
    this.#batches = batchesOf(stream);
  }

  async #read(): Promise<ResponseEvent[]> {
    const merged = this.#merged;
    try {
      const { done, value } = await this.#batches!.next();
      if (this.#over) return [];
      if (!done) return this.#pass(merged.take(value));
      return merged.ended ? await this.#goOn(merged.ended) : this.#stop();
    } catch (thrown) {
      this.#over = true;
      // A run that breaks before it begins ends the whole; if that has begun, it ends with an event.
      if (!merged.started) throw thrown;
      return [merged.finish(endOf(toAntiphonError(thrown, "CONNECTION_ERROR")))];
    }
  }

  #pass(batch: ResponseEvent[]): ResponseEvent[] {
    if (!batch.some(isStep)) return batch;
    return batch.map((event) => (isStep(event) ? this.#step(event) : event));
  }

  #step(event: RunEventOf<"antiphon:step">): ResponseEvent {
    this.#steps += 1;
    this.#baton.stepped(event.response);
    return this.#before === 0 ? event : { ...event, index: this.#before + event.index };
  }

  async #goOn(ended: ResponseResource): Promise<ResponseEvent[]> {
    const after = await this.#baton.next(ended);
    if (!after || !("stream" in after)) {
      this.#over = true;
      return [this.#merged.finish(after ?? {})];
    }
    const event = this.#merged.note(after.type, after.fields);
    this.#begin(after.stream);
    return [event];
  }

  #stop(): ResponseEvent[] {
    this.#over = true;
    return [];
  }
}

const isStep = (event: ResponseEvent): event is RunEventOf<"antiphon:step"> => isRunEvent(event, "antiphon:step");

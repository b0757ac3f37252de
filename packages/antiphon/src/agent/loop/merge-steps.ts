import { blankResponse } from "../../core/blank-response.ts";
import type { AntiphonError } from "../../core/error.ts";
import { terminalType } from "../../core/expand.ts";
import { interrupt, responseError } from "../../core/interrupt.ts";
import type { Reducer } from "../../core/reduce.ts";
import { addUsage } from "../../core/usage.ts";
import { isTerminal } from "../../model/guards.ts";
import type { CreateResponse, Item, ResponseEvent, ResponseResource, Usage } from "../../model/index.ts";

type Lifecycle = Extract<ResponseEvent, { response: ResponseResource }>;

const isLifecycle = (event: ResponseEvent): event is Lifecycle => "response" in event && !event.type.includes(":");
const carriesResponse = (event: ResponseEvent): boolean => "response" in event;

/**
 * Makes one response of many: the first step's events pass as they come, later ones are numbered on and placed behind the items
 * before them, and each step's own beginning and end are left out.
 */
export class MergedSteps {
  readonly #id: string;
  readonly #output: Item[] = [];
  /** What the terminal response is made of: the newest response of a step. */
  #base: ResponseResource | undefined;
  #created: number | undefined;
  #usage: Usage | null = null;
  #last = -1;
  /** Whether the events that open a step are let through: only where nothing came before. */
  #opens = false;
  /** From a step's numbers and places to those of the run. */
  #shift: number | undefined;
  #offset = 0;
  #ended: ResponseResource | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  /** Whether the response was opened. */
  get started(): boolean {
    return this.#created !== undefined;
  }

  /** All items so far. */
  get output(): readonly Item[] {
    return this.#output;
  }

  /** The response of the step, once its terminal event came. */
  get ended(): ResponseResource | undefined {
    return this.#ended;
  }

  /** Opens the response before any step does. */
  start(request: CreateResponse, now: number): ResponseEvent[] {
    const response = (this.#base = blankResponse(this.#id, now, request));
    this.#created = now;
    return [
      { type: "response.created", sequence_number: ++this.#last, response },
      { type: "response.in_progress", sequence_number: ++this.#last, response },
    ];
  }

  /** A step begins: its events come next. */
  step(): void {
    this.#opens = !this.started;
    this.#shift = undefined;
    this.#offset = this.#output.length;
    this.#ended = undefined;
  }

  /** A step's batch as the run tells it. */
  take(batch: ResponseEvent[]): ResponseEvent[] {
    const first = batch[0];
    if (first === undefined) return batch;
    const shift = (this.#shift ??= this.#opens ? 0 : this.#last - first.sequence_number);
    if (batch.some(carriesResponse)) return this.#rewrite(batch);
    const offset = this.#offset;
    const out = shift === 0 && offset === 0 ? batch : batch.map((event) => moved(event, shift, offset));
    this.#last = out[out.length - 1]!.sequence_number;
    return out;
  }

  /** The rest of a step that broke, of which `fold` is what had come; nothing where it had not begun. */
  broken(fold: Reducer, request: CreateResponse, error: AntiphonError): ResponseEvent[] | undefined {
    if (!fold.base || this.#ended) return undefined;
    const from = this.#last - (this.#shift ?? 0) + 1;
    const closing = interrupt(fold, request, error);
    closing.forEach((event, index) => (event.sequence_number = from + index));
    return this.take(closing);
  }

  /** An answer to a call, as an item of the response. */
  item(item: Item): ResponseEvent[] {
    const output_index = this.#output.push(item) - 1;
    return [
      { type: "response.output_item.added", sequence_number: ++this.#last, output_index, item },
      { type: "response.output_item.done", sequence_number: ++this.#last, output_index, item },
    ];
  }

  /** An event out of band. */
  note(type: `antiphon:${string}`, fields: object): ResponseEvent {
    return { type, sequence_number: Math.max(0, this.#last), ...fields };
  }

  /** The terminal event; `fields` lie over the last step's response. */
  finish(fields: Partial<ResponseResource>): ResponseEvent {
    const response: ResponseResource = {
      // A run that was not opened has nothing to finish, so there is always a response to start from.
      ...this.#base!,
      usage: this.#usage,
      ...fields,
      id: this.#id,
      created_at: this.#created!,
      output: this.#output,
    };
    return { type: terminalType(response) ?? "response.failed", sequence_number: ++this.#last, response };
  }

  #rewrite(batch: readonly ResponseEvent[]): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    for (const event of batch) {
      if (!isLifecycle(event)) {
        const copy = moved(event, this.#shift!, this.#offset);
        this.#last = copy.sequence_number;
        out.push(copy);
      } else if (this.#opens && !isTerminal(event)) out.push(this.#opening(event));
      else this.#leaveOut(event);
    }
    return out;
  }

  #opening(event: Lifecycle): ResponseEvent {
    const response = (this.#base = { ...event.response, id: this.#id });
    this.#created ??= response.created_at;
    this.#last = event.sequence_number;
    return { ...event, response };
  }

  /** What follows an event that is left out takes its number. */
  #leaveOut(event: Lifecycle): void {
    this.#shift = this.#last - event.sequence_number;
    if (!isTerminal(event)) return;
    const { response } = event;
    this.#ended = this.#base = response;
    this.#output.push(...response.output);
    if (response.usage) this.#usage = this.#usage ? addUsage(this.#usage, response.usage) : response.usage;
  }
}

/** The same event at another place; a copy, since a middleware may have kept the event. */
function moved(event: ResponseEvent, shift: number, offset: number): ResponseEvent {
  const copy: ResponseEvent & { output_index?: unknown } = { ...event };
  copy.sequence_number += shift;
  if (typeof copy.output_index === "number") copy.output_index += offset;
  return copy;
}

/** How a run ends that was stopped or broke, as fields of its response. */
export const endOf = (error: AntiphonError): Partial<ResponseResource> =>
  error.code === "ABORTED"
    ? { status: "incomplete", incomplete_details: { reason: "cancelled" }, completed_at: null }
    : { status: "failed", error: responseError(error), incomplete_details: null, completed_at: null };

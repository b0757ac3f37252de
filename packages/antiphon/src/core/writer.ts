import type {
  Annotation,
  CreateResponse,
  HostedEventType,
  Item,
  LogProb,
  Message,
  Reasoning,
  ResponseEvent,
  ResponseResource,
  StreamError,
} from "../model/index.ts";
import { isObject } from "../model/guards.ts";
import { blankResponse } from "./blank-response.ts";
import { closePart, closeSlot, closeSummary, strandDelta, type FinalStatus } from "./close.ts";
import type { AntiphonError } from "./error.ts";
import { expandItem } from "./expand.ts";
import { closeAll, interrupt } from "./interrupt.ts";
import { checkArgument } from "./options.ts";
import { Reducer } from "./reduce.ts";
import type { RawPieces } from "./raw-pieces.ts";
import { joinRun, RawRun } from "./runs.ts";
import type { Slot } from "./slot.ts";
import { blankPart, strandOf } from "./strands.ts";

/** Where a writer's ids and times come from, and what it answers. */
export interface WriterContext {
  request: CreateResponse;
  newId(prefix: string): string;
  now(): number;
  /** Whether pieces of a text that are written one after the other, before `drain`, are told as one event. */
  runs?: boolean | undefined;
}

/** How a response ends. */
export interface Finish {
  status: "completed" | "incomplete";
  /** For an incomplete one: `max_output_tokens`, `content_filter`, … */
  reason?: string;
}

/** The events that tell how far a server-side tool is. */
export type StageEventType = Extract<
  HostedEventType,
  `response.${string}.${"in_progress" | "searching" | "interpreting" | "generating" | "completed" | "failed"}`
>;

/** What is known when a call begins; fields beyond these are kept. */
export interface CallStart {
  call_id: string;
  name: string;
  id?: string;
  namespace?: string;
}

/**
 * Writes a valid event sequence from calls such as `text` and `finish`. Decoders of other wire formats use it.
 * Several items may be open at once, told apart by a key of the caller's. It folds its own events, so the terminal
 * response is the fold.
 *
 * @example
 * const writer = new Writer(ctx);
 * writer.text("Hel"); writer.text("lo"); writer.finish({ status: "completed" });
 * const events = writer.drain();
 */
export class Writer {
  readonly #ctx: WriterContext;
  readonly #fold = new Reducer();
  readonly #keys = new Map<string, number>();
  #out: ResponseEvent[] | undefined;
  #next = 0;
  #started = false;
  #finished = false;
  #response: ResponseResource;

  constructor(ctx: WriterContext) {
    const isContext = isObject(ctx) && typeof ctx.newId === "function" && typeof ctx.now === "function";
    checkArgument("Writer", "a context with `request`, `newId` and `now`", isContext, ctx);
    this.#ctx = ctx;
    this.#response = blankResponse(ctx.newId("resp"), ctx.now(), ctx.request);
  }

  /** The events since the last call. */
  drain(): ResponseEvent[] {
    const out = this.#out ?? [];
    this.#out = undefined;
    return out;
  }

  /** Whether the terminal event was written. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Whether an item was begun. */
  get hasOutput(): boolean {
    return this.#fold.slots.length > 0;
  }

  /** The items so far. */
  get items(): readonly Item[] {
    return this.#fold.items;
  }

  /** Sets fields of the response: model, usage, service tier, id. Those that lifecycle events show are best set before the first verb. */
  response(fields: Partial<ResponseResource>): void {
    // A copy that is written over is made in a tenth of the time that two spreads take.
    this.#response = Object.assign({ ...this.#response }, fields);
  }

  /** Opens the response; every other verb does so by itself. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    const response = { ...this.#response, output: [] };
    this.#emit({ type: "response.created", sequence_number: 0, response });
    this.#emit({ type: "response.in_progress", sequence_number: 0, response });
  }

  /** More text for the user. Without a key it ends the thinking that is open without one. */
  text(delta: string, key?: string, logprobs?: LogProb[]): void {
    this.#say("output_text", delta, this.#message(key), logprobs);
  }

  /** Several pieces of text for the user at once, told as one event: only where runs may be told. */
  texts(pieces: RawPieces): void {
    const output_index = this.#message();
    const { id } = this.#fold.slots[output_index]!.item;
    const content_index = this.#part("output_text", output_index);
    const place = { item_id: id, output_index, content_index };
    const type = deltaOf.output_text;
    this.#fold.push({ type, sequence_number: 0, ...place, delta: pieces.text });
    const first = { type, sequence_number: this.#next, ...place, delta: "" };
    this.#next += pieces.count;
    (this.#out ??= []).push(new RawRun(first, pieces));
  }

  /** More of a refusal. */
  refusal(delta: string, key?: string): void {
    this.#say("refusal", delta, this.#message(key));
  }

  /** More raw reasoning. Without a key it ends the message that is open without one. */
  reasoning(delta: string, key?: string): void {
    this.#say("reasoning_text", delta, this.#thinking(key));
  }

  /** More of a reasoning summary. */
  summary(delta: string, key?: string): void {
    const index = this.#thinking(key);
    const slot = this.#fold.slots[index]!;
    const at = slot.summaries.lastIndexOf("open");
    const summary_index = at === -1 ? slot.summaries.length : at;
    const ids = { item_id: slot.item.id, output_index: index, summary_index };
    if (at === -1)
      this.#emit({
        type: "response.reasoning_summary_part.added",
        sequence_number: 0,
        ...ids,
        part: { type: "summary_text", text: "" },
      });
    if (delta) this.#emit({ type: "response.reasoning_summary_text.delta", sequence_number: 0, ...ids, delta });
  }

  /** The next text, refusal, reasoning or summary under this key begins a new part. */
  nextPart(key: string): void {
    const index = this.#keys.get(key);
    const slot = index === undefined ? undefined : this.#fold.open(index);
    if (index === undefined || !slot) return;
    slot.parts.forEach((_, part) => closePart(slot, index, part).forEach((event) => this.#emit(event)));
    slot.summaries.forEach((_, part) => closeSummary(slot, index, part).forEach((event) => this.#emit(event)));
  }

  /** The last part of the open message refers to something. */
  annotate(annotation: Annotation, key?: string): void {
    const index = this.#message(key);
    if (!this.#fold.slots[index]!.parts.includes("open")) this.#say("output_text", "", index);
    const slot = this.#fold.slots[index]!;
    const content_index = slot.parts.lastIndexOf("open");
    const part = slot.item.type === "message" ? slot.item.content[content_index] : undefined;
    const annotation_index = part?.type === "output_text" ? part.annotations.length : 0;
    const ids = { item_id: slot.item.id, output_index: index, content_index };
    this.#emit({ type: "response.output_text.annotation.added", sequence_number: 0, ...ids, annotation_index, annotation });
  }

  /** A function call begins. */
  call(key: string, start: CallStart): void {
    this.#open(key, { id: this.#ctx.newId("fc"), ...start, type: "function_call", arguments: "", status: "in_progress" });
  }

  /** A call of a free-form tool begins. */
  customCall(key: string, start: CallStart): void {
    this.#open(key, { id: this.#ctx.newId("ctc"), ...start, type: "custom_tool_call", input: "", status: "in_progress" });
  }

  /** More of a call's arguments, a free-form call's input or an interpreter's code. */
  args(key: string, delta: string): void {
    const index = this.#keys.get(key);
    const slot = index === undefined ? undefined : this.#fold.open(index);
    const strand = slot && strandOf.get(slot.item.type);
    if (delta && slot && strand?.place === "item")
      this.#emit(strandDelta(strand, { item_id: slot.item.id, output_index: index }, delta));
  }

  /** Begins an item of any other kind, to be changed by `set` and ended by `close`. */
  open(key: string, item: Item): void {
    this.#open(key, item);
  }

  /** Sets fields of an open item that no event streams, such as `encrypted_content`; `output_item.done` shows them. */
  set(key: string, fields: object): void {
    const index = this.#keys.get(key);
    const slot = index === undefined ? undefined : this.#fold.open(index);
    if (slot) slot.item = { ...slot.item, ...fields };
  }

  /** How far an open server-side tool is. */
  stage(key: string, type: StageEventType): void {
    const index = this.#keys.get(key);
    const slot = index === undefined ? undefined : this.#fold.open(index);
    if (index === undefined || !slot) return;
    this.#emit({ type, sequence_number: 0, item_id: slot.item.id, output_index: index });
  }

  /** Whether an item is open under a key. */
  isOpen(key: string): boolean {
    const index = this.#keys.get(key);
    return index !== undefined && this.#fold.open(index) !== undefined;
  }

  /** An item is final. */
  close(key: string, status: FinalStatus = "completed"): void {
    const index = this.#keys.get(key);
    const slot = index === undefined ? undefined : this.#fold.open(index);
    if (index === undefined || !slot) return;
    closeSlot(slot, index, status).forEach((event) => this.#emit(event));
    this.#keys.delete(key);
  }

  /** A whole item at once. */
  item(item: Item): void {
    this.start();
    expandItem(item, this.#fold.slots.length).forEach((event) => this.#emit(event));
  }

  /** The answer ends: what is open is closed, and the terminal event carries the fold. */
  finish({ status, reason }: Finish): void {
    if (this.#finished) return;
    this.start();
    this.#adopt(closeAll(this.#fold, status));
    const response: ResponseResource = {
      ...this.#response,
      status,
      completed_at: status === "completed" ? this.#ctx.now() : null,
      incomplete_details: status === "incomplete" ? { reason: reason ?? "unknown" } : null,
      output: this.#fold.items,
    };
    this.#emit({ type: `response.${status}`, sequence_number: 0, response });
    this.#finished = true;
  }

  /** Something went wrong; `fail` follows. */
  error(error: StreamError): void {
    this.start();
    this.#emit({ type: "error", sequence_number: 0, error });
  }

  /** The answer breaks off: the terminal event keeps what had come. */
  fail(error: AntiphonError): void {
    if (this.#finished) return;
    this.start();
    this.#fold.base = { ...this.#response, output: [] };
    this.#adopt(interrupt(this.#fold, this.#ctx.request, error));
    this.#finished = true;
  }

  #message(key?: string): number {
    if (key === undefined) this.close("reasoning");
    return this.#openAt(key ?? "message") ?? this.#open(key ?? "message", blankMessage(this.#ctx.newId("msg")));
  }

  #thinking(key?: string): number {
    if (key === undefined) this.close("message");
    return this.#openAt(key ?? "reasoning") ?? this.#open(key ?? "reasoning", blankReasoning(this.#ctx.newId("rs")));
  }

  #openAt(key: string): number | undefined {
    const index = this.#keys.get(key);
    return index !== undefined && this.#fold.open(index) ? index : undefined;
  }

  #open(key: string, item: Item): number {
    this.start();
    const output_index = this.#fold.slots.length;
    this.#keys.set(key, output_index);
    this.#emit({ type: "response.output_item.added", sequence_number: 0, output_index, item });
    return output_index;
  }

  /** Most calls add to the part that is open: they cost one event and no copy. */
  #say(type: "output_text" | "refusal" | "reasoning_text", delta: string, output_index: number, logprobs?: LogProb[]): void {
    const content_index = this.#part(type, output_index);
    if (!delta && !logprobs?.length) return;
    const item_id = this.#fold.slots[output_index]!.item.id;
    const event = { type: deltaOf[type], sequence_number: 0, item_id, output_index, content_index, delta };
    this.#emit(logprobs?.length ? { ...event, logprobs } : event);
  }

  /** Where the open part of this type is; another is closed, and where there is none, it begins. */
  #part(type: "output_text" | "refusal" | "reasoning_text", output_index: number): number {
    const slot = this.#fold.slots[output_index]!;
    const content = slot.item.type === "message" || slot.item.type === "reasoning" ? slot.item.content : undefined;
    const last = slot.parts.length - 1;
    const fits = slot.parts[last] === "open" && content?.[last]?.type === type;
    if (!fits) this.#openPart(type, slot, output_index);
    return slot.parts.length - 1;
  }

  #openPart(type: string, slot: Slot, output_index: number): void {
    slot.parts.forEach((_, index) => closePart(slot, output_index, index).forEach((event) => this.#emit(event)));
    const content_index = slot.parts.length;
    const part = blankPart(type);
    this.#emit({
      type: "response.content_part.added",
      sequence_number: 0,
      item_id: slot.item.id,
      output_index,
      content_index,
      part,
    });
  }

  // After the end the verbs still have somewhere to write to, but nothing is said any more.
  #emit(event: ResponseEvent): void {
    this.#fold.push(event);
    if (!this.#finished) this.#place(event);
  }

  /** Numbers events that were folded already. */
  #adopt(events: ResponseEvent[]): void {
    for (const event of events) this.#place(event);
  }

  #place(event: ResponseEvent): void {
    event.sequence_number = this.#next++;
    // Most values lead to one event, and a list that is made with it takes a fifth of the memory of one that grows.
    if (!this.#out) this.#out = [event];
    else if (!this.#ctx.runs || !joinRun(this.#out, event)) this.#out.push(event);
  }
}

const deltaOf = {
  output_text: "response.output_text.delta",
  refusal: "response.refusal.delta",
  reasoning_text: "response.reasoning.delta",
} as const;

const blankMessage = (id: string): Message => ({ type: "message", id, status: "in_progress", role: "assistant", content: [] });
const blankReasoning = (id: string): Reasoning => ({ type: "reasoning", id, status: "in_progress", summary: [] });

import { strandText } from "../../core/close.ts";
import { AntiphonError } from "../../core/error.ts";
import { expandItem, terminalType } from "../../core/expand.ts";
import { closeAll, interrupt } from "../../core/interrupt.ts";
import type { Repair } from "../../core/loss.ts";
import type { Slot } from "../../core/slot.ts";
import { strandOf, strandOfDelta, strandOfDone, type Strand } from "../../core/strands.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Item, ResponseEvent, ResponseResource } from "../../model/index.ts";
import type { Ctx, Decoder, StreamPosition } from "../codec.ts";
import { AlikeEvents } from "../shared/alike.ts";
import { alikeDeltas } from "./alike-deltas.ts";
import { catchUp, catchUpText, holderAt, itemTypeOf, openPart, stateAt, type Place } from "./catch-up.ts";
import { blankItem, completeItem, completePart, completeResponse } from "./complete.ts";
import { errorIn, readVendorError } from "./decode-error.ts";
import { Track } from "./track.ts";

/** An event as it came: an object with a type. What else is read of it is checked first; the rest is passed on. */
interface Raw extends JsonObject {
  type: string;
  output_index?: unknown;
  item_id?: unknown;
  delta?: unknown;
}
type Arm = (decoder: StreamDecoder, event: Raw) => void;

const partFields = ["content_index", "summary_index"] as const;
type PartField = (typeof partFields)[number];
const partKey = (event: Raw, field: PartField): string => `${String(event.output_index)} ${field} ${String(event[field])}`;

const isEvent = (value: unknown): value is Raw => isObject(value) && typeof value["type"] === "string";
const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Event names of OpenAI and older servers, mapped to those of the specification. */
export const renamedEvents: ReadonlyMap<string, string> = new Map([
  ["response.reasoning_text.delta", "response.reasoning.delta"],
  ["response.reasoning_text.done", "response.reasoning.done"],
  ["response.output_text_annotation.added", "response.output_text.annotation.added"],
  ["response.text.delta", "response.output_text.delta"],
  ["response.text.done", "response.output_text.done"],
  ["response.done", "response.completed"],
]);

/**
 * Nearly the identity: a lawful stream comes out as the very objects that went in. What a server left out or misnamed is put
 * right, and `repairs` counts it.
 */
export class StreamDecoder implements Decoder {
  readonly #ctx: Ctx;
  readonly #track: Track;
  readonly #alike = new AlikeEvents(alikeDeltas);
  /** New indices of items whose own index left a gap. */
  readonly #moved = new Map<number, number>();
  /** The same for parts, by `partKey`. */
  readonly #movedParts = new Map<string, number>();
  #error: Raw | undefined;
  #ended = false;
  #skipped = false;
  // Deltas come in runs of one type: remembering the last arm saves hashing its name again.
  #type = "";
  #name: string | undefined;
  #arm: Arm = other;

  constructor(ctx: Ctx, from?: StreamPosition) {
    this.#ctx = ctx;
    this.#track = new Track(from);
  }

  get repairs(): Repair[] {
    return this.#track.repairs;
  }

  /** Counts something that had to be put right. */
  get report(): (rule: string) => void {
    return this.#track.report;
  }

  parse(text: string): unknown {
    return this.#alike.parse(text);
  }

  push(value: unknown): ResponseEvent[] {
    const out = this.#track.begin();
    if (!isEvent(value) || this.#ended) {
      this.#track.report(this.#ended ? "after-terminal" : "not-an-event");
      return out;
    }
    if (value.type !== this.#type) {
      this.#type = value.type;
      this.#name = renamedEvents.get(value.type);
      this.#arm = StreamDecoder.#arms.get(this.#name ?? value.type) ?? other;
    }
    if (this.#name !== undefined) value.type = this.#name;
    if (!this.#track.follows(value["sequence_number"])) this.#track.hear(value["sequence_number"]);
    if (this.#moved.size > 0 || this.#movedParts.size > 0) this.#move(value);
    this.#arm(this, value);
    return out;
  }

  end(): ResponseEvent[] {
    return this.fail(new AntiphonError("TRUNCATED", "The stream ended before its terminal event."));
  }

  fail(error: AntiphonError): ResponseEvent[] {
    const out = this.#track.begin();
    if (this.#ended) return out;
    this.#open();
    const told = this.#error && errorIn(this.#error);
    const { provider, requestId } = error;
    this.#track.adopt(interrupt(this.#track.fold, this.#ctx.request, told ? told.with({ provider, requestId }) : error));
    this.#ended = true;
    return out;
  }

  /** Takes note of whole items that were passed on unread; all that may follow is the terminal event, which tells them again. */
  skip(events: number): void {
    this.#track.skip(events);
    this.#skipped = true;
  }

  static readonly #arms: ReadonlyMap<string, Arm> = new Map<string, Arm>([
    ["response.created", (decoder, event) => decoder.#lifecycle(event)],
    ["response.queued", (decoder, event) => decoder.#lifecycle(event)],
    ["response.in_progress", (decoder, event) => decoder.#lifecycle(event)],
    ["response.completed", (decoder, event) => decoder.#finish(event)],
    ["response.incomplete", (decoder, event) => decoder.#finish(event)],
    ["response.failed", (decoder, event) => decoder.#finish(event)],
    ["response.cancelled", (decoder, event) => decoder.#finish(event)],
    ["error", (decoder, event) => decoder.#fault(event)],
    ["response.output_item.added", (decoder, event) => decoder.#addItem(event)],
    ["response.output_item.done", (decoder, event) => decoder.#closeItem(event)],
    ["response.content_part.added", (decoder, event) => decoder.#addPart(event, "content_index")],
    ["response.content_part.done", (decoder, event) => decoder.#closePart(event)],
    ["response.reasoning_summary_part.added", (decoder, event) => decoder.#addPart(event, "summary_index")],
    ["response.reasoning_summary_part.done", (decoder, event) => decoder.#closePart(event)],
    ["response.output_text.annotation.added", (decoder, event) => decoder.#annotate(event)],
    ...[...strandOfDelta].map(([type, strand]): [string, Arm] => [type, (decoder, event) => decoder.#delta(event, strand)]),
    ...[...strandOfDone].map(([type, strand]): [string, Arm] => [type, (decoder, event) => decoder.#say(event, strand)]),
  ]);

  /** Any event that neither opens nor closes nor feeds anything, known or not. */
  other(event: Raw): void {
    this.#open();
    const slot = typeof event.output_index === "number" ? this.#track.fold.slots[event.output_index] : undefined;
    if (slot && event.item_id !== undefined) this.#rename(event, slot);
    this.#pass(event);
  }

  /** Sends on an event that was checked as far as the fold reads it. */
  #pass(event: Raw): void {
    this.#track.emit(event as unknown as ResponseEvent);
  }

  /** Opens the response where the server forgot to. */
  #open(response?: ResponseResource): void {
    if (this.#track.fold.base) return;
    this.#track.report("created-missing");
    const begun = response ?? completeResponse({}, this.#ctx, () => {});
    this.#track.emitFirst({ type: "response.created", sequence_number: 0, response: begun });
  }

  #response(event: Raw): ResponseResource {
    const { base } = this.#track.fold;
    // Told again, it is complete already.
    if (base !== undefined && event["response"] === base) return base;
    const response = completeResponse(event["response"], this.#ctx, this.#track.report);
    if (base !== undefined && response.id !== base.id) {
      response.id = base.id;
      this.#track.report("response-id");
    }
    event["response"] = response;
    return response;
  }

  #lifecycle(event: Raw): void {
    const response = this.#response(event);
    if (event.type !== "response.created") this.#open(response);
    this.#pass(event);
  }

  #fault(event: Raw): void {
    this.#open();
    const { code = null, type, message, param = null } = readVendorError(event);
    const nested = isObject(event["error"]);
    const inner = objectIn(event["error"]);
    if (!nested) for (const field of ["code", "message", "param"]) delete event[field];
    event["error"] = { ...inner, type: type && type !== "error" ? type : "server_error", code, message: message ?? "", param };
    this.#error = event;
    this.#pass(event);
  }

  #finish(event: Raw): void {
    const { report } = this.#track;
    const response = this.#response(event);
    this.#open({ ...response, status: "in_progress", output: [], usage: null });
    this.#settle(event, response);
    const items = response.output.map((item) => completeItem(objectIn(item), this.#ctx, report));
    response.output = items;
    if (!this.#skipped) this.#settleItems(response);
    this.#pass(event);
    this.#ended = true;
  }

  /** Says what the terminal event holds and nobody streamed, and closes what is open. */
  #settleItems(response: ResponseResource): void {
    const { fold, report } = this.#track;
    const items = response.output;
    items.forEach((item, index) => this.#settleItem(item, index));
    this.#track.adopt(closeAll(fold, response.status === "completed" ? "completed" : "incomplete"));
    if (items.length >= fold.slots.length && this.#moved.size === 0) return;
    response.output = fold.items;
    report("terminal-output");
  }

  /** Makes the terminal event's name, its response's status and its reason agree. */
  #settle(event: Raw, response: ResponseResource): void {
    if (event.type === "response.cancelled") response.status = "cancelled";
    const named = terminalType(response);
    if (named) event.type = named;
    else response.status = event.type.slice("response.".length) as ResponseResource["status"];
    if (response.status === "cancelled") response.incomplete_details ??= { reason: "cancelled" };
    if (response.status === "incomplete") response.incomplete_details ??= { reason: "unknown" };
    if (response.status === "failed" && !response.error) {
      const { code, message } = readVendorError(this.#error ?? {});
      response.error = {
        code: code ?? "server_error",
        message: message ?? "The response failed, and the provider gave no reason.",
      };
    }
  }

  #settleItem(item: Item, at: number): void {
    const { slots } = this.#track.fold;
    const same = this.#moved.size > 0 ? slots.findIndex((slot) => slot?.item.id === item.id) : at;
    const index = same === -1 ? slots.length : same;
    const slot = slots[index];
    if (!slot) {
      this.#track.report("item-not-streamed");
      for (const event of expandItem(item, index)) this.#track.emit(event);
    } else if (slot.open) {
      this.#track.report("item-not-done");
      this.#closeItem({ type: "response.output_item.done", output_index: index, item });
    } else if (item.id !== slot.item.id) {
      item.id = slot.item.id;
      this.#track.report("item-id");
    }
  }

  #move(event: Raw): void {
    const index = this.#moved.get(event.output_index as number);
    if (index !== undefined) event.output_index = index;
    for (const field of partFields) {
      const part = this.#movedParts.get(partKey(event, field));
      if (part !== undefined) event[field] = part;
    }
  }

  /** Gives a part the next free index if its own leaves a gap. */
  #closeGap(event: Raw, field: PartField, next: number): void {
    if ((event[field] as number) <= next) return;
    this.#movedParts.set(partKey(event, field), next);
    this.#track.report("part-index");
    event[field] = next;
  }

  #index(event: Raw): number {
    if (typeof event.output_index === "number") return event.output_index;
    this.#track.report("output-index");
    const { slots } = this.#track.fold;
    const same = slots.findIndex((slot) => slot?.item.id === event.item_id);
    const open = slots.findLastIndex((slot) => slot?.open);
    const index = [same, open].find((guess) => guess !== -1) ?? slots.length;
    event.output_index = index;
    return index;
  }

  #rename(event: Raw, slot: Slot): void {
    if (event.item_id === slot.item.id) return;
    event.item_id = slot.item.id;
    this.#track.report("item-id");
  }

  #addItem(event: Raw): void {
    this.#open();
    const next = this.#track.fold.slots.length;
    const index = typeof event.output_index === "number" ? event.output_index : next;
    if (index < next) return this.#track.report("item-added-twice");
    if (index > next) {
      this.#moved.set(index, next);
      this.#track.report("output-index");
    }
    event.output_index = next;
    event["item"] = completeItem(objectIn(event["item"]), this.#ctx, this.#track.report);
    this.#pass(event);
  }

  /** The open slot that an event speaks of, made where the server forgot to; nothing where it is done. */
  #slot(event: Raw, type: string): Slot | undefined {
    const index = this.#index(event);
    if (!this.#track.fold.slots[index]) {
      this.#track.report("item-not-added");
      this.#addItem({ type: "response.output_item.added", output_index: index, item: blankItem(type, event.item_id) });
      this.#move(event);
    }
    return this.#track.fold.open(event.output_index as number);
  }

  #closeItem(event: Raw): void {
    const item = completeItem(objectIn(event["item"]), this.#ctx, this.#track.report);
    event["item"] = item;
    const index = this.#index(event);
    if (!this.#track.fold.slots[index]) {
      this.#open();
      this.#track.report("item-not-added");
      for (const made of expandItem(item, this.#track.fold.slots.length)) this.#track.emit(made);
      return;
    }
    const slot = this.#track.fold.open(index);
    if (!slot) return this.#track.report("item-done-twice");
    if (item.id !== slot.item.id) {
      item.id = slot.item.id;
      this.#track.report("item-id");
    }
    catchUp(this.#track, slot, index, item);
    this.#pass(event);
  }

  #addPart(event: Raw, field: PartField): void {
    const summary = field === "summary_index";
    const part = completePart({ type: summary ? "summary_text" : "output_text", ...objectIn(event["part"]) }, this.#track.report);
    event["part"] = part;
    const slot = this.#slot(event, summary || part.type === "reasoning_text" ? "reasoning" : "message");
    if (!slot) return this.#track.report("part-after-done");
    const states = summary ? slot.summaries : slot.parts;
    if (typeof event[field] !== "number") event[field] = states.length;
    if (states[event[field] as number] !== undefined) return this.#track.report("part-added-twice");
    this.#closeGap(event, field, states.length);
    this.#rename(event, slot);
    this.#pass(event);
  }

  /** Finds, or makes, the place that a strand's event speaks of. */
  #place(event: Raw, strand: Strand): { slot: Slot; place: Place } | undefined {
    const slot = this.#slot(event, itemTypeOf(strand));
    if (!slot) return undefined;
    this.#rename(event, slot);
    const place: Place = { item_id: slot.item.id, output_index: event.output_index as number };
    if (strand.place !== "item") {
      const field = strand.place === "summary" ? "summary_index" : "content_index";
      const count = (strand.place === "summary" ? slot.summaries : slot.parts).length;
      if (typeof event[field] !== "number") event[field] = Math.max(0, count - 1);
      this.#closeGap(event, field, count);
      place[field] = event[field] as number;
    }
    if (stateAt(slot, place) === undefined) openPart(this.#track, strand, place);
    return { slot, place };
  }

  #delta(event: Raw, strand: Strand): void {
    if (typeof event.delta !== "string") return this.#track.report("delta-not-text");
    const slot = this.#track.fold.slots[event.output_index as number];
    const lawful = slot?.open && event.item_id === slot.item.id && stateAt(slot, event as Partial<Place>) === "open";
    if (!lawful) {
      const found = this.#place(event, strand);
      if (!found || stateAt(found.slot, found.place) !== "open") return this.#track.report("delta-after-done");
    }
    this.#pass(event);
  }

  #say(event: Raw, strand: Strand): void {
    const found = this.#place(event, strand);
    if (!found || stateAt(found.slot, found.place) !== "open") return this.#track.report("done-twice");
    const holder = holderAt(found.slot, found.place);
    if (typeof event[strand.field] !== "string") event[strand.field] = holder ? strandText(holder, strand) : "";
    catchUpText(this.#track, found.slot, strand, found.place, event[strand.field] as string);
    this.#pass(event);
  }

  #closePart(event: Raw): void {
    const part = completePart(objectIn(event["part"]), this.#track.report);
    const strand = strandOf.get(part.type);
    if (!strand) return this.#pass(event);
    const found = this.#place(event, strand);
    const state = found && stateAt(found.slot, found.place);
    if (!found || state === "closed") return this.#track.report("part-done-twice");
    if (state === "open") {
      this.#track.report("done-missing");
      this.#say({ type: strand.done, ...found.place, [strand.field]: strandText(part, strand) }, strand);
    }
    this.#pass(event);
  }

  #annotate(event: Raw): void {
    if (this.#place(event, strandOf.get("output_text")!)) this.#pass(event);
    else this.#track.report("annotation-after-done");
  }
}

const other: Arm = (decoder, event) => decoder.other(event);

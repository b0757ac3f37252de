import type { Item, ResponseEvent } from "../model/index.ts";
import { contentOf, copyItem, copyPart, summaryOf, type Slot } from "./slot.ts";
import { strandOf, type Strand } from "./strands.ts";

/** An item's final status. */
export type FinalStatus = "completed" | "incomplete";

/** The string that a strand's holder has. */
export function strandText(holder: object, strand: Strand): string {
  const value = Reflect.get(holder, strand.field);
  return typeof value === "string" ? value : "";
}

// The strand table pairs each event name with its one field, which is more than the type system can follow.
const said = (strand: Strand, ids: object, text: string): ResponseEvent =>
  ({ type: strand.done, sequence_number: 0, ...ids, [strand.field]: text }) as ResponseEvent;

/** A piece of a strand's string. */
export const strandDelta = (strand: Strand, ids: object, delta: string): ResponseEvent =>
  ({ type: strand.delta, sequence_number: 0, ...ids, delta }) as ResponseEvent;

const itemIds = (slot: Slot, output_index: number) => ({ item_id: slot.item.id, output_index });

/** What is still to be said before one content part is closed. */
export function closePart(slot: Slot, output_index: number, content_index: number): ResponseEvent[] {
  const state = slot.parts[content_index];
  const part = contentOf(slot.item)?.[content_index];
  if (!part || state === undefined || state === "closed") return [];
  const ids = { ...itemIds(slot, output_index), content_index };
  const strand = strandOf.get(part.type);
  const done: ResponseEvent = { type: "response.content_part.done", sequence_number: 0, ...ids, part: copyPart(part) };
  return strand && state === "open" ? [said(strand, ids, strandText(part, strand)), done] : [done];
}

/** What is still to be said before one summary paragraph is closed. */
export function closeSummary(slot: Slot, output_index: number, summary_index: number): ResponseEvent[] {
  const state = slot.summaries[summary_index];
  const part = summaryOf(slot.item)?.[summary_index];
  if (!part || state === undefined || state === "closed") return [];
  const ids = { ...itemIds(slot, output_index), summary_index };
  const done: ResponseEvent = { type: "response.reasoning_summary_part.done", sequence_number: 0, ...ids, part: copyPart(part) };
  const text: ResponseEvent = { type: "response.reasoning_summary_text.done", sequence_number: 0, ...ids, text: part.text };
  return state === "open" ? [text, done] : [done];
}

/** What is still to be said before an item's `output_item.done`. */
export function closeParts(slot: Slot, output_index: number): ResponseEvent[] {
  const events = [
    ...slot.summaries.flatMap((_, index) => closeSummary(slot, output_index, index)),
    ...slot.parts.flatMap((_, index) => closePart(slot, output_index, index)),
  ];
  const strand = strandOf.get(slot.item.type);
  if (strand?.place === "item" && !slot.said)
    events.push(said(strand, itemIds(slot, output_index), strandText(slot.item, strand)));
  return events;
}

/** Everything that is still to be said of an open item, `output_item.done` last. */
export function closeSlot(slot: Slot, output_index: number, status: FinalStatus): ResponseEvent[] {
  const item = withStatus(copyItem(slot.item), status);
  return [...closeParts(slot, output_index), { type: "response.output_item.done", sequence_number: 0, output_index, item }];
}

// Some items have no status on their wire, and a failed tool call is final though its answer goes on: only an interruption
// is worth telling of these.
function withStatus(item: Item, status: FinalStatus): Item {
  if (status === "completed" && (item.status == null || item.status === "failed")) return item;
  return { ...item, status };
}

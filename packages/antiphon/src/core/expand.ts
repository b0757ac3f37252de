import type { Item, ResponseEvent, ResponseResource } from "../model/index.ts";
import { closePart, closeParts, closeSummary, strandDelta, strandText } from "./close.ts";
import { checkResponse } from "./options.ts";
import { copyPart, openSlot, type Slot } from "./slot.ts";
import { blankPart, strandOf } from "./strands.ts";

/**
 * Returns the events that would stream a response: `reduce(expand(response))` equals the response. A response that is
 * still queued or at work has no terminal event.
 */
export function expand(response: ResponseResource): ResponseEvent[] {
  checkResponse("expand", response);
  const status = response.status === "queued" ? "queued" : "in_progress";
  const begun: ResponseResource = {
    ...response,
    status,
    completed_at: null,
    incomplete_details: null,
    error: null,
    output: [],
    usage: null,
  };
  const events: ResponseEvent[] = [
    { type: "response.created", sequence_number: 0, response: begun },
    { type: `response.${status}`, sequence_number: 0, response: begun },
    ...response.output.flatMap(expandItem),
  ];
  const end = terminalType(response);
  if (end) events.push({ type: end, sequence_number: 0, response });
  events.forEach((event, index) => (event.sequence_number = index));
  return events;
}

/** The terminal event that a finished response ends with. */
export function terminalType({
  status,
}: ResponseResource): "response.completed" | "response.incomplete" | "response.failed" | undefined {
  if (status === "completed" || status === "failed") return `response.${status}`;
  return status === "incomplete" || status === "cancelled" ? "response.incomplete" : undefined;
}

/** The events that tell one finished item. */
export function expandItem(item: Item, output_index: number): ResponseEvent[] {
  const slot = openSlot(item);
  const ids = { item_id: item.id, output_index };
  const events: ResponseEvent[] = [
    { type: "response.output_item.added", sequence_number: 0, output_index, item: blankItem(item) },
  ];
  if (item.type === "reasoning") events.push(...item.summary.flatMap((_, index) => expandSummary(slot, ids, index)));
  if (item.type === "reasoning" || item.type === "message")
    events.push(...(item.content ?? []).flatMap((_, index) => expandPart(slot, ids, index)));
  const strand = strandOf.get(item.type);
  if (strand?.place === "item" && strandText(item, strand)) events.push(strandDelta(strand, ids, strandText(item, strand)));
  events.push(...closeParts(slot, output_index), { type: "response.output_item.done", sequence_number: 0, output_index, item });
  return events;
}

type Ids = { item_id: string; output_index: number };

function expandSummary(slot: Slot, ids: Ids, summary_index: number): ResponseEvent[] {
  const text = slot.item.type === "reasoning" ? (slot.item.summary[summary_index]?.text ?? "") : "";
  const at = { ...ids, summary_index };
  const events: ResponseEvent[] = [
    { type: "response.reasoning_summary_part.added", sequence_number: 0, ...at, part: { type: "summary_text", text: "" } },
  ];
  if (text) events.push({ type: "response.reasoning_summary_text.delta", sequence_number: 0, ...at, delta: text });
  slot.summaries[summary_index] = "open";
  events.push(...closeSummary(slot, ids.output_index, summary_index));
  slot.summaries[summary_index] = "closed";
  return events;
}

function expandPart(slot: Slot, ids: Ids, content_index: number): ResponseEvent[] {
  const part = slot.item.type === "message" || slot.item.type === "reasoning" ? slot.item.content?.[content_index] : undefined;
  if (!part) return [];
  const at = { ...ids, content_index };
  const strand = strandOf.get(part.type);
  const begun = strand ? blankPart(part.type) : copyPart(part);
  const events: ResponseEvent[] = [{ type: "response.content_part.added", sequence_number: 0, ...at, part: begun }];
  if (strand && strandText(part, strand)) events.push(strandDelta(strand, at, strandText(part, strand)));
  if (part.type === "output_text")
    part.annotations?.forEach((annotation, annotation_index) =>
      events.push({ type: "response.output_text.annotation.added", sequence_number: 0, ...at, annotation_index, annotation }),
    );
  slot.parts[content_index] = "open";
  events.push(...closePart(slot, ids.output_index, content_index));
  slot.parts[content_index] = "closed";
  return events;
}

/** The item as `output_item.added` shows it: what streams later is still empty. */
function blankItem(item: Item): Item {
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  if (item.type === "reasoning") {
    const { content: _, encrypted_content: __, ...rest } = item;
    return { ...rest, ...(item.status && { status: "in_progress" as const }), summary: [] };
  }
  const strand = strandOf.get(item.type);
  return strand?.place === "item" ? { ...item, ...(item.status && { status: "in_progress" }), [strand.field]: "" } : item;
}

import type { ContentPart, Item, MessageContent, ReasoningText, SummaryText } from "../model/index.ts";

/** How far a part has come: its text still grows, its text was said whole, or it is closed. */
export type PartState = "open" | "said" | "closed";

/** One place of a response's output while it is being written. */
export interface Slot {
  /** A copy that grows while the slot is open; the event's own item, never changed again, once it is closed. */
  item: Item;
  open: boolean;
  /** Whether the item's own string (arguments, input, code) was said whole. */
  said: boolean;
  parts: PartState[];
  summaries: PartState[];
}

/** A new slot around a copy of the item that opened it. */
export function openSlot(item: Item): Slot {
  return { item: copyItem(item), open: true, said: false, parts: [], summaries: [] };
}

/** A copy whose lists can grow without changing the item that it was made from. */
export function copyItem(item: Item): Item {
  const copy = { ...item };
  if (copy.type === "message") copy.content = copy.content.map(copyPart);
  if (copy.type === "reasoning") {
    copy.summary = copy.summary.map(copyPart);
    if (copy.content) copy.content = copy.content.map(copyPart);
  }
  return copy;
}

/** The same for a part. */
export function copyPart<P extends ContentPart | MessageContent>(part: P): P {
  const copy = { ...part };
  if (copy.type === "output_text") {
    copy.annotations = [...(copy.annotations ?? [])];
    if (copy.logprobs) copy.logprobs = [...copy.logprobs];
  }
  return copy;
}

/** The content list of an item, made where the item may have one. */
export function contentOf(item: Item): (MessageContent | ReasoningText)[] | undefined {
  if (item.type === "message") return item.content;
  if (item.type === "reasoning") return (item.content ??= []);
  return undefined;
}

/** The summary list of a reasoning item. */
export const summaryOf = (item: Item): SummaryText[] | undefined => (item.type === "reasoning" ? item.summary : undefined);

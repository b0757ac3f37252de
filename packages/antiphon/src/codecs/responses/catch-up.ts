import { closeParts, strandDelta, strandText } from "../../core/close.ts";
import { contentOf, summaryOf, type PartState, type Slot } from "../../core/slot.ts";
import { blankPart, strandOf, type Strand } from "../../core/strands.ts";
import type { Item, ResponseEvent } from "../../model/index.ts";
import type { Track } from "./track.ts";

/** Where a strand's string is: its item and, but for strings of the item itself, the index of its part. */
export interface Place {
  item_id: string;
  output_index: number;
  content_index?: number;
  summary_index?: number;
}

/** Returns the type of the items that hold a strand's string. */
export function itemTypeOf(strand: Strand): string {
  if (strand.place === "item") return strand.holder;
  return strand.holder === "output_text" || strand.holder === "refusal" ? "message" : "reasoning";
}

/** How far the string at a place has come; nothing where its part was never added. */
export function stateAt(slot: Slot, { content_index, summary_index }: Partial<Place>): PartState | undefined {
  if (content_index !== undefined) return slot.parts[content_index];
  if (summary_index !== undefined) return slot.summaries[summary_index];
  return slot.said ? "said" : "open";
}

/** The part, or the item, that holds the string at a place. */
export function holderAt(slot: Slot, { content_index, summary_index }: Place): object | undefined {
  if (content_index !== undefined) return contentOf(slot.item)?.[content_index];
  return summary_index === undefined ? slot.item : summaryOf(slot.item)?.[summary_index];
}

/** Opens a part that the server never announced. */
export function openPart(track: Track, strand: Strand, place: Place): void {
  track.report("part-not-added");
  const type = strand.place === "summary" ? "response.reasoning_summary_part.added" : "response.content_part.added";
  // The strand says which of the two events fits the place.
  track.emit({ type, sequence_number: 0, ...place, part: blankPart(strand.holder) } as ResponseEvent);
}

/** Streams what a whole string has beyond what was streamed of it. */
export function catchUpText(track: Track, slot: Slot, strand: Strand, place: Place, whole: string): void {
  const holder = holderAt(slot, place);
  const said = holder ? strandText(holder, strand) : "";
  if (said === whole) return;
  if (!whole.startsWith(said)) return track.report("deltas-differ");
  track.report("delta-missing");
  track.emit(strandDelta(strand, place, whole.slice(said.length)));
}

/** Says what a finished item holds and nobody streamed: whole parts, the ends of strings, the closing events. */
export function catchUp(track: Track, slot: Slot, output_index: number, item: Item): void {
  const ids = { item_id: slot.item.id, output_index };
  const content = item.type === "message" || item.type === "reasoning" ? (item.content ?? []) : [];
  summaryOf(item)?.forEach((part, summary_index) => catchUpPart(track, slot, { ...ids, summary_index }, part));
  content.forEach((part, content_index) => catchUpPart(track, slot, { ...ids, content_index }, part));
  const strand = strandOf.get(item.type);
  if (strand?.place === "item" && !slot.said) catchUpText(track, slot, strand, ids, strandText(item, strand));
  for (const event of closeParts(slot, output_index)) {
    track.report("done-missing");
    track.emit(event);
  }
}

function catchUpPart(track: Track, slot: Slot, place: Place, part: { type: string }): void {
  const strand = strandOf.get(part.type);
  if (!strand) return;
  if (stateAt(slot, place) === undefined) openPart(track, strand, place);
  if (stateAt(slot, place) === "open") catchUpText(track, slot, strand, place, strandText(part, strand));
}

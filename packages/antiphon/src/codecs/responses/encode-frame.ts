import type { RunEvent } from "../../model/index.ts";
import { eventJson } from "./event-json.ts";

/** The fields that deltas have; all but the last three are in every one. */
export interface Delta {
  type: string;
  sequence_number: number;
  item_id: string;
  output_index: number;
  delta: string;
  content_index?: number;
  summary_index?: number;
  logprobs?: readonly unknown[];
}
const leastFields = 5;

/** Pieces of a text as the encoder gives them on: the first in the words of the dialect. */
export interface DeltaRun {
  type: "antiphon:run";
  first: Delta;
  run: RunEvent;
}

/** What the encoder makes: events, and runs of deltas. */
export type Told = { type: string };

export const isDeltaRun = (told: Told): told is DeltaRun => told.type === "antiphon:run";

/** One event as a client reads it off the stream; of a run, all of its events. */
export function encodeFrame(value: unknown): string {
  // The encoder makes nothing else.
  const told = value as Told;
  if (isDeltaRun(told)) return encodeRun(told);
  if (!isDelta(told)) return `${headOf(told)}${eventJson(told)}\n\n`;
  const { before, between, after } = mouldFor(told);
  return before + told.sequence_number + between + JSON.stringify(told.delta) + after;
}

function encodeRun({ first, run: { deltas } }: DeltaRun): string {
  const { before, between, after } = mouldFor(first);
  let frames = "";
  for (let at = 0; at < deltas.length; at += 1)
    frames += before + (first.sequence_number + at) + between + JSON.stringify(deltas[at]) + after;
  return frames;
}

/** How a frame begins. */
export const headOf = ({ type }: { type: string }): string => `event: ${type}\ndata: `;

/** Whether an event is a delta with the usual fields and no others. */
export function isDelta(event: { type: string }): event is Delta {
  // Where nothing but deltas gets further, their fields are found in a fraction of the time.
  if (!event.type.endsWith(".delta")) return false;
  const { delta, item_id, sequence_number, output_index, content_index, summary_index, logprobs } = event as Partial<Delta>;
  if (typeof delta !== "string" || typeof item_id !== "string") return false;
  if (typeof sequence_number !== "number" || typeof output_index !== "number") return false;
  let left = leastFields;
  if (typeof content_index === "number") left += 1;
  else if (typeof summary_index === "number") left += 1;
  if (logprobs?.length === 0) left += 1;
  for (const _ in event) left -= 1;
  return left === 0;
}

/** All of a delta's frame but its number and its text. */
export interface Mould extends Pick<Delta, "type" | "item_id" | "output_index"> {
  content_index: number | undefined;
  summary_index: number | undefined;
  logged: boolean;
  before: string;
  between: string;
  after: string;
}

/**
 * The mould of the last delta. Most of a stream is deltas, those of one part come one after the other, and to put one together takes a
 * fifth of what `JSON.stringify` takes.
 */
let mould: Mould | undefined;

export const mouldFor = (event: Delta): Mould => (mould && fits(mould, event) ? mould : (mould = mouldOf(event)));

const fits = (mould: Mould, { type, item_id, output_index, content_index, summary_index, logprobs }: Delta): boolean =>
  mould.item_id === item_id &&
  mould.type === type &&
  mould.output_index === output_index &&
  mould.content_index === content_index &&
  mould.summary_index === summary_index &&
  mould.logged === (logprobs !== undefined);

function mouldOf({ type, item_id, output_index, content_index, summary_index, logprobs }: Delta): Mould {
  const logged = logprobs !== undefined;
  const place = { item_id, output_index, content_index, summary_index };
  return {
    type,
    ...place,
    logged,
    before: `event: ${type}\ndata: {"type":${JSON.stringify(type)},"sequence_number":`,
    between: `,${JSON.stringify(place).slice(1, -1)},"delta":`,
    after: logged ? ',"logprobs":[]}\n\n' : "}\n\n",
  };
}

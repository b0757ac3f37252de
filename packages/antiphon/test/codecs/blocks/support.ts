import { createBlockDecoder, createBlockEncoder, type BlockEvent } from "../../../src/codecs/blocks/index.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import type { CreateResponse, Item, Repair, ResponseEvent, ResponseResource } from "../../../src/index.ts";
import { testCtx } from "../../support/ctx.ts";

/** The blocks of an event sequence. */
export function encode(events: Iterable<ResponseEvent>): BlockEvent[] {
  const encoder = createBlockEncoder();
  return [...[...events].flatMap((event) => encoder.push(event)), ...encoder.end()];
}

/** The events of a block sequence, once it has gone over a wire as JSON. */
export function decode(blocks: Iterable<unknown>, request?: CreateResponse): ResponseEvent[] {
  return decodeWith(blocks, request).events;
}

/** The same, with what had to be put right. */
export function decodeWith(blocks: Iterable<unknown>, request?: CreateResponse): { events: ResponseEvent[]; repairs: Repair[] } {
  const decoder = createBlockDecoder(testCtx(request));
  const wire = JSON.parse(JSON.stringify([...blocks])) as unknown[];
  const events = [...wire.flatMap((block) => decoder.push(block)), ...decoder.end()];
  return { events, repairs: decoder.repairs };
}

/** A finished response that holds these items. */
export const response = (output: Item[], fields: Partial<ResponseResource> = {}): ResponseResource => ({
  ...blankResponse("resp_1", 1_700_000_000, { model: "test-model" }),
  status: "completed",
  completed_at: 1_700_000_000,
  output,
  ...fields,
});

/** An event without its number, for tables that are about order and content. */
export const bare = ({ sequence_number: _, ...event }: ResponseEvent): object => event;

export const types = (events: Iterable<{ type: string }>): string[] => [...events].map(({ type }) => type);

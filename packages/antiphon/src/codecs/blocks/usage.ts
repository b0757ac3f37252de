import type { Usage } from "../../model/index.ts";
import type { BlockUsage } from "./block-events.ts";

const figures = [
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
] as const;

/** What the usage events of a stream said so far. */
export type Tally = Partial<Record<(typeof figures)[number], number>> & { estimated?: boolean };

/** A usage as one block event. */
export const encodeUsage = (usage: Usage): BlockUsage => ({
  type: "usage",
  input_tokens: usage.input_tokens,
  output_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  cached_tokens: usage.input_tokens_details.cached_tokens,
  reasoning_tokens: usage.output_tokens_details.reasoning_tokens,
  ...(usage.input_tokens_details.cache_write_tokens !== undefined && {
    cache_write_tokens: usage.input_tokens_details.cache_write_tokens,
  }),
  ...(usage.estimated && { estimated: true as const }),
});

/** The tally after one more usage event: its figures count, its gaps don't. */
export function mergeUsage(tally: Tally, event: object): Tally {
  const merged: Tally = { ...tally, estimated: Reflect.get(event, "estimated") === true };
  for (const figure of figures) {
    const value: unknown = Reflect.get(event, figure);
    if (typeof value === "number") merged[figure] = value;
  }
  return merged;
}

/** The tally as a response carries it. */
export function decodeUsage(tally: Tally): Usage {
  const { input_tokens = 0, output_tokens = 0, cached_tokens = 0, cache_write_tokens, reasoning_tokens = 0 } = tally;
  return {
    input_tokens,
    output_tokens,
    total_tokens: tally.total_tokens ?? input_tokens + output_tokens,
    input_tokens_details: { cached_tokens, ...(cache_write_tokens !== undefined && { cache_write_tokens }) },
    output_tokens_details: { reasoning_tokens },
    ...(tally.estimated && { estimated: true as const }),
  };
}

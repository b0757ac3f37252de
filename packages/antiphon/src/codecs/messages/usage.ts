import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Usage } from "../../model/index.ts";
import { toUsage } from "../shared/usage.ts";

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** A later report over an earlier one: counts are cumulative, so the newest number of each kind stands. */
export function laterUsage(before: JsonObject, after: unknown): JsonObject {
  if (!isObject(after)) return before;
  const known = Object.entries(after).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(known) };
}

// Compacting the context is a call of the same model that the totals leave out.
const compactions = (usage: JsonObject): JsonObject[] =>
  Array.isArray(usage["iterations"]) ? usage["iterations"].filter(isObject).filter(({ type }) => type === "compaction") : [];

/** Token counts in the common shape. The wire's input leaves out what was read from and written to the cache; ours is all of it. */
export function fromWireUsage(usage: JsonObject): Usage {
  const reports = [usage, ...compactions(usage)];
  const sum = (name: string): number => reports.reduce((total, report) => total + count(report[name]), 0);
  const cached = sum("cache_read_input_tokens");
  const cacheWrite = sum("cache_creation_input_tokens");
  const details = usage["output_tokens_details"];
  return toUsage({
    input: sum("input_tokens") + cached + cacheWrite,
    cached,
    cacheWrite,
    output: sum("output_tokens"),
    reasoning: isObject(details) ? count(details["thinking_tokens"]) : 0,
  });
}

/** Token counts in the wire's shape. */
export function toWireUsage(usage: Usage | null): JsonObject {
  const { cached_tokens = 0, cache_write_tokens = 0 } = usage?.input_tokens_details ?? {};
  const reasoning = usage?.output_tokens_details.reasoning_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.input_tokens ?? 0) - cached_tokens - cache_write_tokens),
    cache_creation_input_tokens: cache_write_tokens,
    cache_read_input_tokens: cached_tokens,
    output_tokens: usage?.output_tokens ?? 0,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

// Two names for each tier that both sides have.
const tiers: readonly (readonly [wire: string, ours: string])[] = [
  ["standard", "default"],
  ["batch", "flex"],
];

/** The tier that an answer was served on. */
export const fromWireTier = (tier: string): string => tiers.find(([wire]) => wire === tier)?.[1] ?? tier;

import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Usage } from "../../model/index.ts";
import { toUsage } from "../shared/usage.ts";

const none: JsonObject = {};
const object = (value: unknown): JsonObject => (isObject(value) ? value : none);
const number = (value: unknown): number | undefined => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

/** The report of a chunk or a plain answer; Groq has one of its own, and Venice puts the cost beside it. */
export function usageIn(chunk: JsonObject): JsonObject | undefined {
  const { usage, cost } = chunk;
  if (isObject(usage)) return isObject(cost) ? { cost: cost["usd"], ...usage } : usage;
  const inner = object(chunk["x_groq"])["usage"];
  return isObject(inner) ? inner : undefined;
}

/** A usage report in the common shape, wherever the server puts its figures. */
export function decodeUsage(raw: JsonObject): Usage {
  const inputDetails = object(raw["prompt_tokens_details"]);
  const outputDetails = object(raw["completion_tokens_details"]);
  const input = number(raw["prompt_tokens"]) ?? 0;
  const output = number(raw["completion_tokens"]) ?? 0;
  const reasoning = number(outputDetails["reasoning_tokens"]) ?? number(raw["reasoning_tokens"]) ?? 0;
  const total = number(raw["total_tokens"]);
  // Some servers leave thoughts out of the output, or sound out of the input, and count them in the total alone.
  const gap = (total ?? input + output) - input - output;
  const usage = toUsage({
    input: gap > 0 && gap === number(inputDetails["audio_tokens"]) ? input + gap : input,
    cached: cachedIn(raw, inputDetails),
    cacheWrite: number(inputDetails["cache_write_tokens"]) ?? number(raw["cache_creation_input_tokens"]) ?? 0,
    output: gap > 0 && gap === reasoning ? output + gap : output,
    reasoning,
    ...(total === undefined ? {} : { total }),
  });
  const cost = costIn(raw);
  return cost === undefined ? usage : Object.assign(usage, { cost });
}

const cachedIn = (raw: JsonObject, details: JsonObject): number =>
  number(details["cached_tokens"]) ??
  number(raw["prompt_cache_hit_tokens"]) ??
  number(raw["cache_read_input_tokens"]) ??
  number(raw["num_cached_tokens"]) ??
  number(raw["cached_tokens"]) ??
  0;

const ticksPerDollar = 10_000_000_000;

/** What the server itself says the answer costs, in dollars: more exact than any table of prices. */
function costIn({ cost, cost_in_usd_ticks }: JsonObject): number | undefined {
  const ticks = number(cost_in_usd_ticks);
  return number(isObject(cost) ? cost["total_cost"] : cost) ?? (ticks === undefined ? undefined : ticks / ticksPerDollar);
}

import { isObject } from "../model/guards.ts";
import type { CreateResponse, Item, Usage } from "../model/index.ts";
import { areObjects, checkArgument } from "./options.ts";

/** A usage of zero tokens. */
export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

function checkUsage(of: string, usage: Usage): void {
  const isUsage = isObject(usage) && isObject(usage["input_tokens_details"]) && isObject(usage["output_tokens_details"]);
  checkArgument(of, "the usage of a response", isUsage, usage);
}

/** Adds the usage of two requests. Do not use it on two reports about the same request. */
export function addUsage(a: Usage, b: Usage): Usage {
  checkUsage("addUsage", a);
  checkUsage("addUsage", b);
  const written = (a.input_tokens_details.cache_write_tokens ?? 0) + (b.input_tokens_details.cache_write_tokens ?? 0);
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    input_tokens_details: {
      cached_tokens: a.input_tokens_details.cached_tokens + b.input_tokens_details.cached_tokens,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    output_tokens_details: {
      reasoning_tokens: a.output_tokens_details.reasoning_tokens + b.output_tokens_details.reasoning_tokens,
    },
    ...(a.estimated || b.estimated ? { estimated: true as const } : {}),
  };
}

const charactersPerToken = 4;

// What a model neither reads nor writes, and what costs far less than it would as text: pictures, sound and files.
const unread: ReadonlySet<string> = new Set(
  "type id status role call_id annotations logprobs data file_data result container_id".split(" "),
);

/** The characters of all texts in a value, but for what stands around them on the wire. */
function length(value: unknown): number {
  if (typeof value === "string") return /^data:[^\s,]*,/.test(value) ? 0 : value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + length(entry), 0);
  return Object.entries(value).reduce((sum, [key, inner]) => (unread.has(key) ? sum : sum + length(inner)), 0);
}

/** Of schemas, the names count as well. */
const asJson = (value: unknown): number => (value == null ? 0 : JSON.stringify(value).length);

/**
 * Estimates usage from text lengths, and marks it as an estimate. For answers that broke off before usage was
 * reported.
 */
export function estimateUsage(request: CreateResponse, output: readonly Item[]): Usage {
  checkArgument("estimateUsage", "a request and its output items", isObject(request) && areObjects(output), request);
  const tokens = (characters: number): number => Math.ceil(characters / charactersPerToken);
  const input_tokens = tokens(length(request.input) + length(request.instructions) + asJson(request.tools));
  const reasoning_tokens = tokens(
    output.reduce((sum, item) => sum + (item.type === "reasoning" ? length(item.summary) + length(item.content) : 0), 0),
  );
  const output_tokens = tokens(output.reduce((sum, item) => sum + length(item), 0));
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens },
    estimated: true,
  };
}

/** Prices in money per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** For input read from a cache; the input price where left out. */
  cached?: number;
  /** For input written to a cache; the input price where left out. */
  cacheWrite?: number;
}

/** Calculates the cost of a usage from a price. */
export function cost(usage: Usage, price: Price): number {
  checkUsage("cost", usage);
  checkArgument("cost", "a price, such as `loadPrices` finds", isObject(price), price);
  const { cached_tokens, cache_write_tokens = 0 } = usage.input_tokens_details;
  const plain = Math.max(0, usage.input_tokens - cached_tokens - cache_write_tokens);
  const input =
    plain * price.input + cached_tokens * (price.cached ?? price.input) + cache_write_tokens * (price.cacheWrite ?? price.input);
  return (input + usage.output_tokens * price.output) / 1_000_000;
}

import { checkArgument } from "../core/options.ts";
import type { Price } from "../core/usage.ts";

/** What a provider takes for a model; longer inputs cost more per token at some. */
export type PriceLookup = (provider: string, model: string, inputTokens?: number) => Price | undefined;

/** A price per million tokens, in the words of `@pydantic/genai-prices`: one, or steps by the length of the input. */
type ListedPrice = number | { base: number; tiers: readonly { start: number; price: number }[] };

/** The part of `@pydantic/genai-prices` that is used here. */
export interface PricePackage {
  calcPrice(
    usage: { input_tokens: number },
    model: string,
    options: { providerId: string },
  ): { model_price: { readonly [unit: string]: unknown } } | null;
}

/**
 * Loads prices from the package `@pydantic/genai-prices`. Without the package, no price is known. The import is the
 * caller's, so that this library needs no package and bundlers see the one that the caller needs.
 *
 * @example
 * const priceOf = await loadPrices(() => import("@pydantic/genai-prices"));
 * const price = priceOf("openai", "gpt-5.2");
 * if (price && response.usage) console.log(cost(response.usage, price));
 */
export async function loadPrices(load: () => Promise<PricePackage>): Promise<PriceLookup> {
  checkArgument("loadPrices", "a function that imports the package", typeof load === "function", load);
  const prices = await Promise.resolve()
    .then(load)
    .catch(() => undefined);
  if (!prices) return () => undefined;
  const listed = remembering(
    (provider, model) => prices.calcPrice({ input_tokens: 0 }, model, { providerId: provider })?.model_price,
  );
  return (provider, model, inputTokens = 0) => {
    const found = listed(provider, model);
    return found ? readPrice(found, inputTokens) : undefined;
  };
}

type Listed = { readonly [unit: string]: unknown } | undefined;

// A search through all prices takes a tenth of a millisecond; some prices are lower at night.
const remembered = 10 * 60_000;
const mostRemembered = 1_000;

function remembering(find: (provider: string, model: string) => Listed): (provider: string, model: string) => Listed {
  const known = new Map<string, { listed: Listed; until: number }>();
  return (provider, model) => {
    const key = `${provider}:${model}`;
    const now = Date.now();
    const entry = known.get(key);
    if (entry && entry.until > now) return entry.listed;
    if (known.size >= mostRemembered) known.clear();
    const listed = find(provider, model);
    known.set(key, { listed, until: now + remembered });
    return listed;
  };
}

function readPrice(listed: { readonly [unit: string]: unknown }, inputTokens: number): Price | undefined {
  const at = (unit: string): number | undefined => step(listed[unit], inputTokens);
  const input = at("input_mtok");
  const output = at("output_mtok");
  if (input === undefined) return undefined;
  const cached = at("cache_read_mtok");
  const cacheWrite = at("cache_write_mtok");
  return {
    input,
    // Embedding models have no output to pay for.
    output: output ?? 0,
    ...(cached === undefined ? {} : { cached }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** The whole input is paid at the highest step that it reaches. */
function step(listed: unknown, inputTokens: number): number | undefined {
  if (typeof listed === "number") return listed;
  if (!isStepped(listed)) return undefined;
  const reached = listed.tiers.findLast(({ start }) => inputTokens > start);
  return reached?.price ?? listed.base;
}

const isStepped = (value: unknown): value is Exclude<ListedPrice, number> =>
  typeof value === "object" && value !== null && "base" in value && "tiers" in value && Array.isArray(value.tiers);

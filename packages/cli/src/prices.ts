import { loadPrices, type PriceLookup } from "antiphon";
import type { Settings } from "./config/load.ts";
import { defined } from "./defined.ts";

/** What models cost: by the configuration, or else by the price list. */
export async function pricesFor({ values }: Settings): Promise<PriceLookup> {
  const listed = await loadPrices(() => import("@pydantic/genai-prices"));
  const own = values.prices ?? {};
  return (provider, model, inputTokens) => {
    const { input, output, cached, cache_write } = own[`${provider}:${model}`] ?? own[model] ?? {};
    if (input === undefined) return listed(provider, model, inputTokens);
    return defined({ input, output: output ?? 0, cached, cacheWrite: cache_write });
  };
}

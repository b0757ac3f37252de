import { cost, loadPrices, type Price, type PriceLookup, type PricePackage, type Usage } from "antiphon";
import type { Drawn } from "./choices.ts";
import type { Source } from "./sources.ts";

/** What models cost, as far as nobody configured it. */
export interface Prices {
  of: PriceLookup;
  /** Makes ready what takes time, so that prices are there when the first answer ends. */
  begin(): void;
}

/** Prices of the package `@pydantic/genai-prices`, read when it is begun; none are known until then. */
export function packagedPrices(load = (): Promise<PricePackage> => import("@pydantic/genai-prices")): Prices {
  let lookup: PriceLookup | undefined;
  let loading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    lookup = await loadPrices(load);
  };
  return {
    of: (...about) => lookup?.(...about),
    begin: () => void (loading ??= read()),
  };
}

/** What a usage cost, in dollars: by the configured price, else by the provider's. A model inside this process costs nothing. */
export function costOf({ target, price }: Drawn, model: string, usage: Usage, prices: Prices): number | undefined {
  const { source } = target;
  const paid = price ?? listedPrice(source, model, usage, prices);
  return paid && cost(usage, paid);
}

function listedPrice({ wire, seller }: Source, model: string, usage: Usage, prices: Prices): Price | undefined {
  if (wire === "local") return { input: 0, output: 0 };
  return seller === undefined ? undefined : prices.of(seller, model, usage.input_tokens);
}

import { describe, expect, test } from "vitest";
import { cost, noUsage } from "../../src/core/usage.ts";
import { loadPrices, type PricePackage } from "../../src/providers/index.ts";

const packageName: string = "@pydantic/genai-prices";
const load = (): Promise<PricePackage> => import(packageName);

/** A price list in the package's form. */
const listed: PricePackage = {
  calcPrice: (_, model, { providerId }) =>
    providerId === "acme" && model === "large"
      ? {
          model_price: {
            input_mtok: { base: 2, tiers: [{ start: 1000, price: 4 }] },
            output_mtok: 10,
            cache_read_mtok: { base: 0.2, tiers: [{ start: 1000, price: 0.4 }] },
            web_searches_kcount: 10,
          },
        }
      : null,
};

describe("prices", () => {
  test("are unknown where the package is not installed", async () => {
    const priceOf = await loadPrices(() => Promise.reject(new Error("Cannot find package")));
    expect(priceOf("openai", "gpt-5.2")).toBeUndefined();
  });

  test("are read from a price list", async () => {
    const priceOf = await loadPrices(() => Promise.resolve(listed));
    expect(priceOf("acme", "large")).toEqual({ input: 2, output: 10, cached: 0.2 });
    expect(priceOf("acme", "small")).toBeUndefined();
  });

  test("rise with the length of the input where the list says so", async () => {
    const priceOf = await loadPrices(() => Promise.resolve(listed));
    expect(priceOf("acme", "large", 1000)).toMatchObject({ input: 2 });
    expect(priceOf("acme", "large", 1001)).toEqual({ input: 4, output: 10, cached: 0.4 });
  });

  test("come from the package if it is installed", async () => {
    const priceOf = await loadPrices(load);
    const price = priceOf("openai", "gpt-4o-2024-11-20");
    expect(price).toMatchObject({ input: 2.5, output: 10, cached: 1.25 });
    expect(price && cost({ ...noUsage, input_tokens: 1_000_000 }, price)).toBeCloseTo(2.5);
    expect(priceOf("xai", "grok-4")).toBeDefined();
    expect(priceOf("ollama", "qwen3:8b")).toBeUndefined();
  });
});

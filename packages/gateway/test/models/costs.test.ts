import { noUsage, type PricePackage, type Usage } from "antiphon";
import { expect, test } from "vitest";
import { packagedPrices } from "../../src/models/costs.ts";
import { answerOf, at, failing, modelsOf, speaker } from "./support.ts";

const usage: Usage = {
  ...noUsage,
  input_tokens: 2_000_000,
  output_tokens: 1_000_000,
  input_tokens_details: { cached_tokens: 1_000_000 },
};

test("the configured price counts, the nearest to the model first", async () => {
  const price = { input: 2, output: 10, cached: 0.5 };
  const models = await modelsOf(
    {
      models: {
        plain: "openai:gpt-5.2",
        priced: { use: "openai:gpt-5.2", price },
        outer: { use: "priced", price: { input: 100, output: 100 } },
        choice: { use: [{ model: "openai:gpt-5.2", price: { input: 1, output: 1 } }], price },
      },
    },
    { env: { OPENAI_API_KEY: "sk-1" }, prices: () => undefined },
  );
  const costs = ["plain", "priced", "outer", "choice"].map((name) => models.resolve(name).cost(usage));
  expect(costs).toEqual([undefined, 12.5, 12.5, 3]);
});

test("the cost is of the choice that answered", async () => {
  const models = await modelsOf({
    providers: { first: at(await failing(500, "server_error")), second: at(await speaker("Hello.")) },
    models: {
      smart: [
        { model: "first:a", price: { input: 1, output: 0 } },
        { model: "second:b", price: { input: 7, output: 0 } },
      ],
    },
  });
  const route = models.resolve("smart");
  expect(route.cost(usage)).toBe(2);
  await answerOf(route);
  expect(route.cost(usage)).toBe(14);
});

test("the price of the provider counts where none is configured, by the name that price lists have", async () => {
  const asked: unknown[] = [];
  const models = await modelsOf(
    { providers: { mine: { preset: "openai-chat", apiKey: "sk-1" } } },
    { prices: (...about) => (asked.push(about), { input: 1, output: 2 }) },
  );
  expect(models.resolve("mine:gpt-5.2").cost(usage)).toBe(4);
  expect(asked).toEqual([["openai", "gpt-5.2", 2_000_000]]);
});

test("the offline model costs nothing", async () => {
  const models = await modelsOf({}, { prices: () => ({ input: 1, output: 1 }) });
  expect(models.resolve("offline").cost(usage)).toBe(0);
});

test("the price list is loaded when it is begun, and only once", async () => {
  let loads = 0;
  const list: PricePackage = { calcPrice: () => ({ model_price: { input_mtok: 3, output_mtok: 4 } }) };
  const prices = packagedPrices(async () => ((loads += 1), list));
  expect([prices.of("openai", "gpt-5.2"), loads]).toEqual([undefined, 0]);
  prices.begin();
  prices.begin();
  await expect.poll(() => prices.of("openai", "gpt-5.2")).toEqual({ input: 3, output: 4 });
  expect(loads).toBe(1);
});

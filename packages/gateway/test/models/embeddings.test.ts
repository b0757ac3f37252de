import { describe, expect, test } from "vitest";
import { at, failing, modelsOf, serve, thrownBy, type Upstream } from "./support.ts";

/** Gives each text a vector of its length and its number. */
const embedding = (): Promise<Upstream> =>
  serve(({ body }) => {
    const texts = Array.isArray(body.input) ? body.input : [];
    const data = texts.map((text, index) => ({ index, embedding: [String(text).length, index] }));
    return { json: { data, model: body.model, usage: { prompt_tokens: 5, total_tokens: 5 } } };
  });

describe("embeddings", () => {
  test("come from the model of a name, as it was configured", async () => {
    const server = await embedding();
    const models = await modelsOf({
      providers: { work: { ...at(server), apiKey: "sk-work" } },
      models: { vectors: { use: "work:embed-1", price: { input: 2, output: 0 } } },
    });
    const route = models.resolveEmbeddings("vectors");
    const { vectors, usage } = await route.embed(["a", "bcd"], { dimensions: 2, user: "u1" });
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [3, 1],
    ]);
    expect(route).toMatchObject({ name: "vectors", model: "embed-1", provider: "work" });
    expect(route.cost(usage)).toBeCloseTo(0.00001);
    expect(server.asked[0]).toMatchObject({
      path: "/v1/embeddings",
      headers: { authorization: "Bearer sk-work" },
      body: { model: "embed-1", input: ["a", "bcd"], dimensions: 2, user: "u1" },
    });
  });

  test("come from the same model elsewhere where one fails, and from no other", async () => {
    const [broken, sound] = [await failing(503, "overloaded"), await embedding()];
    const models = await modelsOf({
      providers: { first: at(broken), second: at(sound) },
      models: { same: ["first:embed-1", "second:embed-1"], mixed: ["first:embed-1", "second:embed-2"] },
    });
    const route = models.resolveEmbeddings("same");
    await route.embed(["a"]);
    expect([route.provider, broken.asked.length]).toEqual(["second", 1]);
    const mixed = models.resolveEmbeddings("mixed");
    expect(await thrownBy(() => mixed.embed(["a"]))).toMatchObject({ code: "SERVER_OVERLOADED", provider: "first" });
    expect(sound.asked).toHaveLength(1);
  });

  test("need no name where the default provider has a model for them", async () => {
    const models = await modelsOf({}, { env: { OPENAI_API_KEY: "sk-1" } });
    expect(models.resolveEmbeddings(null)).toMatchObject({ model: "text-embedding-3-small", provider: "openai" });
    expect(models.resolveEmbeddings("openai")).toMatchObject({ model: "text-embedding-3-small" });
    expect(models.resolveEmbeddings("text-embedding-3-large")).toMatchObject({
      model: "text-embedding-3-large",
      provider: "openai",
    });
    const other = await modelsOf({}, { env: { ANTHROPIC_API_KEY: "sk-1" } });
    expect(await thrownBy(() => other.resolveEmbeddings(null))).toMatchObject({ code: "INVALID_MODEL", status: 404 });
  });

  test("come from the offline model too", async () => {
    const { vectors } = await (await modelsOf()).resolveEmbeddings("offline").embed(["a cat", "a dog"]);
    expect(vectors).toHaveLength(2);
  });

  test("of a name that there is not are a 404", async () => {
    const models = await modelsOf();
    expect(await thrownBy(() => models.resolveEmbeddings("nothing"))).toMatchObject({
      code: "INVALID_MODEL",
      status: 404,
      vendorCode: "model_not_found",
    });
  });
});

import { describe, expect, test } from "vitest";
import { embedder, type EmbedderOptions } from "../../src/embeddings/embed.ts";
import { cosineSimilarity, topK } from "../../src/embeddings/similarity.ts";
import { readVector } from "../../src/embeddings/vectors.ts";
import { serving, type Answer } from "./serving.ts";

const base64 = (...values: number[]): string => Buffer.from(Float32Array.from(values).buffer).toString("base64");
/** Each text's own number as its vector, so that order shows. */
const echo: Answer = ({ body }) => ({
  body: {
    model: "embed-1",
    data: body.input.map((text, index) => ({ index, embedding: base64(Number(text), 1) })),
    usage: { prompt_tokens: body.input.length, total_tokens: body.input.length },
  },
});

const ofServer = (baseUrl: string, options: EmbedderOptions = {}) =>
  embedder("openai", { retry: { minDelay: 1 }, ...options, provider: { apiKey: "test", baseUrl } });
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

describe("an embedder", () => {
  test("asks for base64 and reads it without loss", async () => {
    const { asked, baseUrl } = await serving(() => ({
      body: { data: [{ index: 0, embedding: base64(0.1, -2.5, 3e-9) }], usage: { prompt_tokens: 3 } },
    }));
    const { vector, usage } = await ofServer(baseUrl, { dimensions: 3, user: "u-1" }).query("hello");
    expect(vector).toEqual(Float32Array.of(0.1, -2.5, 3e-9));
    expect(usage).toMatchObject({ input_tokens: 3, output_tokens: 0, total_tokens: 3 });
    expect(asked[0]).toEqual({
      path: "/v1/embeddings",
      body: { model: "text-embedding-3-small", input: ["hello"], encoding_format: "base64", dimensions: 3, user: "u-1" },
    });
  });

  test("keeps the order of 10,000 texts in 20 batches, two of which fail once, and sums the usage", async () => {
    const failed = new Set<string>();
    const { asked, baseUrl } = await serving((one, count) => {
      const first = one.body.input[0]!;
      if ((first === "1500" || first === "7000") && !failed.has(first)) {
        failed.add(first);
        return { status: 503, body: { error: { message: "busy" } } };
      }
      // Later batches are often the faster ones.
      return { ...echo(one, count), delay: (20 - count) % 7 };
    });
    const progress: number[] = [];
    const texts = numbers(10_000);
    const { vectors, usage, model } = await ofServer(baseUrl, { batchSize: 500 }).documents(texts, {
      onProgress: ({ done }) => progress.push(done),
    });
    expect(vectors.map(([value]) => String(value))).toEqual(texts);
    expect(usage.input_tokens).toBe(10_000);
    expect(model).toBe("embed-1");
    expect(asked).toHaveLength(22);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(10_000);
  });

  test("cuts batches by length too, and sends a text that is longer than that alone", async () => {
    const { asked, baseUrl } = await serving(({ body }) => ({
      body: { data: body.input.map((_, index) => ({ index, embedding: [index] })), usage: { total_tokens: 1 } },
    }));
    const texts = ["a".repeat(200_000), "b".repeat(100_000), "c", "d".repeat(400_000), "e"];
    await ofServer(baseUrl, { concurrency: 1 }).documents(texts);
    expect(asked.map(({ body }) => body.input.map((text) => text[0]))).toEqual([["a"], ["b", "c"], ["d"], ["e"]]);
  });

  test("puts vectors in their places when the server answers out of order", async () => {
    const { baseUrl } = await serving(({ body }) => ({
      body: { data: body.input.map((text, index) => ({ index, embedding: [Number(text)] })).toReversed() },
    }));
    const { vectors } = await ofServer(baseUrl).documents(numbers(5));
    expect(vectors.map(([value]) => value)).toEqual([0, 1, 2, 3, 4]);
  });

  test("never has more requests under way than it may", async () => {
    let open = 0;
    let most = 0;
    const { baseUrl } = await serving((one, count) => {
      most = Math.max(most, (open += 1));
      setTimeout(() => (open -= 1), 4);
      return { ...echo(one, count), delay: 5 };
    });
    await ofServer(baseUrl, { batchSize: 1, concurrency: 3 }).documents(numbers(12));
    expect(most).toBe(3);
  });

  test("stops the other batches when one fails for good", async () => {
    const { asked, baseUrl } = await serving((one, count) =>
      one.body.input[0] === "2" ? { status: 400, body: { error: { message: "bad input", code: "bad" } } } : echo(one, count),
    );
    await expect(ofServer(baseUrl, { batchSize: 1, concurrency: 2 }).documents(numbers(50))).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
    expect(asked.length).toBeLessThan(10);
  });

  test("can be stopped", async () => {
    const stop = new AbortController();
    const { baseUrl } = await serving((one, count) => {
      stop.abort();
      return { ...echo(one, count), delay: 1000 };
    });
    await expect(ofServer(baseUrl).documents(["1"], { signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
    await expect(ofServer(baseUrl).documents(["1"], { signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("names the text that is empty, and gives nothing for nothing", async () => {
    const embed = embedder("offline");
    await expect(embed.documents(["a", ""])).rejects.toMatchObject({ code: "BAD_REQUEST", param: "texts[1]" });
    expect((await embed.documents([])).vectors).toEqual([]);
  });

  test.each([
    ["a vector too few", { data: [{ index: 0, embedding: [1] }] }, "no vector for text 2 of 2"],
    ["vectors of two lengths", { data: [{ embedding: [1] }, { embedding: [1, 2] }] }, "1 and of 2 dimensions"],
    ["a vector of words", { data: [{ embedding: "?" }, { embedding: [1] }] }, "neither a list"],
    ["no list at all", { oops: true }, "no vector for text 1 of 2"],
    ["a list of words", { data: [{ embedding: ["a", "b"] }, { embedding: [1, 2] }] }, "neither a list"],
    ["holes", { data: [{ embedding: [null, 1] }, { embedding: [1, 2] }] }, "neither a list"],
    ["a list of lists", { data: [{ embedding: [[1, 2]] }, { embedding: [[1, 2]] }] }, "neither a list"],
  ])("refuses %s", async (_, body, message) => {
    const { baseUrl } = await serving(() => ({ body }));
    await expect(ofServer(baseUrl).documents(["1", "2"])).rejects.toThrow(message);
  });

  test("refuses vectors of two lengths also where they come in two batches", async () => {
    const { baseUrl } = await serving((_, count) => ({ body: { data: [{ embedding: count === 1 ? [1] : [1, 2] }] } }));
    const embed = ofServer(baseUrl, { batchSize: 1, concurrency: 1 });
    await expect(embed.documents(["1", "2"])).rejects.toThrow("1 and of 2 dimensions");
  });

  test("refuses a number of requests or texts that is none", () => {
    for (const name of ["concurrency", "batchSize"])
      expect(() => embedder("offline", { [name]: Number.NaN })).toThrow(`\`${name}\` of \`embedder\``);
  });

  test("chooses the model that is named, or the provider's own", () => {
    expect(embedder("openai").model).toBe("text-embedding-3-small");
    expect(embedder("openai:text-embedding-3-large").model).toBe("text-embedding-3-large");
    expect(embedder("openai?embeddings=my-model").model).toBe("my-model");
    expect(embedder("openai:gpt-5.2").model).toBe("text-embedding-3-small");
    expect(embedder("ollama:nomic-embed-text").model).toBe("nomic-embed-text");
    expect(() => embedder("ollama")).toThrow("Pass `model`");
  });

  test("says so where a provider has no embeddings", async () => {
    await expect(embedder("anthropic", { model: "x", provider: { apiKey: "k" } }).query("hello")).rejects.toMatchObject({
      code: "UNSUPPORTED",
    });
  });

  test("finds by shared words with the offline model", async () => {
    const embed = embedder("offline");
    const texts = ["The ferry to Bergen leaves at noon.", "Bread needs flour, water and salt.", "Whales sing to each other."];
    const { vectors } = await embed.documents(texts);
    const { vector } = await embed.query("When does the ferry leave?");
    expect(topK(vector, vectors, 1)[0]?.index).toBe(0);
    expect(cosineSimilarity(vectors[0]!, vectors[0]!)).toBeCloseTo(1);
    expect((await embedder("offline", { dimensions: 32 }).query("x")).vector).toHaveLength(32);
  });
});

describe("vectors", () => {
  test("of signed bytes", () => {
    expect(readVector(Buffer.from(Int8Array.of(-128, 0, 127).buffer).toString("base64"), "int8")).toEqual(
      Float32Array.of(-128, 0, 127),
    );
  });

  test("of 64-bit floats, which some servers send instead of 32-bit ones", () => {
    const halves = Array.from({ length: 16 }, (_, index) => (index + 1) / 8);
    expect(readVector(Buffer.from(Float64Array.from(halves).buffer).toString("base64"), "base64")).toEqual(
      Float32Array.from(halves),
    );
  });

  test("of 32-bit floats that are zero nearly everywhere are not taken for those", () => {
    for (let at = 0; at < 32; at += 1) {
      const sparse = Float32Array.from({ length: 32 }, (_, index) => (index === at || (index % 2 === 1 && index < 8) ? 0.5 : 0));
      expect(readVector(Buffer.from(sparse.buffer).toString("base64"), "base64")).toEqual(sparse);
    }
  });
});

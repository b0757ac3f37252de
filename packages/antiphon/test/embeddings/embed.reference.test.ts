import { describe, expect, test } from "vitest";
import { embedder } from "../../src/embeddings/embed.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { recordings } from "../support/recordings.ts";
import { serving } from "./serving.ts";

const providerOf: Readonly<Record<string, string>> = {
  "embeddings-compatible-perplexity": "perplexity",
  "embeddings-compatible-mistral": "mistral",
  gemini: "gemini",
  "gemini-vertex": "vertex",
};

describe("recorded embeddings", () => {
  const recorded = recordings("embeddings-", "openai-embeddings", "gemini").filter(({ features }) =>
    features.includes("embeddings"),
  );

  test("are there", () => {
    expect(recorded.length).toBeGreaterThan(30);
  });

  test.each(recorded.map((recording) => [recording.id, recording] as const))("%s", async (_, recording) => {
    const { baseUrl } = await serving(() => ({ status: recording.status, body: recording.json() }));
    const request = recording.request() as { input?: string | string[]; requests?: unknown[] };
    const given = Array.isArray(request.input) ? request.input : [request.input];
    const texts = Array.from({ length: request.requests?.length ?? given.length }, () => "text");
    const variables = { project: "p", location: "l" };
    const embed = embedder(providerOf[recording.provider] ?? "openai", {
      model: "m",
      retry: { retries: 0 },
      provider: { apiKey: "k", baseUrl, variables },
    });
    const result = await embed.documents(texts).catch((error: unknown) => error);
    if (recording.status !== 200) {
      expect(result).toBeInstanceOf(AntiphonError);
      expect((result as AntiphonError).status).toBe(recording.status);
      return;
    }
    if (!("vectors" in (result as object))) throw result;
    const { vectors } = result as Awaited<ReturnType<typeof embed.documents>>;
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector.length).toBeGreaterThan(31);
      expect(vector.every(Number.isFinite)).toBe(true);
      // Nearly every model gives vectors of a length near one; misread bytes would not.
      if (!recording.provider.includes("perplexity")) expect(Math.hypot(...vector)).toBeLessThan(2);
    }
  });
});

import { describe, expect, test } from "vitest";
import {
  isGpt5Model,
  isReasoningModel,
  modelInfo,
  modelKind,
  modelsByProvider,
  presets,
  supportsVerbosity,
} from "../../src/providers/index.ts";
import { knownModels } from "../../src/providers/known-models.ts";

describe("what a model takes, by its name", () => {
  test.each([
    // name, of the GPT-5 family, takes reasoning, takes verbosity
    ["gpt-5.2", true, true, true],
    ["gpt-5-mini", true, true, true],
    ["gpt-5", true, true, true],
    ["gpt-5.2-2025-12-11", true, true, true],
    ["openai/gpt-5.2", true, true, true],
    ["openrouter/openai/gpt-5-nano", true, true, true],
    ["openai:gpt-5.2", true, true, true],
    ["GPT-5.2", true, true, true],
    ["o1", false, true, false],
    ["o3-mini", false, true, false],
    ["openai/o4-mini", false, true, false],
    ["o4-mini-2025-04-16", false, true, false],
    ["ft:o4-mini-2025-04-16:acme::x", false, true, false],
    ["gpt-4o", false, false, false],
    ["gpt-4.1", false, false, false],
    ["o2", false, false, false],
    ["o1js", false, false, false],
    ["olmo-3", false, false, false],
    ["my-gpt-5", false, false, false],
    ["", false, false, false],
  ])("%s", (id, gpt5, reasoning, verbosity) => {
    expect([isGpt5Model(id), isReasoningModel(id), supportsVerbosity(id)]).toEqual([gpt5, reasoning, verbosity]);
  });

  test("agrees with the table, but for the one model of the family that does not think", () => {
    const chat = knownModels().filter(({ kind, provider }) => kind === "chat" && provider === "openai");
    const differing = chat.filter(({ id, reasoning }) => reasoning !== isReasoningModel(id));
    expect(differing.map(({ id }) => id)).toEqual(["gpt-5-chat-latest"]);
  });
});

describe("modelInfo", () => {
  test("knows the limits, classes and modalities of a model in the table", () => {
    expect(modelInfo("gpt-5.2")).toMatchObject({
      id: "gpt-5.2",
      provider: "openai",
      kind: "chat",
      contextWindow: 400_000,
      maxOutput: 128_000,
      input: ["text", "image"],
      output: ["text"],
      speed: "medium",
      cost: "high",
      reasoning: true,
      verbosity: true,
    });
  });

  test.each(["gpt-4o-2024-11-20", "openai/gpt-4o", "openrouter/openai/gpt-4o:free", "ft:gpt-4o:acme"])(
    "finds gpt-4o in %s",
    (id) => {
      expect(modelInfo(id)).toEqual({ ...modelInfo("gpt-4o"), id });
    },
  );

  test("prefers a snapshot's own line", () => {
    expect([modelInfo("gpt-4o")?.maxOutput, modelInfo("gpt-4o-2024-05-13")?.maxOutput]).toEqual([16_384, 4_096]);
  });

  test("tells of a stranger in a known family what the family is known for, and no numbers", () => {
    expect(modelInfo("gpt-5.9-ultra")).toEqual({
      id: "gpt-5.9-ultra",
      provider: "openai",
      kind: "chat",
      reasoning: true,
      verbosity: true,
    });
    expect(modelInfo("gpt-4o-realtime-preview")).toEqual({ id: "gpt-4o-realtime-preview", provider: "openai", kind: "audio" });
  });

  test.each([
    "claude-sonnet-4-5-20250929",
    "anthropic/claude-sonnet-4.5",
    "claude-sonnet-4-5@20250929",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  ])("finds Claude Sonnet 4.5 in %s", (id) => {
    expect(modelInfo(id)).toEqual({ ...modelInfo("claude-sonnet-4-5"), id });
    expect(modelInfo(id)).toMatchObject({ provider: "anthropic", contextWindow: 200_000, maxOutput: 64_000, reasoning: true });
  });

  test.each(["models/gemini-2.5-flash", "google/gemini-2.5-flash"])("finds Gemini 2.5 Flash in %s", (id) => {
    expect(modelInfo(id)).toMatchObject({ provider: "gemini", contextWindow: 1_048_576, maxOutput: 65_536 });
  });

  test("says of an open model that it is anybody's", () => {
    const facts = { provider: "any", kind: "chat", contextWindow: 131_072, reasoning: true };
    expect(modelInfo("openai/gpt-oss-120b")).toMatchObject(facts);
    expect(modelInfo("meta-llama/Llama-3.3-70B-Instruct-Turbo")).toMatchObject({
      provider: "any",
      reasoning: false,
      tools: true,
    });
    expect(modelInfo("meta-llama/Llama-3.3-70B-Instruct-Turbo")).not.toHaveProperty("contextWindow");
  });

  test("knows nothing of a stranger", () => {
    expect(modelInfo("qwen3:8b")).toBeUndefined();
    expect(modelInfo("my-claude-clone")).toBeUndefined();
  });
});

test.each([
  ["gpt-5.2", "chat"],
  ["qwen3:8b", "chat"],
  ["text-embedding-nomic-embed-text-v1.5", "embeddings"],
  ["BAAI/bge-small-en", "embeddings"],
  ["omni-moderation-latest", "moderation"],
  ["whisper-1", "audio"],
  ["gpt-4o-mini-tts", "audio"],
  ["dall-e-3", "image"],
  ["gpt-image-1", "image"],
  ["black-forest-labs/flux-1", "image"],
  ["davinci-002", "other"],
  ["mistral-ocr-latest", "other"],
  ["claude-opus-9", "chat"],
  ["gemini-embedding-001", "embeddings"],
  ["gemini-2.5-flash-image", "image"],
  ["gemini-2.5-flash-preview-tts", "audio"],
  ["veo-3.0-generate-001", "other"],
  ["openai/gpt-oss-safeguard-20b", "moderation"],
  ["mistral-embed", "embeddings"],
])("%s is for %s", (id, kind) => {
  expect(modelKind(id)).toBe(kind);
});

describe("the table", () => {
  test("has each model once, of a provider that exists or of anybody's", () => {
    expect(new Set(knownModels().map(({ id }) => id)).size).toBe(knownModels().length);
    const names = new Set(["any", ...presets().map(({ name }) => name)]);
    expect(knownModels().filter(({ provider }) => !names.has(provider))).toEqual([]);
  });

  test("is found by a provider's name and by its aliases", () => {
    expect(modelsByProvider("xai").map(({ id }) => id)).toContain("grok-4.3");
    expect(modelsByProvider("openai-responses")).toEqual(modelsByProvider("openai"));
    expect(modelsByProvider("claude").map(({ id }) => id)).toContain("claude-sonnet-5");
    expect(modelsByProvider("google").map(({ id }) => id)).toContain("gemini-2.5-pro");
    expect(modelsByProvider("nobody")).toEqual([]);
  });

  test("has the default models of every vendor that serves its own", () => {
    const vendors = new Set([
      "openai",
      "anthropic",
      "gemini",
      "xai",
      "deepseek",
      "mistral",
      "moonshot",
      "zai",
      "alibaba",
      "perplexity",
    ]);
    const unknown = presets().filter(({ name, models }) => vendors.has(name) && modelInfo(models?.chat ?? "")?.provider !== name);
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test("has no answer longer than its window", () => {
    const odd = knownModels().filter(({ contextWindow, maxOutput }) => contextWindow && maxOutput && maxOutput > contextWindow);
    expect(odd).toEqual([]);
  });
});

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
    const chat = knownModels.filter(({ kind, provider }) => kind === "chat" && provider === "openai");
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

  test("knows nothing of a stranger", () => {
    expect(modelInfo("qwen3:8b")).toBeUndefined();
    expect(modelInfo("gpt-oss-120b")).toBeUndefined();
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
])("%s is for %s", (id, kind) => {
  expect(modelKind(id)).toBe(kind);
});

describe("the table", () => {
  test("has each model once, of a provider that exists", () => {
    expect(new Set(knownModels.map(({ id }) => id)).size).toBe(knownModels.length);
    const names = new Set(presets.map(({ name }) => name));
    expect(knownModels.filter(({ provider }) => !names.has(provider))).toEqual([]);
  });

  test("is found by a provider's name and by its aliases", () => {
    expect(modelsByProvider("xai").map(({ id }) => id)).toContain("grok-4.3");
    expect(modelsByProvider("openai-responses")).toEqual(modelsByProvider("openai"));
    expect(modelsByProvider("nobody")).toEqual([]);
  });

  test("has no answer longer than its window", () => {
    const odd = knownModels.filter(({ contextWindow, maxOutput }) => contextWindow && maxOutput && maxOutput > contextWindow);
    expect(odd).toEqual([]);
  });
});

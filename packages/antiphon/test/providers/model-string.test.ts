import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { formatModelString, parseModelString, presets, type ModelString } from "../../src/providers/index.ts";

describe("a model string is read", () => {
  test.each<[string, ModelString]>([
    ["openai", { provider: "openai" }],
    ["OpenAI", { provider: "openai" }],
    [" openai ", { provider: "openai" }],
    ["openai:", { provider: "openai" }],
    ["openai/", { provider: "openai" }],
    ["openai?", { provider: "openai" }],
    ["openai?chat=", { provider: "openai" }],
    ["openai:gpt-5.2", { provider: "openai", chat: "gpt-5.2" }],
    ["openai/gpt-5.2", { provider: "openai", chat: "gpt-5.2" }],
    ["openai-responses:gpt-4o", { provider: "openai-responses", chat: "gpt-4o" }],
    ["llama.cpp:any", { provider: "llama.cpp", chat: "any" }],
    ["openrouter/meta-llama/llama-3:free", { provider: "openrouter", chat: "meta-llama/llama-3:free" }],
    ["openrouter:google/gemini-2.5-pro", { provider: "openrouter", chat: "google/gemini-2.5-pro" }],
    ["ollama:qwen3:8b", { provider: "ollama", chat: "qwen3:8b" }],
    ["ollama:MyModel", { provider: "ollama", chat: "MyModel" }],
    ["openai?chat=a&embeddings=b&media=c", { provider: "openai", chat: "a", embeddings: "b", media: "c" }],
    ["openai?other=c", { provider: "openai", media: "c" }],
    ["openai:a?embeddings=b", { provider: "openai", chat: "a", embeddings: "b" }],
    ["openai?chat=a=b", { provider: "openai", chat: "a=b" }],
    ["openai:50%25", { provider: "openai", chat: "50%" }],
    ["gpt-5.2", { provider: "openai", chat: "gpt-5.2" }],
    ["o3-mini", { provider: "openai", chat: "o3-mini" }],
    ["gpt-4o-2024-11-20", { provider: "openai", chat: "gpt-4o-2024-11-20" }],
    ["ft:gpt-4o-mini:acme::abc", { provider: "openai", chat: "ft:gpt-4o-mini:acme::abc" }],
    ["grok-4.3", { provider: "xai", chat: "grok-4.3" }],
    ["claude", { provider: "claude" }],
    ["google/gemini-2.5-pro", { provider: "google", chat: "gemini-2.5-pro" }],
    ["claude-sonnet-4-5-20250929", { provider: "anthropic", chat: "claude-sonnet-4-5-20250929" }],
    ["deepseek-chat", { provider: "deepseek", chat: "deepseek-chat" }],
    ["openrouter-chat:anthropic/claude-haiku-4.5", { provider: "openrouter-chat", chat: "anthropic/claude-haiku-4.5" }],
  ])("%j", (text, model) => {
    expect(parseModelString(text)).toEqual(model);
  });
});

describe("what is not a model string is refused with a sentence", () => {
  test.each([
    ["", "it is empty"],
    ["   ", "it is empty"],
    ["opnai:gpt-5.2", "Did you mean openai?"],
    ["openia/gpt-5.2", "Did you mean openai?"],
    ["lm_studio", "Did you mean lmstudio?"],
    ["meta-llama/llama-3", "The providers are openai,"],
    ["bard", "There is no provider “bard”. The providers are openai,"],
    ["gpt-oss-120b", "There is no provider “gpt-oss-120b”."],
    [":gpt-5.2", "There is no provider “”."],
    ["openai?model=x", "“model” is none of chat, embeddings, media"],
    ["openai?constructor=x", "“constructor” is none of"],
    ["openai?chat=a&chat=b", "it names the chat model twice"],
    ["openai:a?chat=b", "it names the chat model twice"],
    ["openai:50%", "%25"],
  ])("%j", (text, sentence) => {
    expect(() => parseModelString(text)).toThrow(sentence);
    expect(() => parseModelString(text)).toThrow(expect.objectContaining({ name: "AntiphonError", code: "BAD_REQUEST" }));
  });

  test("a provider's name that could not be read again is not written", () => {
    expect(() => formatModelString({ provider: "a:b" })).toThrow(AntiphonError);
  });
});

describe("a model string is written in its shortest form", () => {
  test.each<[ModelString, string]>([
    [{ provider: "openai" }, "openai"],
    [{ provider: "openai", chat: "" }, "openai"],
    [{ provider: "openrouter", chat: "a/b:free" }, "openrouter:a/b:free"],
    [{ provider: "openai", embeddings: "e" }, "openai?embeddings=e"],
    [{ provider: "openai", chat: "c", media: "m" }, "openai?chat=c&media=m"],
    [{ provider: "openai", chat: "what? 50% & more" }, "openai:what%3F%2050%25%20%26%20more"],
  ])("%j", (model, text) => {
    expect(formatModelString(model)).toBe(text);
  });
});

test("what is written reads the same again, whatever the models are called", () => {
  const provider = fc.constantFrom(...presets().flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const model = fc.oneof(
    fc.string({ minLength: 1, unit: "grapheme" }),
    fc.array(fc.constantFrom(..."/:?&=%#+ \n2Fa\u00e9\ud800"), { minLength: 1 }).map((letters) => letters.join("")),
  );
  fc.assert(
    fc.property(
      fc.record({ provider, chat: model, embeddings: model, media: model }, { requiredKeys: ["provider"] }),
      (named) => {
        expect(parseModelString(formatModelString(named))).toEqual(named);
      },
    ),
  );
});

test("whatever the string, it is read or refused with a sentence about it", () => {
  const readOrRefused = (text: string): ModelString | undefined => {
    try {
      return parseModelString(text);
    } catch (error) {
      if (error instanceof AntiphonError && error.code === "BAD_REQUEST" && error.param === "model") return undefined;
      throw error;
    }
  };
  const start = fc.constantFrom("", "openai", "openai:", "openai/", "openai?", "openai?chat=", "gpt-5");
  fc.assert(
    fc.property(start, fc.string(), (head, tail) => {
      const read = readOrRefused(head + tail);
      expect(read && parseModelString(formatModelString(read))).toEqual(read);
    }),
  );
});

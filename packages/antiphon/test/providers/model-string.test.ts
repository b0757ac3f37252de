import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { embedder } from "../../src/embeddings/index.ts";
import {
  checkModelName,
  findPreset,
  formatModelString,
  modelsByProvider,
  parseModelString,
  presets,
  type ModelString,
} from "../../src/providers/index.ts";

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
    ["opnai:gpt-5.2", 'Did you mean "openai"?'],
    ["openia/gpt-5.2", 'Did you mean "openai"?'],
    ["lm_studio", 'Did you mean "lmstudio"?'],
    ["meta-llama/llama-3", "The providers are openai,"],
    ["bard", 'Unknown provider "bard". The providers are openai,'],
    ["gpt-oss-120b", 'Unknown provider "gpt-oss-120b".'],
    [":gpt-5.2", "it contains no provider"],
    ["openai?model=x", '"model" is not one of chat, embeddings, media'],
    ["openai?constructor=x", '"constructor" is not one of'],
    ["openai?chat=a&chat=b", "it contains the chat model twice"],
    ["openai:a?chat=b", "it contains the chat model twice"],
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

test("a misspelt provider is an error wherever a model string is accepted", async () => {
  const message = 'Unknown provider "opneai". Did you mean "openai"?';
  await expect(new Agent({ model: "opneai:x" }).send("Hi")).rejects.toThrow(message);
  await expect((async () => embedder("opneai:x").documents(["Hi"]))()).rejects.toThrow(message);
});

describe("a model name without its provider", () => {
  test.each([
    ["openai", "opnai:gpt-5.2", 'Unknown provider "opnai". Did you mean "openai"?'],
    ["openai", "OpenIA:gpt-5.2", 'Unknown provider "openia". Did you mean "openai"?'],
    ["openai", "antropic/claude-sonnet-5", 'Unknown provider "antropic". Did you mean "anthropic"?'],
    ["openai", "goq:llama-4", 'Unknown provider "goq". Did you mean "groq"?'],
    ["openai", "xia:grok-4", 'Unknown provider "xia". Did you mean "xai"?'],
    ["anthropic", "cluade:x", 'Did you mean "claude"?'],
    ["openrouter", "opnai/gpt-5.2", 'Did you mean "openai"?'],
    ["openrouter", "opnai:gpt-5.2", 'Did you mean "openai"?'],
    ["offline", "opneai:x", 'Did you mean "openai"?'],
    ["ollama", "opnai:gpt-5.2", 'Did you mean "openai"?'],
    ["vllm", "antropic/claude-sonnet-5", 'Did you mean "anthropic"?'],
    [undefined, "opnai:gpt-5.2", 'Did you mean "openai"?'],
  ])("at %s, %s is rejected as a misspelt provider", (owner, name, message) => {
    const check = (): void => checkModelName(name, owner === undefined ? undefined : findPreset(owner));
    expect(check).toThrow(message);
    expect(check).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "model" }));
  });

  test.each([
    ["openai", "claude-sonnet-5", '"claude-sonnet-5" is a model of anthropic, not of openai. Write "anthropic:claude-sonnet-5".'],
    ["openai", "acme/claude-sonnet-5", 'Write "anthropic:claude-sonnet-5".'],
    ["openai-chat", "gemini-3-pro", "is a model of gemini"],
    ["anthropic", "gpt-5.2", "is a model of openai"],
    ["xai-chat", "gpt-5.2", "is a model of openai"],
    ["openai", "groq:llama-4", "names the provider groq, but the provider is openai"],
    ["openrouter", "groq:llama-4", "names the provider groq, but the provider is openrouter"],
  ])("at %s, %s is rejected as a model of another vendor", (owner, name, message) => {
    expect(() => checkModelName(name, findPreset(owner))).toThrow(message);
    expect(() => checkModelName(name, findPreset(owner))).toThrow(`write "${owner}:${name}".`);
  });

  test.each([
    ["openai", ["gpt-9", "ft:gpt-4o:acme::1", "gpt-oss-120b", "meta-llama/llama-3", "m"]],
    ["deepseek-responses", ["deepseek-chat"]],
    ["openrouter", ["openai/gpt-5.2", "z-ai/glm-5", "x-ai/grok-4", "mistralai/mistral-large", "meta-llama/llama-3:free"]],
    ["huggingface", ["deepseek-ai/DeepSeek-V3:novita", "moonshotai/Kimi-K2", "zai-org/GLM-5", "openai/gpt-oss-120b:cerebras"]],
    ["huggingface", ["open-r1/x", "openchat/x", "allenai/x", "google/gemma", "nvidia/x", "01-ai/Yi", "ibm-granite/x"]],
    ["vercel", ["anthropic/claude-sonnet-5", "xai/grok-4", "google/gemini-3-pro"]],
    ["azure", ["gpt-5.2", "claude-sonnet-5", "my-deployment"]],
    ["ollama", ["mixtral:8x7b", "llama3:8b", "mistral:7b", "gemma:7b", "gpt-oss:20b", "hf.co/org/model:Q4"]],
    ["vllm", ["mistralai/Mistral-7B", "deepseek-ai/x", "claude-like"]],
    ["offline", ["gpt-5.2", "anything"]],
  ])("at %s is accepted where the server may have it: %j", (owner, names) => {
    for (const name of names) expect(() => checkModelName(name, findPreset(owner))).not.toThrow();
  });

  test("is accepted at its own provider, for every known and default model", () => {
    for (const preset of presets()) {
      const { chat, embeddings, media } = preset.models ?? {};
      const defaults = [chat, embeddings, media].filter((name) => name !== undefined);
      const names = [...defaults, ...modelsByProvider(preset.name).map(({ id }) => id)];
      for (const name of names) expect(() => checkModelName(name, preset)).not.toThrow();
    }
  });
});

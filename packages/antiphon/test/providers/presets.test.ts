import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Ctx } from "../../src/codecs/codec.ts";
import { findPreset, formatModelString, provider, presets, providerNames, type ServerPreset } from "../../src/providers/index.ts";
import { modelKind } from "../../src/providers/catalogue.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { loadCodecs } from "../support/load-codecs.ts";

await loadCodecs();

const folder = new URL("../../src/providers/presets/", import.meta.url);
const files = readdirSync(folder).filter((name) => name !== "index.ts");
const servers = presets().filter((preset): preset is ServerPreset => preset.wire !== "local");

describe("every preset", () => {
  test.each(files)("%s has at most forty lines", (file) => {
    expect(readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  });

  test("has a file of its own name", () => {
    expect(
      presets()
        .map(({ name }) => `${name}.ts`)
        .toSorted(),
    ).toEqual(files.toSorted());
  });

  test("has names that no other has", () => {
    const names = presets().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(presets())("$name can be written in a model string", ({ name, aliases = [] }) => {
    expect([name, ...aliases].map((one) => formatModelString({ provider: one }))).toEqual([name, ...aliases]);
  });

  test.each(presets())("$name makes a provider without a key in sight", (preset) => {
    const made = provider(preset.name, { env: {} });
    expect(made).toMatchObject({ name: preset.name, preset });
    expect(made.model).toBe(preset.models?.chat);
  });

  test.each(servers)("$name has a base URL without a slash at its end", ({ baseUrl = "https://given.example/v1" }) => {
    expect(baseUrl).toMatch(/^(https?:\/\/|\{\w+\}\/).*[^/]$/);
  });

  test.each(servers)("$name needs a key, or says that it needs none", ({ env = [], keyless }) => {
    expect(env.length > 0 || keyless === true).toBe(true);
  });

  test.each(presets())("$name has default models of the right kinds", ({ models = {} }) => {
    expect(models.chat ? modelKind(models.chat) : "chat").toBe("chat");
    expect(models.embeddings ? modelKind(models.embeddings) : "embeddings").toBe("embeddings");
  });
});

test("the required providers are there", () => {
  const vendors = ["openrouter", "huggingface", "groq", "deepseek", "mistral", "xai", "ollama", "vllm", "llamacpp", "azure"];
  const required = ["openai", "open-responses", "anthropic", "gemini", "lmstudio", "chat", "offline", ...vendors];
  expect(providerNames()).toEqual(expect.arrayContaining(required));
});

test.each([
  ["openai-responses", "openai"],
  ["claude", "anthropic"],
  ["google", "gemini"],
  ["googleai", "gemini"],
])("%s is an old name of %s", (old, name) => {
  expect(provider(old, { env: {} }).name).toBe(name);
});

describe("twins", () => {
  const twins = servers.flatMap((preset) => (preset.twin ? [{ name: preset.name, preset, twin: findPreset(preset.twin) }] : []));

  test.each(twins)("$name is at the same place as its twin, with the same key, on another wire", ({ preset, twin }) => {
    const { baseUrl, env, keyless, keyHeader, variables } = preset;
    expect(twin).toMatchObject({ baseUrl, env });
    expect(twin).toEqual(expect.objectContaining({ ...(keyless && { keyless }), ...(keyHeader && { keyHeader }) }));
    expect(twin && "variables" in twin ? twin.variables : undefined).toEqual(variables);
    expect(twin?.wire).not.toBe(preset.wire);
  });

  test("share the config and the variable of the base URL", () => {
    const config = { openrouter: { apiKey: "from-config" } };
    const env = { OPENROUTER_BASE_URL: "https://proxy.example/v1" };
    const made = provider("openrouter-chat", { config, env });
    expect("headers" in made && made.headers()).toMatchObject({ authorization: "Bearer from-config" });
    expect(made).toMatchObject({ baseUrl: "https://proxy.example/v1" });
  });
});

const ctxOf = (request: CreateResponse): Ctx => ({ request, newId: (prefix) => `${prefix}_1`, now: () => 0 });

/** What a provider's server never gets to see of a request. */
function lost(name: string, request: CreateResponse): string[] {
  const made = provider(name, { env: {} });
  if (!("codec" in made)) throw new Error(`${name} has no codec`);
  return made.codec.encodeRequest(ctxOf({ model: made.model ?? "some-model", ...request })).losses.map(({ path }) => path);
}

describe("what a server refuses is left out and declared", () => {
  const call = { type: "function_call" as const, call_id: "c1", name: "f", arguments: "{}" };
  const blob = { type: "reasoning" as const, id: "rs_1", summary: [], encrypted_content: "gibberish" };
  const search = { type: "web_search" as const };
  const freeform = { type: "custom" as const, name: "patch" };
  const stored: CreateResponse = { input: "Hi", store: true };

  test.each<[string, CreateResponse, string[]]>([
    ["openai", stored, []],
    ["azure", stored, []],
    ["xai", { ...stored, metadata: { a: "b" } }, ["metadata"]],
    ["lmstudio", { ...stored, tools: [search, freeform, { type: "function", name: "f" }] }, ["tools[0]", "tools[1]"]],
    ["openrouter", stored, ["store"]],
    ["huggingface", { ...stored, input: [call, blob], truncation: "auto" }, ["truncation", "input[1]"]],
    ["ollama", { ...stored, tools: [search, freeform], tool_choice: "required" }, ["tool_choice", "tools[1]"]],
    ["vllm", { input: "Hi", include: ["web_search_call.results", "reasoning.encrypted_content"] }, ["include[0]"]],
    ["llamacpp", { ...stored, input: [call, blob], tools: [search] }, ["input[1]", "tools[0]"]],
    ["llamacpp", { input: "Hi", text: { format: { type: "json_object" } } }, ["text"]],
    ["open-responses", { ...stored, input: [call, blob], tools: [search, freeform] }, []],
    ["chat", { input: "Hi", metadata: { a: "b" }, seed: 1, tools: [freeform] }, []],
    ["chat", { ...stored, tools: [search] }, ["tools[0]", "store"]],
    ["openai-chat", { input: "Hi", metadata: { a: "b" }, tools: [freeform, search] }, []],
    ["azure-chat", { input: "Hi", tools: [freeform, search] }, ["tools[1]"]],
    ["groq", { input: "Hi", user: "u", metadata: { a: "b" }, top_logprobs: 1 }, ["metadata", "include", "top_logprobs"]],
    ["deepseek", { input: "Hi", seed: 1, top_p: 0.5 }, ["seed"]],
    ["mistral", { input: "Hi", seed: 1, metadata: { a: "b" }, user: "u" }, ["user"]],
    ["cerebras", { input: "Hi", user: "u", frequency_penalty: 1 }, ["frequency_penalty"]],
    ["perplexity", { input: "Hi", tools: [{ type: "function", name: "f" }, search] }, ["tools"]],
    ["lmstudio-chat", { input: "Hi", reasoning: { effort: "low" } }, ["reasoning.effort"]],
    ["lmstudio-chat", { input: "Hi", text: { format: { type: "json_object" } } }, ["text.format"]],
    ["ollama-chat", { input: "Hi", tools: [{ type: "function", name: "f" }], tool_choice: "required" }, ["tool_choice"]],
    ["github", { input: "Hi", metadata: { a: "b" } }, ["metadata"]],
    ["nvidia", { input: "Hi", prompt_cache_key: "k" }, ["prompt_cache_key"]],
    ["anthropic", { input: "Hi", seed: 1, prompt_cache_key: "k" }, ["seed"]],
    ["vertex-anthropic", { input: "Hi", tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, ["tools[0]"]],
    ["gemini", { ...stored, seed: 1 }, ["store"]],
  ])("%s", (name, request, losses) => {
    expect(lost(name, request)).toEqual(losses);
  });
});

describe("servers without a memory refuse to be asked about it", () => {
  const stateless = ["chat", "openai-chat", "anthropic", "gemini", "groq", "deepseek-responses"];
  test.each(["openrouter", "huggingface", "ollama", "llamacpp", ...stateless])("%s", (name) => {
    expect(() => lost(name, { input: "Hi", previous_response_id: "resp_1" })).toThrow(
      expect.objectContaining({ code: "UNSUPPORTED", param: "previous_response_id" }),
    );
  });
});

describe("what a server calls things by other names", () => {
  const bodyOf = (name: string, request: CreateResponse): unknown => {
    const made = provider(name, { env: {} });
    if (!("codec" in made)) throw new Error(`${name} has no codec`);
    return made.codec.encodeRequest(ctxOf({ model: "m", input: "Hi", ...request })).body;
  };
  const weather = { type: "function" as const, name: "weather", parameters: { type: "object" } };

  test.each<[string, CreateResponse, object]>([
    ["openai-chat", { max_output_tokens: 9 }, { max_completion_tokens: 9 }],
    ["groq", { max_output_tokens: 9 }, { max_tokens: 9 }],
    ["groq", { reasoning: { effort: "xhigh" } }, { reasoning_effort: "high" }],
    ["mistral", { seed: 7 }, { random_seed: 7 }],
    ["mistral", { tools: [weather], tool_choice: "required" }, { tool_choice: "any" }],
    ["mistral", { reasoning: { effort: "low" } }, { reasoning_effort: "high" }],
    ["deepseek", { reasoning: { effort: "none" } }, { thinking: { type: "disabled" } }],
    ["deepseek", { reasoning: { effort: "xhigh" } }, { thinking: { type: "enabled" }, reasoning_effort: "max" }],
    ["moonshot", { reasoning: { effort: "none" } }, { thinking: { type: "disabled" } }],
    ["alibaba", { reasoning: { effort: "none" } }, { enable_thinking: false }],
    ["openrouter-chat", { reasoning: { effort: "low" } }, { reasoning: { effort: "low" } }],
    ["vertex-anthropic", {}, { anthropic_version: "vertex-2023-10-16" }],
    ["anthropic", { prompt_cache_key: "k" }, { cache_control: { type: "ephemeral" } }],
  ])("%s", (name, request, body) => {
    expect(bodyOf(name, request)).toMatchObject(body);
  });

  test("Mistral is told no stream options, which it refuses", () => {
    expect(bodyOf("mistral", { stream: true })).not.toHaveProperty("stream_options");
    expect(bodyOf("groq", { stream: true })).toHaveProperty("stream_options", { include_usage: true });
  });

  test("the model is in the path where the server wants it there", () => {
    const made = provider("vertex-anthropic:claude-haiku-4-5@20251001", { env: {}, variables: { project: "p", location: "l" } });
    if (!("codec" in made)) throw new Error("no codec");
    const { path, body } = made.codec.encodeRequest(ctxOf({ model: made.model ?? "", input: "Hi" }));
    expect(`${made.baseUrl}${path}`).toBe(
      "https://l-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict",
    );
    expect(body).not.toHaveProperty("model");
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Ctx } from "../../src/codecs/codec.ts";
import { findPreset, formatModelString, provider, presets, providerNames, type ServerPreset } from "../../src/providers/index.ts";
import { modelKind } from "../../src/providers/catalogue.ts";
import type { CreateResponse } from "../../src/model/index.ts";

const folder = new URL("../../src/providers/presets/", import.meta.url);
const files = readdirSync(folder).filter((name) => name !== "index.ts");
const servers = presets.filter((preset): preset is ServerPreset => preset.wire !== "local");

describe("every preset", () => {
  test.each(files)("%s has at most forty lines", (file) => {
    expect(readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  });

  test("has a file of its own name", () => {
    expect(presets.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
  });

  test("has names that no other has", () => {
    const names = presets.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(presets)("$name can be written in a model string", ({ name, aliases = [] }) => {
    expect([name, ...aliases].map((one) => formatModelString({ provider: one }))).toEqual([name, ...aliases]);
  });

  test.each(presets)("$name makes a provider without a key in sight", (preset) => {
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

  test.each(presets)("$name has default models of the right kinds", ({ models = {} }) => {
    expect(models.chat ? modelKind(models.chat) : "chat").toBe("chat");
    expect(models.embeddings ? modelKind(models.embeddings) : "embeddings").toBe("embeddings");
  });
});

test("the required providers are there, under their old names too", () => {
  const required = [
    "openai",
    "open-responses",
    "lmstudio",
    "openrouter",
    "huggingface",
    "ollama",
    "vllm",
    "llamacpp",
    "azure",
    "xai",
    "offline",
  ];
  expect(providerNames()).toEqual(expect.arrayContaining(required));
  expect(findPreset("openai-responses")?.name).toBe("openai");
});

const ctxOf = (request: CreateResponse): Ctx => ({ request, newId: (prefix) => `${prefix}_1`, now: () => 0 });

/** What a provider's server never gets to see of a request. */
function lost(name: string, request: CreateResponse): string[] {
  const made = provider(name, { env: {} });
  if (!("codec" in made)) throw new Error(`${name} has no codec`);
  return made.codec.encodeRequest(ctxOf(request)).losses.map(({ path }) => path);
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
  ])("%s", (name, request, losses) => {
    expect(lost(name, request)).toEqual(losses);
  });
});

describe("servers without a memory refuse to be asked about it", () => {
  test.each(["openrouter", "huggingface", "ollama", "llamacpp"])("%s", (name) => {
    expect(() => lost(name, { input: "Hi", previous_response_id: "resp_1" })).toThrow(
      expect.objectContaining({ code: "UNSUPPORTED", param: "previous_response_id" }),
    );
  });
});

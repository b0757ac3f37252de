import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { provider, type Preset, type Provider, type ProviderOptions } from "../../src/providers/index.ts";

const acme: Preset = {
  name: "acme",
  aliases: ["acme-cloud"],
  wire: "responses",
  baseUrl: "https://{region}.acme.example/v1/",
  env: ["ACME_KEY"],
  variables: { region: { env: ["ACME_REGION"] }, team: { env: ["ACME_TEAM"], header: "X-Team" } },
  headers: { "X-Version": "1" },
  query: { trace: "off" },
  models: { chat: "large", embeddings: "vectors" },
};

const baseUrlOf = (made: Provider): string => ("baseUrl" in made ? made.baseUrl : "");
const headersOf = (made: Provider): Record<string, string> => ("headers" in made ? made.headers() : {});

describe("the base URL", () => {
  const env = { OPENAI_BASE_URL: "https://env.example/v1/" };
  const config = { openai: { baseUrl: "https://config.example/v1" } };

  test.each<[string, ProviderOptions, string]>([
    ["is the caller's", { baseUrl: "https://mine.example/v1//", env, config }, "https://mine.example/v1"],
    ["or the environment's", { env, config }, "https://env.example/v1"],
    ["or the config's", { env: {}, config }, "https://config.example/v1"],
    ["or the preset's", { env: {} }, "https://api.openai.com/v1"],
    ["and an empty one counts as none", { baseUrl: "", env: { OPENAI_BASE_URL: "" } }, "https://api.openai.com/v1"],
  ])("%s", (_, options, baseUrl) => {
    expect(baseUrlOf(provider("openai", options))).toBe(baseUrl);
  });

  test("has its placeholders filled from the options or the environment", () => {
    const azureEnv = { AZURE_OPENAI_ENDPOINT: "https://env.openai.azure.com/" };
    expect(baseUrlOf(provider("azure", { env: azureEnv }))).toBe("https://env.openai.azure.com/openai/v1");
    expect(baseUrlOf(provider("azure", { env: azureEnv, variables: { endpoint: "https://mine.example" } }))).toBe(
      "https://mine.example/openai/v1",
    );
  });

  test.each([
    ["open-responses", "OPEN_RESPONSES_BASE_URL"],
    ["chat", "CHAT_BASE_URL"],
    ["azure", "AZURE_OPENAI_ENDPOINT"],
    ["vertex", "GOOGLE_CLOUD_LOCATION"],
    ["cloudflare", "CLOUDFLARE_ACCOUNT_ID"],
  ])("that %s lacks is found on first use, and its variable is named", (name, variable) => {
    const made = provider(name, { env: {}, apiKey: "k" });
    expect(() => headersOf(made)).toThrow(variable);
    expect(() => headersOf(made)).toThrow(AntiphonError);
  });

  test.each([
    ["anthropic", "https://proxy.example", "https://proxy.example/v1"],
    ["anthropic", "https://proxy.example/v1/", "https://proxy.example/v1"],
    ["ollama", "http://10.0.0.2:11434", "http://10.0.0.2:11434/v1"],
    ["ollama-chat", "http://10.0.0.2:11434/v1", "http://10.0.0.2:11434/v1"],
    ["azure-anthropic", "https://r.services.ai.azure.com/anthropic", "https://r.services.ai.azure.com/anthropic/v1"],
  ])("of %s may lack its version: %s", (name, given, baseUrl) => {
    expect(baseUrlOf(provider(name, { baseUrl: given, env: {} }))).toBe(baseUrl);
  });

  test("of one's own server is all that open-responses needs", () => {
    const made = provider("open-responses", { env: { OPEN_RESPONSES_BASE_URL: "http://127.0.0.1:9/v1" } });
    expect([baseUrlOf(made), headersOf(made)]).toEqual(["http://127.0.0.1:9/v1", {}]);
  });
});

describe("headers", () => {
  test("of the caller go before the config's, the key's and the preset's, however they are spelt", () => {
    const made = provider(acme, {
      apiKey: "k",
      env: { ACME_REGION: "eu", ACME_TEAM: "search" },
      config: { acme: { headers: { "x-version": "2", "x-config": "c" } } },
      headers: { "X-VERSION": "3" },
    });
    expect(headersOf(made)).toEqual({ authorization: "Bearer k", "x-team": "search", "x-config": "c", "x-version": "3" });
  });

  test("carry the variables that the preset says they carry", () => {
    const made = provider("openai", { apiKey: "k", env: { OPENAI_PROJECT_ID: "proj" }, variables: { organization: "org" } });
    expect(headersOf(made)).toEqual({ authorization: "Bearer k", "openai-organization": "org", "openai-project": "proj" });
  });
});

describe("models", () => {
  test.each<[string, ProviderOptions, Provider["models"]]>([
    ["openai", {}, { chat: "gpt-5.2", embeddings: "text-embedding-3-small", media: "gpt-5.2" }],
    ["openai:o3", {}, { chat: "o3", embeddings: "text-embedding-3-small", media: "gpt-5.2" }],
    ["openai?media=gpt-image-1", {}, { chat: "gpt-5.2", embeddings: "text-embedding-3-small", media: "gpt-image-1" }],
    ["openai:o3", { model: "o4-mini" }, { chat: "o4-mini", embeddings: "text-embedding-3-small", media: "gpt-5.2" }],
    ["openai", { models: { embeddings: "e" } }, { chat: "gpt-5.2", embeddings: "e", media: "gpt-5.2" }],
    ["ollama:qwen3:8b", {}, { chat: "qwen3:8b" }],
  ])("of %s with %j", (which, options, models) => {
    const made = provider(which, { ...options, env: {} });
    expect(made.models).toEqual(models);
    expect(made.model).toBe(models.chat);
  });

  test("are none where neither the caller nor the preset names one", () => {
    expect(provider("ollama", { env: {} })).not.toHaveProperty("model");
  });
});

describe("a preset of one's own", () => {
  test("makes a provider", () => {
    const made = provider(acme, { env: { ACME_REGION: "eu", ACME_KEY: "k" }, query: { page: "1" }, timeouts: { total: 5 } });
    expect(made).toMatchObject({
      name: "acme",
      baseUrl: "https://eu.acme.example/v1",
      model: "large",
      query: { trace: "off", page: "1" },
      timeouts: { total: 5 },
    });
  });

  test("can be named in a model string where it is brought along, and nowhere else", () => {
    expect(provider("acme-cloud/small", { presets: [acme], env: {} })).toMatchObject({ name: "acme", model: "small" });
    expect(() => provider("acme:small")).toThrow('Unknown provider "acme".');
  });

  test("goes before a built-in one of the same name", () => {
    const mine: Preset = { ...acme, name: "openai" };
    expect(provider("openai", { presets: [mine], env: {} }).preset).toBe(mine);
  });
});

test("offline is a model in this process", () => {
  const made = provider("offline");
  expect(made).toMatchObject({ name: "offline", model: "offline" });
  expect("respond" in made && typeof made.respond).toBe("function");
});

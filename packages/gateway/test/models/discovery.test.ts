import { text, type Preset } from "antiphon";
import { scripted } from "antiphon/testing";
import { describe, expect, test } from "vitest";
import { configuredModels } from "../../src/models/configured-models.ts";
import { answerOf, at, modelsOf, say, serve, speaker, thrownBy, type Upstream } from "./support.ts";

const nowhere = "http://127.0.0.1:1/v1";
/** No server that runs on this machine by chance. */
const noServers = { LMSTUDIO_BASE_URL: nowhere, OLLAMA_BASE_URL: nowhere, LLAMACPP_BASE_URL: nowhere };

/** A server that lists models and answers. */
const lister = (words: string, ...ids: string[]): Promise<Upstream> =>
  serve((asked) =>
    asked.path.startsWith("/v1/models") ? { json: { object: "list", data: ids.map((id) => ({ id })) } } : say(words, asked),
  );

describe("without configuration", () => {
  test("a model string works for every provider whose key is in the environment", async () => {
    const server = await speaker("Hello.");
    const env = {
      OPENAI_API_KEY: "sk-1",
      OPENAI_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "sk-2",
      ANTHROPIC_BASE_URL: server.url,
    };
    const models = await modelsOf({}, { env });
    for (const name of ["openai:gpt-5.2", "openai/gpt-5.2", "gpt-5.2", "openai-chat:gpt-5.2", "claude:claude-x", "claude-x"])
      expect(text(await answerOf(models.resolve(name)))).toBe("Hello.");
    const asked = server.asked.map(({ path, body }) => `${path} ${body.model}`);
    expect(asked).toEqual([
      "/v1/responses gpt-5.2",
      "/v1/responses gpt-5.2",
      "/v1/responses gpt-5.2",
      "/v1/chat/completions gpt-5.2",
      "/v1/messages claude-x",
      "/v1/messages claude-x",
    ]);
  });

  test("a provider without a key is none, and what it lacks is told", async () => {
    const models = await modelsOf();
    expect(() => models.resolve("anthropic:claude-x")).toThrow("Set ANTHROPIC_API_KEY");
    expect(() => models.resolve("claude-x")).toThrow("Set ANTHROPIC_API_KEY");
  });

  test("the default is the first provider with a key", async () => {
    const models = await modelsOf({}, { env: { GITHUB_TOKEN: "ghp-1", MISTRAL_API_KEY: "sk-1", GEMINI_API_KEY: "sk-2" } });
    expect(models.resolve(undefined)).toMatchObject({ name: "gemini:gemini-3.5-flash", provider: "gemini" });
  });

  test("the default is offline where there is nobody else", async () => {
    const models = await configuredModels({}, { env: { ...noServers, GITHUB_TOKEN: "ghp-1" } });
    expect(text(await answerOf(models.resolve(null)))).not.toBe("");
    expect(models.resolve("").provider).toBe("offline");
    expect(models.resolve("github:openai/gpt-4.1").provider).toBe("github");
  });

  test("a program's own presets can be named, and come first", async () => {
    const own: Preset = { name: "own", wire: "local", respond: () => scripted(["Mine."]), models: { chat: "own-1" } };
    const models = await modelsOf({}, { presets: [own], env: { OPENAI_API_KEY: "sk-1" } });
    expect(models.resolve(null)).toMatchObject({ name: "own:own-1", provider: "own" });
    expect(text(await answerOf(models.resolve("own")))).toBe("Mine.");
  });
});

describe("a server on this machine", () => {
  test("is found by its models, which can be named alone", async () => {
    const server = await lister("Local.", "nomic-embed-text", "qwen/qwen3-8b");
    const models = await configuredModels({}, { env: { ...noServers, LMSTUDIO_BASE_URL: server.url } });
    expect(models.resolve(null)).toMatchObject({ name: "lmstudio:qwen/qwen3-8b", provider: "lmstudio" });
    const route = models.resolve("qwen/qwen3-8b");
    expect(text(await answerOf(route))).toBe("Local.");
    expect([route.provider, server.asked.at(-1)?.body.model]).toEqual(["lmstudio", "qwen/qwen3-8b"]);
  });

  test("is found when it comes later, and forgotten when it goes", async () => {
    let now = 0;
    const first = await lister("Local.", "qwen3:8b");
    const env = { ...noServers, OLLAMA_BASE_URL: first.url };
    await first.close();
    const models = await configuredModels({}, { env, clock: () => now });
    expect(models.resolve(null).provider).toBe("offline");
    const again = await serve(() => ({ json: { data: [{ id: "qwen3:8b" }] } }), Number(new URL(first.url).port));
    now += 5_000;
    expect(() => models.resolve("qwen3:8b")).toThrow("There is no model “qwen3:8b” here.");
    await expect.poll(() => models.resolve(null).name).toBe("ollama:qwen3:8b");
    expect(models.resolve("qwen3:8b").provider).toBe("ollama");
    await again.close();
    now += 30_000;
    await expect.poll(() => models.resolve(null).name).toBe("offline");
  });

  test("does not hold up the start where it does not answer", async () => {
    const silent = await serve(() => ({ hangs: true }));
    const models = await configuredModels({}, { env: { ...noServers, LLAMACPP_BASE_URL: silent.url } });
    expect(models.resolve(null).provider).toBe("offline");
    expect(silent.asked).toHaveLength(1);
  });

  test("is none where it is a gateway, which may be this one", async () => {
    const gateway = await serve(() => ({ json: { data: [{ id: "smart" }, { id: "offline", owned_by: "antiphon" }] } }));
    const models = await configuredModels({}, { env: { ...noServers, LLAMACPP_BASE_URL: gateway.url } });
    expect(models.resolve(null).provider).toBe("offline");
    expect((await models.list()).map(({ id }) => id)).toEqual(["offline"]);
    const meant = await modelsOf({ providers: { upstairs: at(gateway) } });
    expect((await meant.list()).map(({ id }) => id)).toEqual(["upstairs:smart", "upstairs:offline", "offline"]);
  });

  test("is not asked for where nobody wants to discover any", async () => {
    const server = await lister("Local.", "qwen3:8b");
    const env = { ...noServers, OLLAMA_BASE_URL: server.url };
    const models = await configuredModels({ discover: ["environment"] }, { env });
    expect(() => models.resolve("ollama:qwen3:8b")).toThrow("There is no model");
    await models.list();
    expect(server.asked).toEqual([]);
  });
});

describe("the list", () => {
  test("has configured names, what providers list under names that can be used, and the offline model", async () => {
    const server = await lister("Hello.", "large", "text-embedding-3-small", "dall-e-3");
    const models = await modelsOf({
      discover: ["environment"],
      providers: { work: at(server) },
      models: { smart: "work:large", "w/*": "work:*", "work:large": { params: { top_p: 1 } } },
    });
    const list = await models.list();
    expect(list.map(({ id, kind, provider }) => [id, kind, provider])).toEqual([
      ["smart", "chat", "work"],
      ["work:large", "chat", "work"],
      ["w/large", "chat", "work"],
      ["w/text-embedding-3-small", "embeddings", "work"],
      ["work:text-embedding-3-small", "embeddings", "work"],
      ["offline", "chat", "offline"],
    ]);
    for (const { id } of list) expect(models.resolve(id).name).toBe(id);
  });

  test("is whole but for a provider that fails, which is told to the log", async () => {
    const [sound, broken] = [await lister("Hello.", "large"), await serve(() => ({ status: 500, json: {} }))];
    const logged: object[] = [];
    const models = await modelsOf(
      { providers: { broken: at(broken), sound: at(sound) } },
      { log: (entry) => logged.push(entry) },
    );
    expect((await models.list()).map(({ id }) => id)).toEqual(["sound:large", "offline"]);
    expect(logged).toEqual([{ level: "warn", message: "models not listed", provider: "broken", error: "SERVER_ERROR" }]);
  });

  test("is remembered for a while, and renewed without making anybody wait", async () => {
    let now = 0;
    let ids = ["one"];
    const server = await serve(() => ({ json: { data: ids.map((id) => ({ id })) } }));
    const models = await modelsOf({ providers: { work: at(server) } }, { clock: () => now });
    const list = async (): Promise<string[]> => (await models.list()).map(({ id }) => id);
    expect(await list()).toEqual(["work:one", "offline"]);
    ids = ["two"];
    expect(await list()).toEqual(["work:one", "offline"]);
    expect(server.asked).toHaveLength(1);
    now += 10 * 60_000;
    expect(await list()).toEqual(["work:one", "offline"]);
    await expect.poll(list).toEqual(["work:two", "offline"]);
    expect(server.asked).toHaveLength(2);
  });

  test("has no name twice that a provider has under two wires", async () => {
    const server = await lister("Hello.", "gpt-5.2");
    const models = await modelsOf({}, { env: { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: server.url } });
    expect((await models.list()).map(({ id }) => id)).toEqual(["openai:gpt-5.2", "offline"]);
  });
});

describe("a name that there is not", () => {
  test("is a 404 with the names that may have been meant", async () => {
    const server = await lister("Hello.", "large-2", "tiny");
    const models = await modelsOf({
      discover: ["environment"],
      providers: { work: at(server) },
      models: { smart: "work:large-2" },
    });
    await models.list();
    expect(await thrownBy(() => models.resolve("smrt"))).toMatchObject({
      code: "INVALID_MODEL",
      status: 404,
      vendorCode: "model_not_found",
      param: "model",
      message: "There is no model “smrt” here. Did you mean smart?",
    });
    expect(() => models.resolve("large-1")).toThrow("Did you mean work:large-2?");
    expect(() => models.resolve("zzzzzzzz")).toThrow("There are smart, work:large-2, work:tiny, …");
  });

  test("tells no names that whoever asks may not know", async () => {
    const models = await modelsOf({ models: { smart: "offline:a", secret: "offline:b" } });
    const visible = (name: string): boolean => name !== "secret";
    const error = await thrownBy(() => models.resolve("secre", visible));
    expect(error).toMatchObject({ message: "There is no model “secre” here. There are smart, offline." });
  });

  test("may be of any length", async () => {
    const models = await modelsOf();
    const error = await thrownBy(() => models.resolve("x".repeat(1_000_000)));
    expect(String(error).length).toBeLessThan(300);
  });

  test("is told where no model is named and there is no default", async () => {
    const models = await modelsOf({ models: { "x-*": "offline:*" } });
    expect(await thrownBy(() => models.resolve(null))).toMatchObject({ code: "BAD_REQUEST", param: "model" });
  });
});

test("the default is the configured one, or the first configured name", async () => {
  const config = { models: { first: "offline:a", second: "offline:b" } };
  expect((await modelsOf(config)).resolve(null).name).toBe("first");
  expect((await modelsOf({ ...config, defaultModel: "second" })).resolve(null).name).toBe("second");
  expect((await modelsOf({ ...config, defaultModel: "offline:c" })).resolve(null).model).toBe("c");
});

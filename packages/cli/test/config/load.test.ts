import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings, needs, sourceOf, type Settings } from "../../src/config/load.ts";
import { chosenProvider } from "../../src/chosen-provider.ts";
import { trust } from "../../src/config/trust.ts";
import type { Layer } from "../../src/config/layers.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "antiphon-config-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** What is written where. */
interface Scene {
  user?: string;
  project?: string;
  env?: Record<string, string>;
  flags?: Record<string, unknown>;
}

function load({ user, project, env = {}, flags }: Scene): Promise<Settings> {
  const [home, cwd] = [join(folder, "home/antiphon"), join(folder, "project")];
  for (const place of [home, cwd]) mkdirSync(place, { recursive: true });
  if (user !== undefined) writeFileSync(join(home, "config.toml"), user);
  const surroundings = { XDG_CONFIG_HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state"), ...env };
  if (project !== undefined) {
    writeFileSync(join(cwd, "antiphon.toml"), project);
    trust(join(cwd, "antiphon.toml"), project, surroundings);
  }
  const layer: Layer | undefined = flags && { kind: "flags", values: flags, where: ([name]) => `--${name}` };
  return loadSettings({ env: surroundings, cwd, ...(layer && { flags: layer }) });
}

describe("settings come in rising order", () => {
  test("from the user's file, the project's, the environment and the flags", async () => {
    const user = "max_tokens = 1\neffort = 'low'\nverbosity = 'low'\ninstructions = 'a'";
    const settings = await load({
      user,
      project: "effort = 'medium'\nverbosity = 'medium'\ninstructions = 'b'",
      env: { ANTIPHON_VERBOSITY: "high", ANTIPHON_INSTRUCTIONS: "c" },
      flags: { instructions: "d" },
    });
    expect(settings.values).toEqual({ max_tokens: 1, effort: "medium", verbosity: "high", instructions: "d" });
    expect(["max_tokens", "effort", "verbosity", "instructions"].map((key) => sourceOf(settings, [key]))).toEqual([
      join(folder, "home/antiphon/config.toml:1"),
      join(folder, "project/antiphon.toml:1"),
      "ANTIPHON_VERBOSITY",
      "--instructions",
    ]);
  });

  test("and are merged table by table; lists are taken as they are", async () => {
    const { values } = await load({
      user: "tools = ['clock']\n[providers.openai]\napi_key = 'k'\n[providers.groq]\napi_key = 'g'",
      project: "tools = ['calculator']\n[providers.openai]\nbase_url = 'http://localhost'",
    });
    expect(values.providers).toEqual({ openai: { api_key: "k", base_url: "http://localhost" }, groq: { api_key: "g" } });
    expect(values.tools).toEqual(["calculator"]);
  });

  test("and numbers and switches in variables are read as such", async () => {
    const env = { ANTIPHON_MAX_TOKENS: "7", ANTIPHON_PARALLEL_TOOL_CALLS: "no", ANTIPHON_GATEWAY_PORT: "80", ANTIPHON_MODEL: "" };
    expect((await load({ env })).values).toEqual({ max_tokens: 7, parallel_tool_calls: false, gateway: { port: 80 } });
  });
});

describe("${NAME}", () => {
  test("stands for a variable, anywhere in a text, and for a number where one is wanted", async () => {
    const project = "max_tokens = '${N}'\n[mcp.x]\ncommand = 'a'\nargs = ['--dir=${D}/sub']\nenv = { PRICE = '$${N}' }";
    const { values } = await load({ project, env: { N: "12", D: "/data" } });
    expect(values.max_tokens).toBe(12);
    expect(values.mcp?.["x"]).toEqual({ command: "a", args: ["--dir=/data/sub"], env: { PRICE: "${N}" } });
  });

  test("that is not set is missed where it is needed, and not before", async () => {
    const settings = await load({ project: "[providers.openai]\napi_key = '${NOT_THERE}'" });
    expect(() => needs(settings, ["providers", "groq"])).not.toThrow();
    expect(() => needs(settings, ["providers", "openai"])).toThrow(
      `${join(folder, "project/antiphon.toml")}:2: providers.openai.api_key uses \${NOT_THERE}, which is not set`,
    );
  });

  test("that is not set is missed under another name of the provider, too", async () => {
    const settings = await load({ project: "model = 'anthropic:x'\n[providers.claude]\napi_key = '${NOT_THERE}'" });
    expect(() => chosenProvider(settings)).toThrow("3: providers.claude.api_key uses ${NOT_THERE}");
  });

  test("that is not set is missed at once in a setting that counts for everything", async () => {
    await expect(load({ project: "model = '${NOT_THERE}'" })).rejects.toThrow("antiphon.toml:1: model uses ${NOT_THERE}");
  });

  test("that is not set is not missed where something else has the last word", async () => {
    const settings = await load({ user: "model = '${NOT_THERE}'", env: { ANTIPHON_MODEL: "offline" } });
    expect(settings.values.model).toBe("offline");
  });
});

describe("who answers", () => {
  const chosen = async (scene: Scene): Promise<string> => {
    const { name, model = "" } = chosenProvider(await load(scene));
    return `${name}:${model}`;
  };

  test.each<[string, Scene, string]>([
    ["nobody is named: the offline model", {}, "offline:offline"],
    ["a model string says it all", { project: "model = 'groq:x/y'" }, "groq:x/y"],
    ["provider and model stand together", { project: "provider = 'openai'\nmodel = 'gpt-5.2'" }, "openai:gpt-5.2"],
    [
      "together, a model may look like a provider's",
      { project: "provider = 'ollama'\nmodel = 'mistral:7b'" },
      "ollama:mistral:7b",
    ],
    ["together, the provider may be said twice", { project: "provider = 'openai'\nmodel = 'openai:gpt-5.2'" }, "openai:gpt-5.2"],
    ["a later model string goes elsewhere", { user: "provider = 'openai'", flags: { model: "groq:x" } }, "groq:x"],
    ["a later model alone stays", { user: "provider = 'openai'", env: { ANTIPHON_MODEL: "gpt-9" } }, "openai:gpt-9"],
    ["a later provider leaves the model", { user: "model = 'openai:gpt-5.2'", flags: { provider: "ollama" } }, "ollama:"],
    ["a later provider keeps its own", { user: "model = 'ollama:a'", flags: { provider: "ollama" } }, "ollama:a"],
    ["a provider's own model", { user: "provider = 'ollama'\n[providers.ollama]\nmodel = 'b'" }, "ollama:b"],
    ["an alias", { user: "provider = 'claude'\nmodel = 'c'" }, "anthropic:c"],
    [
      "a name in a catalogue",
      { user: "provider = 'openrouter'", flags: { model: "openai/gpt-5.2" } },
      "openrouter:openai/gpt-5.2",
    ],
    ["a colon leaves a catalogue", { user: "provider = 'openrouter'", flags: { model: "openai:gpt-5.2" } }, "openai:gpt-5.2"],
    ["a model string is taken at its word", { user: "model = 'openai:claude-sonnet-5'" }, "openai:claude-sonnet-5"],
    ["a preset", { user: "model = 'acme:d'\n[presets.acme]\nwire = 'chat'\nbase_url = 'http://localhost'" }, "acme:d"],
  ])("%s", async (_, scene, expected) => {
    expect(await chosen(scene)).toBe(expected);
  });

  const misspelt = 'Unknown provider "opnai". Did you mean "openai"?';
  test.each<[string, Scene, string]>([
    ["a misspelt provider in a flag", { user: "provider = 'openai'", flags: { model: "opnai:gpt-5.2" } }, misspelt],
    ["in a variable", { user: "provider = 'openai'", env: { ANTIPHON_MODEL: "opnai:gpt-5.2" } }, misspelt],
    ["in the same file", { user: "provider = 'openai'\nmodel = 'opnai/gpt-5.2'" }, misspelt],
    ["as the provider", { env: { ANTIPHON_PROVIDER: "opnai", ANTIPHON_MODEL: "gpt-5.2" } }, misspelt],
    [
      "a model of another vendor",
      { user: "provider = 'openai'", env: { ANTIPHON_MODEL: "claude-sonnet-5" } },
      'ANTIPHON_MODEL: "claude-sonnet-5" is a model of anthropic, not of openai. Write "anthropic:claude-sonnet-5".',
    ],
    ["in the same file", { user: "provider = 'anthropic'\nmodel = 'gpt-5.2'" }, '"gpt-5.2" is a model of openai'],
  ])("is an error: %s", async (_, scene, message) => {
    const settings = await load(scene);
    expect(() => chosenProvider(settings)).toThrow(message);
  });

  test.each(["embeddings", "media"] as const)("is an error for %s, where the name says no provider", async (kind) => {
    const flags = kind === "media" ? { media_model: "opneai:x" } : { embedding_model: "opneai:x" };
    for (const user of ["", "provider = 'openai'", "provider = 'offline'", "model = 'ollama:a'\n"]) {
      const settings = await load({ user, flags });
      const choose = (): unknown => chosenProvider(settings, { kind });
      // A server on this machine may have a model of any name.
      if (user.includes("ollama")) expect(choose()).toMatchObject({ name: "ollama", models: { [kind]: "opneai:x" } });
      else expect(choose).toThrow('Unknown provider "opneai". Did you mean "openai"?');
    }
  });

  test("is told apart by kind of work", async () => {
    const settings = await load({
      project: "provider = 'openai'\nembedding_model = 'text-embedding-3-large'\nmedia_model = 'gemini:m'",
    });
    expect(chosenProvider(settings, { kind: "embeddings" })).toMatchObject({
      name: "openai",
      models: { embeddings: "text-embedding-3-large" },
    });
    expect(chosenProvider(settings, { kind: "media" })).toMatchObject({ name: "gemini", model: "m" });
  });

  test("is asked with the key and the address of the configuration", async () => {
    const project =
      "model = 'openai'\n[providers.openai]\napi_key = 'k'\nbase_url = 'http://localhost:1/v1'\nheaders = { x = 'y' }";
    const provider = chosenProvider(await load({ project }));
    if ("respond" in provider) throw new Error("openai is a server");
    expect(provider.baseUrl).toBe("http://localhost:1/v1");
    expect(provider.headers()).toMatchObject({ authorization: "Bearer k", x: "y" });
  });
});

import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { provider, presets, type Preset, type ProviderOptions, type ServerPreset } from "../../src/providers/index.ts";

const secret = "sk-secret-1234567890";
const servers = presets().filter((preset): preset is ServerPreset => preset.wire !== "local");

/** The headers that a provider sends with its next request. */
function headersOf(which: string | Preset, options: ProviderOptions): Record<string, string> {
  const made = provider(which, options);
  if (!("headers" in made)) throw new Error("A local model sends no headers.");
  return made.headers();
}

function failure(which: string | Preset, options: ProviderOptions): AntiphonError {
  try {
    headersOf(which, options);
  } catch (error) {
    if (error instanceof AntiphonError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

afterEach(() => vi.unstubAllEnvs());

describe("where a key comes from", () => {
  const env = { OPENAI_API_KEY: "from-env" };
  const config = { openai: { apiKey: "from-config" } };

  test.each<[string, ProviderOptions, string]>([
    ["the caller's goes first", { apiKey: "explicit", env, config }, "explicit"],
    ["then the environment's", { env, config }, "from-env"],
    ["then the config's", { env: {}, config }, "from-config"],
    ["an empty one of the caller's counts as none", { apiKey: "", env, config }, "from-env"],
    ["an empty one of the environment's counts as none", { env: { OPENAI_API_KEY: " \n" }, config }, "from-config"],
    ["white space around it is no part of it", { apiKey: " explicit\n", env }, "explicit"],
    ["a function is asked", { apiKey: () => "asked", env }, "asked"],
    ["a function that has none counts as none", { apiKey: () => undefined, env }, "from-env"],
  ])("%s", (_, options, key) => {
    expect(headersOf("openai", options)).toEqual({ authorization: `Bearer ${key}` });
  });

  test("the process's environment is read where no other is given, at the time of use", () => {
    const made = provider("openai");
    vi.stubEnv("OPENAI_API_KEY", "set-later");
    expect("headers" in made && made.headers()).toMatchObject({ authorization: "Bearer set-later" });
  });

  test("a function is asked again for each request", () => {
    let turn = 0;
    const made = provider("openai", { apiKey: () => `key-${(turn += 1)}`, env: {} });
    if (!("headers" in made)) throw new Error("no headers");
    expect([made.headers(), made.headers()]).toEqual([{ authorization: "Bearer key-1" }, { authorization: "Bearer key-2" }]);
  });

  test("a key that must be a string is an error", () => {
    const { code, message } = failure("openai", { apiKey: (() => 5) as never });
    expect([code, message]).toEqual(["AUTH_ERROR", expect.stringContaining("must be a string")]);
  });

  describe("a function that takes its time", () => {
    const made = (apiKey: ProviderOptions["apiKey"], env = {}) => {
      const upstream = provider("openai", { apiKey, env });
      if (!("headers" in upstream)) throw new Error("no headers");
      return upstream;
    };

    test("is asked before each request, and no more often", async () => {
      let turn = 0;
      const upstream = made(async () => `key-${(turn += 1)}`);
      for (const key of ["key-1", "key-2"]) {
        await upstream.prepare?.();
        expect([upstream.headers(), upstream.headers()]).toEqual(Array(2).fill({ authorization: `Bearer ${key}` }));
      }
      expect(turn).toBe(2);
    });

    test("has a key, as far as anybody can tell before it was asked", () => {
      expect(made(() => Promise.reject(new Error("later"))).headers()).toEqual({});
    });

    test("and has none leaves it to the environment", async () => {
      const upstream = made(async () => undefined, { OPENAI_API_KEY: "from-env" });
      await upstream.prepare?.();
      expect(upstream.headers()).toEqual({ authorization: "Bearer from-env" });
    });
  });

  test("the variables of a preset are tried in their order", () => {
    expect(headersOf("hf", { env: { HUGGINGFACE_API_KEY: "second" } })).toEqual({ authorization: "Bearer second" });
    expect(headersOf("hf", { env: { HUGGINGFACE_API_KEY: "second", HF_TOKEN: "first" } })).toEqual({
      authorization: "Bearer first",
    });
  });

  test("a server that answers without a key gets none, unless there is one", () => {
    expect(headersOf("ollama", { env: {} })).toEqual({});
    expect(headersOf("ollama", { env: { OLLAMA_API_KEY: "k" } })).toEqual({ authorization: "Bearer k" });
  });

  test("Azure gets the bare key in a header of its own", () => {
    const variables = { endpoint: "https://acme.openai.azure.com" };
    expect(headersOf("azure", { apiKey: "k", env: {}, variables })).toEqual({ "api-key": "k" });
  });

  test("a header of the caller's that brings the key makes any other needless", () => {
    expect(headersOf("openai", { env: {}, headers: { Authorization: "Bearer token" } })).toEqual({
      authorization: "Bearer token",
    });
  });
});

describe("a missing key", () => {
  test.each(servers.filter(({ keyless }) => !keyless))(
    "of $name is found on first use, and its variables are named",
    (preset) => {
      const error = failure(preset.name, { env: {}, baseUrl: "https://given.example" });
      expect(error).toMatchObject({ code: "AUTH_ERROR", provider: preset.name });
      for (const variable of preset.env ?? []) expect(error.message).toContain(variable);
    },
  );

  test("is also found where the preset names no variable", () => {
    const bare: Preset = { name: "bare", wire: "responses", baseUrl: "https://bare.example" };
    expect(failure(bare, { env: {} }).message).toBe("There is no API key for bare. Pass `apiKey`.");
  });
});

describe("a key never shows", () => {
  const options: ProviderOptions = {
    apiKey: secret,
    env: { OPENAI_API_KEY: secret },
    headers: { "x-token": secret },
    config: { openai: { apiKey: secret } },
  };

  test.each(servers)("in the provider made from $name", ({ name }) => {
    const made = provider(name, { ...options, baseUrl: "https://given.example", config: { [name]: { apiKey: secret } } });
    expect(JSON.stringify(made)).not.toContain(secret);
    expect(inspect(made, { depth: Infinity, showHidden: true })).not.toContain(secret);
    expect("headers" in made && Object.values(made.headers()).join()).toContain(secret);
  });

  test("in the error about one that no header can carry", () => {
    const error = failure("openai", { apiKey: `${secret}\u2026`, env: {} });
    expect(error.code).toBe("AUTH_ERROR");
    expect(inspect(error) + JSON.stringify(error)).not.toContain(secret);
  });
});

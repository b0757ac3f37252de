import { parseModelString } from "antiphon";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fill, Names, openPart } from "../../src/models/names.ts";
import { modelsProblems } from "../../src/models/read-config.ts";
import { withFields } from "../../src/models/request-fields.ts";
import { modelsOf, thrownBy } from "./support.ts";

const messagesOf = (config: unknown): string[] => modelsProblems(config).map(({ message }) => message);

/** What the library reports about a model string, without its full stop. */
function libraryMessage(model: string): string {
  try {
    parseModelString(model);
    return "";
  } catch (error) {
    return (error as Error).message.replace(/\.$/, "");
  }
}

describe("a configuration that cannot be", () => {
  test.each<[string, unknown, string]>([
    ["no table", [], "The configuration must be a table, not a list"],
    ["a wrong key", { models: { a: { uses: "offline" } } }, 'Unknown key "models.a.uses"; did you mean "use"?'],
    [
      "a wrong key in the spelling of files",
      { providers: { openai: { base_ulr: "x" } } },
      'Unknown key "providers.openai.base_ulr"; did you mean "base_url"?',
    ],
    [
      "a wrong type",
      { models: { a: { use: "offline", retries: "2" } } },
      "models.a.retries must be a whole number of at least 0, not a string",
    ],
    ["a wrong word", { discover: ["locl"] }, 'discover[0] must be one of environment, local; did you mean "local"?'],
    [
      "a weight of nothing",
      { models: { a: [{ model: "offline", weight: 0 }] } },
      "models.a[0].weight must be a number above 0, not 0",
    ],
    ["a choice without model", { models: { a: [{ weight: 1 }] } }, "models.a[0].model is required"],
    ["half a price", { models: { a: { use: "offline", price: { input: 1 } } } }, "models.a.price.output is required"],
    ["no choices", { models: { a: [] } }, "models.a must name at least one model"],
    ["two stars", { models: { "*-*": "offline" } }, `models."*-*" is not a valid model name: use at most one *`],
    [
      "a star that nothing fills",
      { models: { a: "offline:*" } },
      "models.a.use contains a *, which requires a * in the model's own name",
    ],
    [
      "an unknown provider",
      { models: { a: "opena:gpt-5.2" } },
      'models.a.use is "opena:gpt-5.2", which is not a known model; did you mean "openai:gpt-5.2"?',
    ],
    [
      "an unknown name",
      { models: { smart: "offline", a: "smrt" } },
      'models.a.use is "smrt", which is not a known model; did you mean "smart"?',
    ],
    [
      "a provider without model",
      { models: { a: "ollama" } },
      'models.a.use is "ollama", which has no default model: use ollama:MODEL',
    ],
    [
      "a bad model string",
      { models: { a: "openai:%" } },
      `models.a.use is "openai:%", which is not valid. ${libraryMessage("openai:%")}`,
    ],
    ["a circle", { models: { a: "b", b: ["offline", "c"], c: "a" } }, "models.a refers to itself"],
    [
      "an unknown default",
      { defaultModel: "smrt", models: { smart: "offline" } },
      'defaultModel is "smrt", which is not a known model; did you mean "smart"?',
    ],
    [
      "a default with a misspelt provider, although servers on this machine are offered",
      { defaultModel: "opnai:gpt-5.2" },
      'defaultModel is "opnai:gpt-5.2", which is not a known model; did you mean "openai:gpt-5.2"?',
    ],
    [
      "a request field",
      { models: { a: { use: "offline", params: { temprature: 1 } } } },
      'Unknown request field "models.a.params.temprature"; did you mean "temperature"?',
    ],
    [
      "a field of the gateway",
      { models: { a: { use: "offline", overrides: { store: true } } } },
      "models.a.overrides.store cannot be configured: requests or the gateway set it",
    ],
    [
      "a field of a wrong type",
      { models: { a: { use: "offline", params: { temperature: "hot" } } } },
      "models.a.params.temperature must be a number, not a string",
    ],
    [
      "a bad provider name",
      { providers: { "My Own": { wire: "chat", baseUrl: "x" } } },
      `providers."My Own" is not a valid provider name: use lowercase letters, digits, dots, underscores and dashes`,
    ],
    [
      "a server without address",
      { providers: { mine: { wire: "chat" } } },
      "providers.mine.baseUrl is required for a custom provider",
    ],
    [
      "a provider like nothing",
      { providers: { opnai: { apiKey: "sk-1" } } },
      'providers.opnai is not a known provider: set a preset, or a wire and a base URL; did you mean "openai"?',
    ],
    [
      "an unknown preset",
      { providers: { mine: { preset: "opnai" } } },
      'providers.mine.preset is not a known provider; did you mean "openai"?',
    ],
    [
      "a wire and a preset",
      { providers: { mine: { preset: "openai", wire: "chat" } } },
      "providers.mine.wire cannot be combined with a preset, which already defines it",
    ],
  ])("is told: %s", (_, config, message) => {
    expect(messagesOf(config)).toContain(message);
  });

  test("is told whole, and never with the value, which may be a key", async () => {
    const config = {
      providers: { openai: { apiKey: ["sk-secret"], headers: { authorization: 1 } } },
      models: { a: { uses: 1 } },
    };
    const error = await thrownBy(() => modelsOf(JSON.parse(JSON.stringify(config))));
    expect(error).toMatchObject({ code: "BAD_REQUEST", param: "providers.openai.apiKey" });
    expect(String(error).split("\n")).toHaveLength(3);
    expect(String(error)).not.toContain("secret");
  });

  test("is any value but a good one, and is told without throwing", () => {
    const names = fc.constantFrom("providers", "models", "discover", "defaultModel", "a", "use", "price", "*", "__proto__");
    const values = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, 1, "", "offline", "a", "*"),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(names, tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(values, (value) => {
        for (const { message, path } of modelsProblems(value))
          expect([typeof message, Array.isArray(path)]).toEqual(["string", true]);
      }),
    );
  });
});

test("a configuration may be spelled as files are, and hold what others read", () => {
  const config = {
    port: 8787,
    default_model: "smart",
    providers: { work: { wire: "chat", base_url: "http://127.0.0.1:1/v1", api_key: "k", embedding_model: "e" } },
    models: {
      smart: {
        use: [{ model: "work:x", weight: 1, price: { input: 1, output: 2, cache_write: 3 } }],
        timeouts: { first_event: 5 },
      },
      thoughtful: { use: "smart", params: { reasoning: { effort: "high" }, top_k: 3, stop: ["x"] } },
    },
  };
  expect(messagesOf(config)).toEqual([]);
});

describe("patterns", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "-", ":", "/", "$"), maxLength: 6 });

  test("take out of a name what they would put in", () => {
    fc.assert(
      fc.property(word, word, word.filter(Boolean), (before, after, part) => {
        const pattern = `${before}*${after}`;
        expect(openPart(pattern, fill(pattern, part))).toBe(part);
      }),
    );
  });

  test("find for a name the longest that fits, and the name itself before any", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(word, word)), word.filter(Boolean), (edges, name) => {
        const patterns = edges.map(([before, after]) => `${before}*${after}`);
        const names = new Names([...patterns, "exactly"].map((one) => ({ name: one, choices: [] })));
        const found = names.find(name);
        const fitting = patterns.filter((pattern) => openPart(pattern, name) !== undefined);
        expect(found?.named.name.length).toBe(fitting.length > 0 ? Math.max(...fitting.map(({ length }) => length)) : undefined);
        expect(names.find("exactly")).toMatchObject({ named: { name: "exactly" }, matched: undefined });
      }),
    );
  });
});

test("a request is not changed by what is put into it", () => {
  const request = Object.freeze({ input: "Hi", reasoning: Object.freeze({ summary: "auto" as const }) });
  const made = withFields(request, { reasoning: { effort: "low" } }, { text: { verbosity: "low" } });
  expect(made).toEqual({ input: "Hi", reasoning: { effort: "low", summary: "auto" }, text: { verbosity: "low" } });
});

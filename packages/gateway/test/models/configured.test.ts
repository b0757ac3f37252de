import { AntiphonError, text, type CreateResponse } from "antiphon";
import { describe, expect, test } from "vitest";
import { answerOf, at, failing, modelsOf, serve, say, speaker, thrownBy } from "./support.ts";

describe("a configured name", () => {
  test("asks the model that it stands for", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf({ providers: { work: at(server) }, models: { smart: "work:large-1" } });
    const route = models.resolve("smart");
    expect({ name: route.name, model: route.model, provider: route.provider }).toEqual({
      name: "smart",
      model: "large-1",
      provider: "work",
    });
    const response = await answerOf(route, { model: "smart" });
    expect(text(response)).toBe("Hello.");
    expect(server.asked.map(({ path, body }) => [path, body.model])).toEqual([["/v1/responses", "large-1"]]);
  });

  test("may stand for another name, with its settings", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf({
      providers: { work: at(server) },
      models: { smart: { use: "work:large-1", params: { temperature: 0.5 } }, best: { use: "smart", params: { top_p: 0.9 } } },
    });
    await answerOf(models.resolve("best"));
    expect(server.asked[0]?.body).toMatchObject({ model: "large-1", temperature: 0.5, top_p: 0.9 });
  });

  test("may be the name of the provider's own model, to say something about it", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf({
      providers: { work: at(server) },
      models: { "work:large-1": { params: { temperature: 0 } }, "work:*": { overrides: { temperature: 1 } } },
    });
    await answerOf(models.resolve("work:large-1"));
    await answerOf(models.resolve("work:small"));
    expect(server.asked.map(({ body }) => [body.model, body.temperature])).toEqual([
      ["large-1", 0],
      ["small", 1],
    ]);
  });

  test("is all that there is, beside the offline model, where models are configured", async () => {
    const models = await modelsOf({ models: { smart: "openai:gpt-5.2" } }, { env: { OPENAI_API_KEY: "sk-secret" } });
    expect(() => models.resolve("openai:gpt-5.2")).toThrow("Unknown model openai:gpt-5.2.");
    expect(models.resolve("offline").provider).toBe("offline");
    const open = await modelsOf(
      { discover: ["environment"], models: { smart: "openai:gpt-5.2" } },
      { env: { OPENAI_API_KEY: "sk-secret" } },
    );
    expect(open.resolve("openai:gpt-5.2").provider).toBe("openai");
  });
});

describe("a pattern", () => {
  const config = {
    models: {
      "gpt-*": "offline:gpt-*",
      "gpt-5-*": "offline:five-*",
      "gpt-5-nano": "offline:exactly",
      "anthropic/*": "offline:claude/*",
      "*": "offline:any",
    },
  };

  test.each([
    ["gpt-4o", "gpt-4o"],
    ["gpt-5-mini", "five-mini"],
    ["gpt-5-nano", "exactly"],
    ["anthropic/claude-x:beta", "claude/claude-x:beta"],
    ["whatever", "any"],
  ])("makes of %s the model %s", async (name, model) => {
    const models = await modelsOf(config);
    expect(models.resolve(name)).toMatchObject({ name, model });
  });

  test("takes a name as it is, whatever letters it has", async () => {
    const models = await modelsOf(config);
    expect(models.resolve("gpt-$&$1").model).toBe("gpt-$&$1");
    expect(models.resolve("__proto__").model).toBe("any");
    expect(models.resolve("constructor").model).toBe("any");
  });

  describe("that sends any name to one provider", () => {
    const env = { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" };

    test.each(["antropic/claude-sonnet-5", "opnai:gpt-5.2", "claude-sonnet-5", "anthropic/claude-sonnet-5"])(
      "does not send %s to it: the prompt was meant for another",
      async (name) => {
        const models = await modelsOf({ models: { "*": "openai:*" } }, { env });
        expect(() => models.resolve(name)).toThrow(`Unknown model ${name}.`);
        expect(models.resolve("gpt-9").model).toBe("gpt-9");
      },
    );

    test("sends a known model to its own vendor where there are several", async () => {
      const models = await modelsOf({ models: { "*": ["openai:*", "anthropic:*"] } }, { env });
      expect(["claude-sonnet-5", "gpt-5.2"].map((name) => models.resolve(name).provider)).toEqual(["anthropic", "openai"]);
    });

    test("sends another vendor's model to a proxy, which may serve it", async () => {
      const providers = { openai: { baseUrl: "http://127.0.0.1:4000/v1" } };
      const models = await modelsOf({ providers, models: { "*": "openai:*" } }, { env });
      for (const name of ["claude-sonnet-5", "anthropic/claude-sonnet-5", "mixtral:8x7b"])
        expect(models.resolve(name)).toMatchObject({ provider: "openai", model: name });
      expect(() => models.resolve("antropic/claude-sonnet-5")).toThrow("Unknown model");
    });

    test("leaves a name that says its provider, and a model that the configuration names, as they are", async () => {
      const models = await modelsOf({ models: { "claude-*": "openai:claude-proxy", "*": "*" } }, { env });
      expect(models.resolve("claude-sonnet-5")).toMatchObject({ provider: "openai", model: "claude-proxy" });
      expect(models.resolve("openai:claude-sonnet-5")).toMatchObject({ provider: "openai", model: "claude-sonnet-5" });
    });
  });

  test("leads nowhere where what it makes of a name is no model", async () => {
    const models = await modelsOf({ models: { "*": "*" } });
    expect(() => models.resolve("nobody:large")).toThrow(AntiphonError);
    expect(models.resolve("offline:x").model).toBe("x");
  });
});

describe("parameters", () => {
  const settings = {
    params: { temperature: 0.2, max_output_tokens: 100, reasoning: { effort: "low", summary: "auto" } },
    overrides: { service_tier: "flex", reasoning: { effort: "high" }, top_k: 3 },
  } as const;

  async function sent(request: CreateResponse): Promise<object | undefined> {
    const server = await speaker("Hello.");
    const models = await modelsOf({ providers: { work: at(server) }, models: { smart: { use: "work:large", ...settings } } });
    await answerOf(models.resolve("smart"), request);
    return server.asked[0]?.body;
  }

  test("fill in what a request does not say", async () => {
    expect(await sent({ temperature: null })).toMatchObject({ temperature: 0.2, max_output_tokens: 100 });
  });

  test("give way to what a request says", async () => {
    expect(await sent({ temperature: 0, max_output_tokens: 7 })).toMatchObject({ temperature: 0, max_output_tokens: 7 });
  });

  test("override what a request says where they are told to", async () => {
    expect(await sent({ service_tier: "priority" })).toMatchObject({ service_tier: "flex" });
  });

  test("are put together key by key", async () => {
    const mixed = { effort: "high", summary: "concise" };
    expect(await sent({ reasoning: { effort: "medium", summary: "concise" } })).toMatchObject({ reasoning: mixed });
    expect(await sent({ reasoning: { effort: null, summary: null } })).toMatchObject({
      reasoning: { effort: "high", summary: "auto" },
    });
  });
});

describe("timeouts and retries", () => {
  test("hold for the model that they were configured for", async () => {
    const silent = await serve(() => ({ hangs: true }));
    const models = await modelsOf({
      providers: { work: at(silent) },
      models: { slow: { use: "work:large", timeouts: { firstEvent: 50 }, retries: 1 } },
    });
    const error = await thrownBy(() => answerOf(models.resolve("slow")));
    expect(error).toMatchObject({
      code: "TIMEOUT",
      provider: "work",
      message: expect.stringContaining("50 ms (`timeouts.first_event`)"),
    });
    // The model may have been at work: the request is not sent again, whatever `retries` says.
    expect(silent.asked).toHaveLength(1);
  });

  test("hold for every model that says nothing else", async () => {
    const [silent, broken] = [await serve(() => ({ hangs: true })), await failing(500, "server_error")];
    const models = await modelsOf({
      timeouts: { firstEvent: 50 },
      providers: { work: at(silent), other: at(broken) },
      models: {
        slow: "work:large",
        slower: { use: "work:large", timeouts: { firstEvent: 60 } },
        again: { use: "other:x", retries: 1 },
      },
    });
    const messageOf = (name: string): Promise<unknown> => thrownBy(() => answerOf(models.resolve(name)));
    expect(await messageOf("slow")).toMatchObject({ message: expect.stringContaining("within 50 ms") });
    expect(await messageOf("slower")).toMatchObject({ message: expect.stringContaining("within 60 ms") });
    const vectors = models.resolveEmbeddings("slow").embed(["Hi"]);
    await expect(vectors).rejects.toMatchObject({ message: expect.stringContaining("within 50 ms (`timeouts.first_event`)") });
    await messageOf("again");
    expect(broken.asked).toHaveLength(2);
  });

  test("leave a failure to the client where there are none", async () => {
    let calls = 0;
    const server = await serve((asked) => ((calls += 1) === 1 ? { status: 500, json: {} } : say("Hello.", asked)));
    const models = await modelsOf({ providers: { work: at(server) }, models: { once: { use: "work:large", retries: 0 } } });
    expect(await thrownBy(() => answerOf(models.resolve("once")))).toMatchObject({ code: "SERVER_ERROR" });
    expect(text(await answerOf(models.resolve("once")))).toBe("Hello.");
  });
});

describe("a provider", () => {
  test("is asked with its key, its headers and its query", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf({
      providers: {
        work: { wire: "chat", baseUrl: server.url, apiKey: "sk-work-key", headers: { "X-Team": "blue" }, query: { v: "2" } },
      },
    });
    expect(text(await answerOf(models.resolve("work:large")))).toBe("Hello.");
    expect(server.asked[0]).toMatchObject({
      path: "/v1/chat/completions?v=2",
      headers: { authorization: "Bearer sk-work-key", "x-team": "blue" },
    });
  });

  test("of one's own gets nothing of the environment that was meant for the provider that it is like", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf(
      { providers: { copy: { preset: "openai", baseUrl: server.url } } },
      { env: { OPENAI_API_KEY: "sk-secret", OPENAI_ORG_ID: "org-secret" } },
    );
    await answerOf(models.resolve("copy:large"));
    const { headers } = server.asked[0]!;
    expect(JSON.stringify(headers)).not.toContain("secret");
  });

  test("under another name shares the key where it shares the address", async () => {
    const server = await speaker("Hello.");
    const env = { OPENAI_API_KEY: "sk-shared", OPENAI_BASE_URL: server.url };
    const models = await modelsOf({ providers: { second: { preset: "openai" } } }, { env });
    await answerOf(models.resolve("second:large"));
    expect(server.asked[0]?.headers).toMatchObject({ authorization: "Bearer sk-shared" });
  });

  test("may have models of its own that are meant where none is named", async () => {
    const server = await speaker("Hello.");
    const models = await modelsOf({ providers: { work: { ...at(server), model: "large-7" } } });
    expect(models.resolve("work").model).toBe("large-7");
    expect(models.resolve(null)).toMatchObject({ name: "work:large-7", provider: "work" });
  });
});

test("a key is in no error, whatever the server says", async () => {
  const key = "sk-very-secret-key";
  const server = await serve(({ headers }) => ({
    status: 401,
    json: { error: { message: `Wrong key ${headers.authorization}` } },
  }));
  const logged: object[] = [];
  const models = await modelsOf({ providers: { work: { ...at(server), apiKey: key } } }, { log: (entry) => logged.push(entry) });
  const failed = await thrownBy(() => answerOf(models.resolve("work:large")));
  const unknown = await thrownBy(() => models.resolve("work"));
  await models.list();
  expect(failed).toMatchObject({ code: "AUTH_ERROR" });
  expect(JSON.stringify([failed, String(failed), unknown, String(unknown), logged, models.resolve("work:large")])).not.toContain(
    key,
  );
  expect(logged).toEqual([{ level: "warn", message: "cannot list models", provider: "work", error: "AUTH_ERROR" }]);
});

test("a configured model that cannot be asked is told to the log, and asked all the same", async () => {
  const logged: object[] = [];
  const models = await modelsOf({ models: { smart: ["openai:gpt-5.2", "offline"] } }, { log: (entry) => logged.push(entry) });
  expect(logged).toMatchObject([{ level: "warn", message: "provider is not usable", model: "smart", provider: "openai" }]);
  const route = models.resolve("smart");
  await answerOf(route);
  expect(route.provider).toBe("offline");
});

test("the offline model takes its ids from the gateway", async () => {
  let count = 0;
  const models = await modelsOf({}, { newId: (prefix) => `${prefix}_gw${(count += 1)}` });
  const ids = await Promise.all([answerOf(models.resolve("offline")), answerOf(models.resolve("offline"))]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  expect(ids[0]?.id).toMatch(/^resp_gw\d+$/);
});

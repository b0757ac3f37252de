import { describe, expect, test } from "vitest";
import { listModels, provider } from "../../src/providers/index.ts";
import { idsOf, listingServer } from "./support/listing-server.ts";

const { asked, origin, serving, servingAs } = listingServer();

describe("listModels", () => {
  test("asks for the list with the key", async () => {
    await listModels(serving({ object: "list", data: [] }));
    expect(asked.at(-1)).toMatchObject({ method: "GET", headers: { authorization: "Bearer k" } });
  });

  test("fills in what the server does not tell", async () => {
    const [model] = await listModels(
      serving({ data: [{ id: "gpt-5.2", object: "model", created: 1_765_000_000, owned_by: "openai" }] }),
    );
    expect(model).toMatchObject({
      id: "gpt-5.2",
      provider: "openai",
      kind: "chat",
      created: 1_765_000_000,
      owner: "openai",
      contextWindow: 400_000,
      reasoning: true,
    });
  });

  test("believes the server where both tell", async () => {
    const [model] = await listModels(serving({ data: [{ id: "gpt-4o", context_length: 64_000 }] }));
    expect(model).toMatchObject({ contextWindow: 64_000, maxOutput: 16_384 });
  });

  test.each([
    ["a list under data", { data: [{ id: "a" }, { id: "b" }] }],
    ["a list under models", { models: [{ key: "a" }, { name: "b" }] }],
    ["a bare list", [{ id: "a" }, { id: "b" }]],
    ["a list of names", ["a", "b"]],
    ["a list with rubbish in it", { data: [{ id: "a" }, null, 7, {}, { id: "b" }] }],
  ])("reads %s", async (_, body) => {
    expect(idsOf(await listModels(serving(body)))).toEqual(["a", "b"]);
  });

  test.each([[{ data: "none" }], [{ ok: true }], [7], [null]])("does not take %j for a list", async (body) => {
    await expect(listModels(serving(body))).rejects.toMatchObject({ code: "PROTOCOL", provider: "openai" });
  });

  test("reads OpenRouter's architecture, limits and parameters", async () => {
    const body = {
      data: [
        {
          id: "acme/large",
          name: "Acme: Large",
          context_length: 200_000,
          architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
          top_provider: { context_length: 200_000, max_completion_tokens: 32_000 },
          supported_parameters: ["tools", "reasoning", "temperature"],
        },
        { id: "acme/vectors", architecture: { input_modalities: ["text"], output_modalities: ["embeddings"] } },
        { id: "acme/painter", architecture: { input_modalities: ["text"], output_modalities: ["image"] } },
      ],
    };
    const [large, vectors, painter] = await listModels(serving(body));
    expect(large).toEqual({
      id: "acme/large",
      provider: "openai",
      kind: "chat",
      name: "Acme: Large",
      contextWindow: 200_000,
      maxOutput: 32_000,
      input: ["text", "image", "file"],
      output: ["text"],
      tools: true,
      reasoning: true,
      schema: false,
    });
    expect([vectors?.kind, vectors?.output, painter?.kind]).toEqual(["embeddings", ["embedding"], "image"]);
  });

  test("reads what each of Hugging Face's hosts offers", async () => {
    const hosts = [
      { provider: "x", context_length: 8_000, supports_tools: false },
      { provider: "y", context_length: 32_000, supports_tools: true },
    ];
    const [model] = await listModels(serving({ data: [{ id: "org/m", owned_by: "org", providers: hosts }] }));
    expect(model).toMatchObject({ contextWindow: 32_000, tools: true, owner: "org" });
  });

  test("reads LM Studio's types and capabilities", async () => {
    const body = {
      models: [
        {
          type: "llm",
          key: "org/sees",
          display_name: "Sees",
          publisher: "org",
          max_context_length: 131_072,
          capabilities: { vision: true, trained_for_tool_use: false },
        },
        { type: "embedding", key: "org/other-name", max_context_length: 2_048 },
      ],
    };
    expect(await listModels(serving(body))).toEqual([
      {
        id: "org/sees",
        provider: "openai",
        kind: "chat",
        name: "Sees",
        owner: "org",
        contextWindow: 131_072,
        input: ["text", "image"],
        tools: false,
      },
      { id: "org/other-name", provider: "openai", kind: "embeddings", contextWindow: 2_048 },
    ]);
  });

  test("reads vLLM's window", async () => {
    expect(await listModels(serving({ data: [{ id: "m", owned_by: "vllm", max_model_len: 4_096 }] }))).toMatchObject([
      { contextWindow: 4_096 },
    ]);
  });

  test("follows Anthropic's pages, with its key and version", async () => {
    const claude = servingAs("anthropic", {
      "/models?limit=1000": { data: [{ type: "model", id: "a" }], has_more: true, first_id: "a", last_id: "a" },
      "/models?limit=1000&after_id=a": { data: [{ type: "model", id: "b" }], has_more: false, first_id: "b", last_id: "b" },
    });
    expect(idsOf(await listModels(claude))).toEqual(["a", "b"]);
    expect(asked.at(-1)?.headers).toMatchObject({ "x-api-key": "k", "anthropic-version": "2023-06-01" });
    expect(asked.at(-1)?.headers).not.toHaveProperty("authorization");
  });

  test("follows Gemini's pages, and reads its names, limits and methods", async () => {
    const methods = ["generateContent", "countTokens"];
    const large = {
      name: "models/gemini-9",
      displayName: "Gemini 9",
      inputTokenLimit: 1_000,
      outputTokenLimit: 100,
      thinking: true,
    };
    const google = servingAs("gemini", {
      "/models?pageSize=1000": { models: [{ ...large, supportedGenerationMethods: methods }], nextPageToken: "t/1" },
      "/models?pageSize=1000&pageToken=t%2F1": {
        models: [
          { name: "models/gecko", outputTokenLimit: 1, supportedGenerationMethods: ["embedContent"] },
          { name: "models/painter", supportedGenerationMethods: ["predict"] },
        ],
      },
    });
    const [first, second, third] = await listModels(google);
    expect(first).toMatchObject({
      id: "gemini-9",
      provider: "gemini",
      kind: "chat",
      name: "Gemini 9",
      contextWindow: 1_000,
      maxOutput: 100,
      reasoning: true,
    });
    expect([second?.id, second?.kind, third?.kind]).toEqual(["gecko", "embeddings", "image"]);
    expect(second).not.toHaveProperty("maxOutput");
    expect(asked.at(-1)?.headers).toMatchObject({ "x-goog-api-key": "k" });
  });

  test("does not go round in circles where a server does", async () => {
    const page = { data: [{ id: "a" }], has_more: true, last_id: "a" };
    const circling = servingAs("anthropic", { "/models?limit=1000": page, "/models?limit=1000&after_id=a": page });
    expect(idsOf(await listModels(circling))).toEqual(["a", "a"]);
  });

  test("reads Together's bare list", async () => {
    const together = servingAs("together", {
      "/models": [
        {
          id: "org/talks",
          type: "chat",
          display_name: "Talks",
          organization: "Org",
          context_length: 8_192,
          created: 1_700_000_000,
        },
        { id: "org/hears", type: "transcribe", organization: "Org" },
      ],
    });
    expect(await listModels(together)).toEqual([
      {
        id: "org/talks",
        provider: "together",
        kind: "chat",
        name: "Talks",
        owner: "Org",
        contextWindow: 8_192,
        created: 1_700_000_000,
      },
      { id: "org/hears", provider: "together", kind: "audio", owner: "Org" },
    ]);
  });

  test("reads GitHub's catalogue, which is beside the place where models answer", async () => {
    const github = servingAs("github", {
      "/catalog/models": [
        {
          id: "org/large",
          name: "Large",
          publisher: "Org",
          capabilities: ["streaming", "tool-calling"],
          limits: {
            max_input_tokens: 1_000,
            max_output_tokens: 100,
          },
          supported_input_modalities: ["text", "image"],
          supported_output_modalities: ["text"],
        },
      ],
    });
    expect(await listModels(github)).toEqual([
      {
        id: "org/large",
        provider: "github",
        kind: "chat",
        name: "Large",
        owner: "Org",
        tools: true,
        contextWindow: 1_000,
        maxOutput: 100,
        input: ["text", "image"],
        output: ["text"],
      },
    ]);
  });

  test("reads Venice's specifications", async () => {
    const capabilities = {
      supportsFunctionCalling: true,
      supportsReasoning: false,
      supportsResponseSchema: true,
      supportsVision: true,
    };
    const spec = { name: "Small", availableContextTokens: 32_000, maxCompletionTokens: 4_000, capabilities };
    const venice = servingAs("venice", { "/models": { data: [{ id: "small", type: "text", model_spec: spec }] } });
    expect(await listModels(venice)).toEqual([
      {
        id: "small",
        provider: "venice",
        kind: "chat",
        name: "Small",
        contextWindow: 32_000,
        maxOutput: 4_000,
        input: ["text", "image"],
        tools: true,
        reasoning: false,
        schema: true,
      },
    ]);
  });

  test.each(["perplexity", "vertex"])("says that %s lists none", async (name) => {
    const made = provider(name, { baseUrl: origin(), apiKey: "k", env: {} });
    await expect(listModels(made)).rejects.toMatchObject({ code: "UNSUPPORTED", provider: name });
  });

  test("names a missing key before it asks", async () => {
    const before = asked.length;
    await expect(listModels(provider("openai", { baseUrl: origin(), env: {} }))).rejects.toThrow("OPENAI_API_KEY");
    expect(asked.length).toBe(before);
  });

  test("stops when it is told to", async () => {
    await expect(listModels(serving([]), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("lists offline without a server", async () => {
    expect(await listModels(provider("offline"))).toMatchObject([
      { id: "offline", provider: "offline", kind: "chat", tools: true },
      { id: "offline-embedding", provider: "offline", kind: "embeddings" },
    ]);
  });
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listModels, provider, type ModelInfo, type Provider } from "../../src/providers/index.ts";
import { haveRecordings, recordings, type Recording } from "../support/recordings.ts";

interface Answer {
  status: number;
  body: string;
}

const answers = new Map<string, Answer>();
const asked: { url: string | undefined; method: string | undefined; authorization: string | undefined }[] = [];
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: request.url, method: request.method, authorization: request.headers.authorization });
    const { status, body } = answers.get(request.url ?? "") ?? { status: 404, body: "{}" };
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((closed) => server.close(closed)));

/** A provider whose server lists this. */
function serving(body: unknown, status = 200): Provider {
  const path = `/${answers.size}`;
  answers.set(`${path}/models`, { status, body: JSON.stringify(body) });
  return provider("openai", { baseUrl: `${origin}${path}`, apiKey: "k", env: {} });
}

const idsOf = (models: readonly ModelInfo[]): string[] => models.map(({ id }) => id);

describe("listModels", () => {
  test("asks for the list with the key", async () => {
    await listModels(serving({ object: "list", data: [] }));
    expect(asked.at(-1)).toMatchObject({ method: "GET", authorization: "Bearer k" });
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

  test("names a missing key before it asks", async () => {
    const before = asked.length;
    await expect(listModels(provider("openai", { baseUrl: origin, env: {} }))).rejects.toThrow("OPENAI_API_KEY");
    expect(asked.length).toBe(before);
  });

  test("stops when it is told to", async () => {
    await expect(listModels(serving([]), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("lists offline without a server", async () => {
    expect(await listModels(provider("offline"))).toMatchObject([
      { id: "offline", provider: "offline", kind: "chat", tools: true },
    ]);
  });
});

const lists = recordings("openai-models", "models-compatible-").filter((list) => list.meta().method === "GET");
const nameOf = ({ provider: name, status }: Recording): string => `${name} (${status})`;

describe.skipIf(!haveRecordings)("recorded lists", () => {
  test.each(lists.filter(({ status }) => status === 200).map((list) => [nameOf(list), list] as const))("%s", async (_, list) => {
    const models = await listModels(serving(list.json()));
    const { data } = list.json() as { data: { id: string }[] };
    expect(idsOf(models)).toEqual(data.map(({ id }) => id));
    expect(models.filter(({ kind }) => kind === "chat").length).toBeGreaterThan(0);
  });

  test.each(lists.filter(({ status }) => status !== 200).map((list) => [nameOf(list), list] as const))(
    "%s is an error",
    async (_, list) => {
      await expect(listModels(serving(list.json(), list.status))).rejects.toMatchObject({
        code: "AUTH_ERROR",
        status: list.status,
      });
    },
  );

  const listOf = async (name: string): Promise<ModelInfo[]> => {
    const list = lists.find((one) => one.provider === name && one.status === 200);
    return list ? listModels(serving(list.json())) : [];
  };
  const kindsOf = (models: readonly ModelInfo[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { kind } of models) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };

  test("Copilot tells kinds, limits and what each model supports", async () => {
    const models = await listOf("models-compatible-copilot");
    expect(kindsOf(models)).toEqual({ chat: 35, embeddings: 3, other: 1 });
    expect(models.find(({ id }) => id === "gpt-5.4")).toMatchObject({
      name: "GPT-5.4",
      contextWindow: 400_000,
      maxOutput: 128_000,
      input: ["text", "image"],
      reasoning: true,
      tools: true,
      schema: true,
    });
  });

  test("Mistral tells kinds by capabilities", async () => {
    const models = await listOf("models-compatible-mistral");
    const kinds = new Map(models.map(({ id, kind }) => [id, kind]));
    expect(
      ["mistral-embed", "mistral-moderation-latest", "mistral-ocr-latest", "mistral-medium-latest"].map((id) => kinds.get(id)),
    ).toEqual(["embeddings", "moderation", "other", "chat"]);
    expect(models.find(({ id }) => id === "mistral-medium-2508")).toMatchObject({
      contextWindow: 131_072,
      tools: true,
      input: ["text", "image"],
    });
  });

  test("llama.cpp tells the window that it was started with", async () => {
    expect(await listOf("models-compatible-llamacpp")).toMatchObject([{ contextWindow: 4_096, owner: "llamacpp" }]);
  });
});

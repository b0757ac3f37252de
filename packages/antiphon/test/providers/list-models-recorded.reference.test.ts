import { describe, expect, test } from "vitest";
import { listModels, modelInfo, type ModelInfo } from "../../src/providers/index.ts";
import { knownModels } from "../../src/providers/known-models.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { idsOf, listingServer } from "./support/listing-server.ts";

const { serving, servingAs } = listingServer();

const lists = recordings("openai-models", "models-compatible-").filter((list) => list.meta().method === "GET");
const nameOf = ({ provider: name, status }: Recording): string => `${name} (${status})`;

describe("recorded lists", () => {
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

  test("Anthropic tells limits and capabilities", async () => {
    const list = recordings("anthropic").find((one) => one.id.endsWith("list-models"));
    const models = await listModels(servingAs("anthropic", { "/models?limit=1000": list?.json() }));
    expect(models.find(({ id }) => id === "claude-opus-4-7")).toEqual({
      ...modelInfo("claude-opus-4-7"),
      id: "claude-opus-4-7",
      provider: "anthropic",
      kind: "chat",
      name: "Claude Opus 4.7",
      created: expect.any(Number),
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      input: ["text", "image", "file"],
      reasoning: true,
      schema: true,
    });
  });

  test("Anthropic's list agrees with the table, but for a window that a beta opens", async () => {
    const list = recordings("anthropic").find((one) => one.id.endsWith("list-models"));
    const models = await listModels(servingAs("anthropic", { "/models?limit=1000": list?.json() }));
    const facts = (model: ModelInfo | undefined) => [model?.contextWindow, model?.maxOutput, model?.input, model?.reasoning];
    const differing = models.filter((model) => JSON.stringify(facts(model)) !== JSON.stringify(facts(modelInfo(model.id))));
    expect(differing.map(({ id }) => id)).toEqual(["claude-sonnet-4-5-20250929"]);
  });

  test("Google's list agrees with the table, and tells kinds", async () => {
    const pages = recordings("gemini").filter((one) => one.id.includes("list-models"));
    const [first, second] = pages.map((page) => page.json() as { nextPageToken?: string });
    const google = servingAs("gemini", {
      "/models?pageSize=1000": first,
      [`/models?pageSize=1000&pageToken=${first?.nextPageToken}`]: second,
    });
    const models = await listModels(google);
    expect(kindsOf(models)).toEqual({ chat: 27, embeddings: 6, image: 10, audio: 5, other: 6 });
    const limits = (model: ModelInfo | undefined) => [model?.contextWindow, model?.maxOutput];
    const known = models.filter(({ id, kind }) => kind === "chat" && knownModels().some((one) => one.id === id));
    const differing = known.filter((model) => JSON.stringify(limits(model)) !== JSON.stringify(limits(modelInfo(model.id))));
    expect([known.length > 5, differing.map(({ id }) => id)]).toEqual([true, []]);
  });

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

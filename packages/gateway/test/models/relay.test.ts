import type { ResponseEvent } from "antiphon";
import { describe, expect, test } from "vitest";
import type { ProviderSettings } from "../../src/models/models-config.ts";
import type { ModelRoute } from "../../src/models/models.ts";
import { at, modelsOf, speaker } from "./support.ts";

const env = {
  OPENAI_API_KEY: "sk-1",
  ANTHROPIC_API_KEY: "sk-2",
  AZURE_OPENAI_API_KEY: "sk-3",
  AZURE_OPENAI_ENDPOINT: "https://a.example",
};

async function wireOf(
  use: string | string[],
  providers: Record<string, ProviderSettings> = {},
  more = {},
): Promise<string | undefined> {
  const models = await modelsOf({ providers, models: { it: use } }, { env: { ...env, OPENROUTER_API_KEY: "sk-4", ...more } });
  return models.resolve("it").relay?.wire;
}

describe("an answer may pass unread", () => {
  test.each([
    ["openai:gpt-5.2", "responses"],
    ["azure:gpt-5.2", "responses"],
    ["openai-chat:gpt-5.2", "chat"],
    ["anthropic:claude-x", "messages"],
    ["openrouter:x", undefined],
    ["offline", undefined],
  ])("from %s: %s", async (use, wire) => {
    expect(await wireOf(use)).toBe(wire);
  });

  test("never from a model with several choices, which must see whether one fails before its output", async () => {
    expect(await wireOf(["openai:gpt-5.2", "azure:gpt-5.2"])).toBeUndefined();
    expect(await wireOf(["openai:gpt-5.2"])).toBe("responses");
  });

  test("not from an official provider at an address that somebody gave", async () => {
    expect(await wireOf("openai:gpt-5.2", {}, { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toBeUndefined();
    expect(await wireOf("openai:gpt-5.2", { openai: { baseUrl: "http://127.0.0.1:1/v1" } })).toBeUndefined();
    expect(await wireOf("second:gpt-5.2", { second: { preset: "openai" } })).toBe("responses");
  });

  test("where the configuration says so, or not where it says not", async () => {
    const server = { wire: "chat", baseUrl: "http://127.0.0.1:1/v1" } as const;
    expect(await wireOf("work:x", { work: server })).toBeUndefined();
    expect(await wireOf("work:x", { work: { ...server, relay: true } })).toBe("chat");
    expect(await wireOf("openai:x", { openai: { relay: false } })).toBeUndefined();
    expect(await wireOf("g:x", { g: { ...server, wire: "gemini", relay: true } })).toBeUndefined();
  });
});

async function eventsOf(route: ModelRoute): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of route.relay!.respond({ input: "Hi", stream: true })) events.push(event);
  return events;
}

test("a relayed answer passes as it came, with the parameters of its model", async () => {
  const sound = await speaker("Hello.");
  const models = await modelsOf({
    providers: { second: { ...at(sound), relay: true } },
    models: { smart: { use: "second:b", params: { top_p: 0.5 } } },
  });
  const route = models.resolve("smart");
  const events = await eventsOf(route);
  const passed = events.flatMap((event) => (event.type === "antiphon:wire" ? [event.text] : []));
  expect(passed.join("")).toContain("event: response.output_text.delta\n");
  expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  expect([route.provider, sound.asked[0]?.body.top_p]).toEqual(["second", 0.5]);
});

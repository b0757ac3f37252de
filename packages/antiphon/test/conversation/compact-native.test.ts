import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { provider } from "../../src/providers/registry.ts";
import { compactItems } from "../../src/transport/compact.ts";
import type { WireUpstream } from "../../src/transport/upstream.ts";
import type { CreateResponse, InputItem } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { collect } from "../../src/core/collect.ts";
import { counting } from "./chat-support.ts";
import { serve } from "../transport/support/servers.ts";

const at = (origin: string): WireUpstream => provider("openai:gpt-5.2", { baseUrl: `${origin}/v1`, apiKey: "k" }) as WireUpstream;

describe("compactItems", () => {
  test("says what a server that has no such endpoint says", async () => {
    const { origin } = await serve((response) => void response.writeHead(404).end('{"error":{"message":"Unknown path."}}'));
    await expect(compactItems(at(origin), { model: "m", input: "Hi" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      provider: "openai",
    });
  });

  test("refuses an answer without items", async () => {
    const { origin } = await serve(
      (response) => void response.setHeader("content-type", "application/json").end('{"output":"none"}'),
    );
    await expect(compactItems(at(origin), { model: "m", input: "Hi" })).rejects.toMatchObject({ code: "PROTOCOL" });
  });
});

test("a chat with a provider that can compact lets it, and sends what it gave", async () => {
  const answers = offline({ newId: counting() });
  const { origin, seen } = await serve(async (response, { url, body }) => {
    const request = JSON.parse(body) as CreateResponse;
    response.setHeader("content-type", "application/json");
    if (url.endsWith("/compact"))
      return response.end(JSON.stringify({ output: [{ type: "compaction", id: "cmp_1", encrypted_content: "sealed" }] }));
    const said = await collect(answers({ input: "[[say:Fine]]", model: request.model ?? "" }));
    return response.end(JSON.stringify({ ...said, store: false, usage: null }));
  });
  const agent = new Agent({ model: at(origin), store: false });
  const chat = agent.chat({ context: { budget: 500, keep: 0 } });
  for (let turn = 0; turn < 12; turn += 1) await chat.send(`Turn ${turn} ${"word ".repeat(40)}`);
  const asked = seen.filter(({ url }) => url.endsWith("/compact"));
  expect(asked.length).toBeGreaterThan(0);
  const last = JSON.parse(seen.at(-1)!.body) as { input: InputItem[] };
  expect(last.input[0]).toMatchObject({ type: "compaction", encrypted_content: "sealed" });
  expect(last.input.length).toBeLessThan(12);
  expect(chat.log.compacted?.origin).toMatchObject({ provider: "openai", endpoint: `${origin}/v1` });
});

import type { ResponseEvent, TerminalEvent } from "antiphon";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGateway, type Served } from "../../src/node.ts";
import { send } from "../support/client.ts";

// A gateway behind a gateway: what the one says in the words of Messages passes through the other unread, where it can.
let behind: Served;
let served: Served;
beforeAll(async () => {
  behind = await startGateway({ port: 0, discover: false });
  const acme = { wire: "messages", baseUrl: `${behind.url}/v1`, relay: true } as const;
  const own = { ...acme, wire: "responses" } as const;
  const chat = { ...acme, wire: "chat" } as const;
  const models = { it: "acme:offline", same: "own:offline", chat: "chat:offline", offline: "offline" };
  served = await startGateway({ port: 0, providers: { acme, own, chat }, models });
});
afterAll(async () => {
  await served.close();
  await behind.close();
});

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const requests = [
  ["passes", {}],
  ["passes and has lost some of what was asked", { thinking: { type: "enabled", budget_tokens: 2000 }, temperature: 0.5 }],
  ["must be read: its form comes from a hidden tool", { output_config: { format: { type: "json_schema", schema: city } } }],
] as const;

test.each(requests)("a stream that %s begins and ends once", async (_, more) => {
  const body = { model: "it", max_tokens: 4000, messages: [{ role: "user", content: "Name a city" }], stream: true, ...more };
  const told = await (await send(`${served.url}/v1/messages`, body)).text();
  const names = [...told.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  expect(names[0]).toBe("message_start");
  expect(names.filter((name) => name === "message_start")).toHaveLength(1);
  expect(names.filter((name) => name === "message_stop")).toHaveLength(1);
  expect(told).toContain("text_delta");
  expect(told).not.toContain("tool_use");
});

test("a response whose beginning passed unread begins as it was asked for, under the gateway's own id", async () => {
  const asked = { model: "same", input: "Hi", instructions: "Be brief.", metadata: { a: "b" }, temperature: 0.5, stream: true };
  const told = await (await send(`${served.url}/v1/responses`, asked)).text();
  const events = [...told.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!) as ResponseEvent);
  const [created, begun] = events;
  const { id, status, model, instructions, metadata, temperature, output } = (created as TerminalEvent).response;
  expect([created?.type, begun?.type]).toEqual(["response.created", "response.in_progress"]);
  expect({ status, model, instructions, metadata, temperature, output }).toEqual({
    status: "in_progress",
    model: "same",
    instructions: "Be brief.",
    metadata: { a: "b" },
    temperature: 0.5,
    output: [],
  });
  expect(begun).toMatchObject({ response: (created as TerminalEvent).response });
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const last = events.at(-1) as TerminalEvent;
  expect(last).toMatchObject({ type: "response.completed", response: { id, status: "completed", instructions: "Be brief." } });
  const kept = await fetch(`${served.url}/v1/responses/${id}`);
  expect(await kept.json()).toEqual(last.response);
});

test.each(["chat", "same", "offline"])("a stream of Chat tells the usage if it is asked to, and only then: %s", async (model) => {
  const usageOf = async (more: object): Promise<unknown[]> => {
    const body = { model, messages: [{ role: "user", content: "Hi" }], stream: true, ...more };
    const told = await (await send(`${served.url}/v1/chat/completions`, body)).text();
    expect(told).toMatch(/data: \[DONE\]\s*$/);
    const chunks = [...told.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!) as { usage?: unknown });
    return chunks.flatMap(({ usage }) => usage ?? []);
  };
  expect(await usageOf({ stream_options: { include_usage: true } })).toMatchObject([{ total_tokens: expect.any(Number) }]);
  expect(await usageOf({ stream_options: { include_usage: false } })).toEqual([]);
  expect(await usageOf({})).toEqual([]);
});

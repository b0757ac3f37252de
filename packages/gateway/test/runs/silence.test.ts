import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { GatewayConfig } from "../../src/config.ts";
import { startGateway } from "../../src/node.ts";
import type { Told } from "../support/client.ts";
import { say, serve, type Answer, type Asked } from "../models/support.ts";

const minute = 60_000;

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** Waits for the network, whose clock is real. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
  await settle();
}
async function pass(minutes: number): Promise<void> {
  for (let quarter = 0; quarter < minutes * 4; quarter += 1) {
    vi.advanceTimersByTime(minute / 4);
    await settle();
  }
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** What has come so far. */
  text: string;
  ended: boolean;
}

/** Sends a request by a client without a clock of its own. */
function send(url: string, body?: object): Reply {
  const reply: Reply = { status: 0, headers: {}, text: "", ended: false };
  const headers = { "content-type": "application/json" };
  const request = httpRequest(url, { method: body ? "POST" : "GET", headers, agent: false }, (response) => {
    Object.assign(reply, { status: response.statusCode, headers: response.headers });
    response.on("data", (bytes: Buffer) => (reply.text += bytes.toString()));
    response.on("end", () => (reply.ended = true));
  });
  request.end(body && JSON.stringify(body));
  return reply;
}

/** A model that answers when it is told to. */
async function thinker(): Promise<{ url: string; asked: readonly Asked[]; answer(): void }> {
  let answer = (): void => {};
  const spoken = new Promise<void>((resolve) => (answer = resolve));
  const upstream = await serve(async (asked): Promise<Answer> => {
    await spoken;
    return say("Hello", asked);
  });
  return { url: upstream.url, asked: upstream.asked, answer };
}

async function gatewayTo(urls: Record<string, string>, config: GatewayConfig = {}): Promise<string> {
  const wire = "responses" as const;
  const providers = Object.fromEntries(Object.entries(urls).map(([name, baseUrl]) => [name, { wire, baseUrl, relay: true }]));
  const models = { it: Object.keys(urls).map((name) => `${name}:m`) };
  const { url, close } = await startGateway({ port: 0, telemetry: { logs: false }, providers, models, ...config });
  onTestFinished(async () => {
    vi.useRealTimers();
    await close({ signal: AbortSignal.abort() });
  });
  return url;
}

const requests: [string, string, object][] = [
  ["a stream of Responses", "/v1/responses", { input: "Hi", stream: true }],
  ["a stream of Chat", "/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }], stream: true }],
  ["a stream of Messages", "/v1/messages", { messages: [{ role: "user", content: "Hi" }], max_tokens: 99, stream: true }],
  ["a plain answer", "/v1/responses", { input: "Hi" }],
  ["a background response", "/v1/responses", { input: "Hi", background: true, stream: true }],
];
const timedOut = "No event arrived within 900000 ms (`timeouts.first_event`).";

describe("a model that is silent", () => {
  test.each(requests)("for 9.5 minutes is waited for: %s", async (_, path, body) => {
    const model = await thinker();
    const reply = send((await gatewayTo({ slow: model.url })) + path, { model: "it", ...body });
    await until(() => model.asked.length > 0);
    await pass(9.5);
    model.answer();
    await until(() => reply.ended);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain("Hello");
    expect(model.asked).toHaveLength(1);
  });

  test.each(requests)("for longer than 15 minutes fails once, after one request: %s", async (_, path, body) => {
    const model = await thinker();
    const reply = send((await gatewayTo({ slow: model.url })) + path, { model: "it", ...body });
    await until(() => model.asked.length > 0);
    await pass(60);
    await until(() => reply.ended);
    expect(reply.text).toContain(timedOut);
    expect(model.asked).toHaveLength(1);
  });

  test("keeps the connections of its clients open by comments, before the first event as well", async () => {
    const model = await thinker();
    const reply = send(`${await gatewayTo({ slow: model.url })}/v1/responses`, { model: "it", input: "Hi", stream: true });
    await until(() => model.asked.length > 0);
    await pass(1);
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(/^(:\n\n){2,}$/);
    model.answer();
    await until(() => reply.ended);
    expect(reply.text.replaceAll(":\n\n", "")).toMatch(/^event: response\.created\n[^]*\ndata: \[DONE\]\n\n$/);
  });

  test("ends a plain request with a 504 that the official clients do not retry", async () => {
    const model = await thinker();
    const reply = send(`${await gatewayTo({ slow: model.url })}/v1/responses`, { model: "it", input: "Hi" });
    await until(() => model.asked.length > 0);
    await pass(16);
    expect([reply.status, reply.headers["x-should-retry"]]).toEqual([504, "false"]);
  });

  test("is followed by the next choice, which is another model", async () => {
    const [slow, quick] = [await thinker(), await serve((asked) => say("Hello", asked))];
    const url = await gatewayTo({ slow: slow.url, quick: quick.url });
    const reply = send(`${url}/v1/responses`, { model: "it", input: "Hi", background: true });
    await until(() => slow.asked.length > 0 && reply.ended);
    await pass(16);
    const stored = send(`${url}/v1/responses/${(JSON.parse(reply.text) as Told).id}`);
    await until(() => stored.ended);
    expect(JSON.parse(stored.text)).toMatchObject({ status: "completed" });
    expect([slow.asked.length, quick.asked.length]).toEqual([1, 1]);
  });

  test("counts as failing: after three timeouts the next choice is asked at once", async () => {
    const [slow, quick] = [await thinker(), await serve((asked) => say("Hello", asked))];
    const url = await gatewayTo({ slow: slow.url, quick: quick.url }, { timeouts: { firstEvent: minute } });
    for (let request = 1; request <= 5; request += 1) {
      const reply = send(`${url}/v1/responses`, { model: "it", input: "Hi" });
      await until(() => slow.asked.length === Math.min(request, 3));
      if (request <= 3) await pass(1.25);
      await until(() => reply.ended);
      expect(reply.text).toContain("Hello");
    }
    expect([slow.asked.length, quick.asked.length]).toEqual([3, 5]);
  });
});

test.each(requests.slice(0, 3))(
  "a stream that fails after a silence ends with an error of its wire format: %s",
  async (_, path, body) => {
    let fail = (): void => {};
    const failure = new Promise<void>((resolve) => (fail = resolve));
    const upstream = await serve(async (): Promise<Answer> => {
      await failure;
      return { status: 401, json: { error: { message: "No such key sk-12345678.", code: "invalid_api_key" } } };
    });
    const reply = send((await gatewayTo({ slow: upstream.url })) + path, { model: "it", ...body });
    await until(() => upstream.asked.length > 0);
    await pass(1);
    fail();
    await until(() => reply.ended);
    const [name, data = ""] = reply.text.replaceAll(":\n\n", "").split("data: ");
    expect(name).toBe(path === "/v1/chat/completions" ? "" : "event: error\n");
    expect(JSON.parse(data.split("\n")[0] ?? "")).toMatchObject({ error: { message: expect.stringContaining("slow") } });
    expect(reply.text).not.toContain("sk-12345678");
    expect(reply.text.endsWith("[DONE]\n\n")).toBe(path === "/v1/responses");
  },
);

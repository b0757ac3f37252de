import { AntiphonError } from "antiphon";
import { offline } from "antiphon/testing";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type Served } from "../../src/node.ts";
import { ask, eventsIn, send, SocketClient } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";

let served: Served;
beforeAll(async () => {
  const refusing = (code: "AUTH_ERROR" | "RATE_LIMIT") => () => {
    throw new AntiphonError(code, "No.", { provider: "acme", status: 401, retryAfter: 2_500 });
  };
  const keyless = () => {
    throw new AntiphonError("AUTH_ERROR", "There is no key for acme: pass `apiKey`.", { provider: "acme" });
  };
  const models = { offline: offline(), locked: refusing("AUTH_ERROR"), keyless, busy: refusing("RATE_LIMIT") };
  served = await startGateway({ port: 0, catalogue: catalogueOf(models), limits: { maxBodyBytes: 100_000 } });
});
afterAll(() => served.close());

const at = (path: string): string => `${served.url}${path}`;
const thinking = { model: "offline", input: "Hello", reasoning: { effort: "high" }, stream: true };

describe("the faces", () => {
  test("of the specification and of OpenAI name raw reasoning each in their own way", async () => {
    const typesAt = async (path: string): Promise<Set<string>> =>
      new Set(eventsIn(await (await send(at(path), thinking)).text()).map(({ type }) => type));
    expect(await typesAt("/v1/responses")).toContain("response.reasoning.delta");
    expect(await typesAt("/openai/v1/responses")).toContain("response.reasoning_text.delta");
  });

  test("of Chat Completions answers plainly and in a stream", async () => {
    const asked = { model: "offline", messages: [{ role: "user", content: "What is 6 * 7?" }] };
    const told = (await (await send(at("/v1/chat/completions"), asked)).json()) as { object: string; choices: unknown };
    expect(told.object).toBe("chat.completion");
    expect(JSON.stringify(told.choices)).toContain("42");
    const text = await (await send(at("/v1/chat/completions"), { ...asked, stream: true })).text();
    expect(text).toContain("chat.completion.chunk");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("of Messages answers plainly and in a stream", async () => {
    const asked = { model: "offline", max_tokens: 100, messages: [{ role: "user", content: "What is 6 * 7?" }] };
    expect(JSON.stringify(await ask(at("/v1/messages"), asked))).toContain("42");
    const text = await (await send(at("/v1/messages"), { ...asked, stream: true })).text();
    expect(text).toContain("event: message_start");
    expect(text).toContain("event: message_stop");
  });

  test("of Messages tells the id of a request under its own name too, whatever came of it", async () => {
    for (const max_tokens of [100, 0]) {
      const { headers } = await send(at("/v1/messages"), {
        model: "offline",
        max_tokens,
        messages: [{ role: "user", content: "Hi" }],
      });
      expect(headers.get("request-id")).toMatch(/^req_/);
      expect(headers.get("request-id")).toBe(headers.get("x-request-id"));
    }
  });

  test("of Messages counts tokens, more of them for more words", async () => {
    const count = async (content: string): Promise<number> => {
      const told = await ask(at("/v1/messages/count_tokens"), { model: "offline", messages: [{ role: "user", content }] });
      expect(Object.keys(told)).toEqual(["input_tokens"]);
      return (told as unknown as { input_tokens: number }).input_tokens;
    };
    expect(await count("Hello, is anybody there who could tell me the time?")).toBeGreaterThan(await count("Hello"));
  });

  test("of OpenAI lets its clients say on a WebSocket that they want a stream", async () => {
    const socket = await new SocketClient(at("/openai/v1/responses")).open();
    const told = await socket.turn({ model: "offline", input: "What is 6 * 7?", stream: true });
    expect(told.at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  test("keep nothing of chats", async () => {
    const asked = { model: "offline", messages: [{ role: "user", content: "Hello" }] };
    const { id } = await ask(at("/v1/chat/completions"), asked);
    expect((await fetch(at(`/v1/responses/${id}`))).status).toBe(404);
  });
});

describe("a refusal", () => {
  test("tells in the words of its wire", async () => {
    const chat = await ask(at("/v1/chat/completions"), { model: "offline" });
    const messages = await ask(at("/v1/messages"), { model: "offline" });
    expect(chat.error.message).toBeTypeOf("string");
    expect(messages).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });

  test("does not take the key of the gateway for that of the client", async () => {
    const response = await send(at("/v1/responses"), { model: "locked", input: "Hello" });
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("rejected the gateway's API key");
  });

  test("reports a missing key of a provider as a fault of the gateway, without advice for programs", async () => {
    const response = await send(at("/v1/chat/completions"), { model: "keyless", messages: [{ role: "user", content: "Hello" }] });
    expect(response.status).toBe(502);
    const body = await response.text();
    expect(body).toContain("The gateway has no valid API key for the provider acme.");
    expect(body).not.toContain("apiKey");
  });

  test("says when to come back", async () => {
    const response = await send(at("/v1/responses"), { model: "busy", input: "Hello" });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("3");
  });

  test.each([
    ["what is no JSON", "{", 400],
    ["what is no object", "[1]", 400],
    ["what is nested too deeply", `{"input":${"[".repeat(300)}${"]".repeat(300)}}`, 400],
    ["what is no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ["what is too large", JSON.stringify({ input: "x".repeat(200_000) }), 413],
  ])("answers %s", async (_, body, status) => {
    const response = await fetch(at("/v1/responses"), { method: "POST", body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) as string } });
  });

  test("answers a small body that unpacks to a large one", async () => {
    const body = gzipSync(JSON.stringify({ input: "x".repeat(10_000_000) }));
    const response = await fetch(at("/v1/responses"), { method: "POST", body, headers: { "content-encoding": "gzip" } });
    expect(response.status).toBe(413);
  });

  test("says what is possible where a method is not, and nothing where there is nothing", async () => {
    const wrong = await fetch(at("/v1/responses"), { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(at("/v1/nothing"))).status).toBe(404);
  });
});

test("an unknown path below /v1/messages is answered in the form of the Messages API", async () => {
  for (const [path, method, status] of [
    ["/v1/messages/batches", "POST", 404],
    ["/v1/messages", "GET", 405],
  ] as const) {
    const response = await fetch(at(path), { method });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status,
      body: { type: "error", error: { type: expect.any(String) as string } },
    });
  }
});

test("packed bodies are read", async () => {
  const body = gzipSync(JSON.stringify({ model: "offline", input: "What is 6 * 7?" }));
  const response = await fetch(at("/v1/responses"), { method: "POST", body, headers: { "content-encoding": "gzip" } });
  expect(await response.text()).toContain("42");
});

test("a gateway that is its own upstream says so", async () => {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const baseUrl = `http://127.0.0.1:${port}/openai/v1`;
  const own = await startGateway({
    port,
    providers: { me: { preset: "openai", baseUrl, apiKey: "none" } },
    models: { loop: "me:loop" },
    telemetry: { logs: false },
  });
  const response = await send(`${own.url}/v1/responses`, { model: "loop", input: "Hello" });
  expect(await response.text()).toContain("would call itself");
  await own.close();
});

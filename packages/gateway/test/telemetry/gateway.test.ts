import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { connect, provider } from "antiphon";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { startGateway, type ServeOptions } from "../../src/node.ts";
import type { LogOptions } from "../../src/telemetry/logs/logs.ts";
import { ask, send, SocketClient } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";

describe("the log of a gateway", () => {
  const request = { model: "offline", input: "the word is plum" };

  /** What a gateway logs while it is asked something. */
  async function loggedWhile(
    use: (url: string) => Promise<void>,
    options: LogOptions = {},
    models: ServeOptions = {},
  ): Promise<Record<string, unknown>[]> {
    const to = new PassThrough();
    const served = await startGateway({
      port: 0,
      discover: [],
      telemetry: { logs: { to, level: "info", ...options } },
      ...models,
    });
    await use(served.url);
    await served.close();
    const lines = String(to.read()).trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** What it logs while it is asked the same thing in several ways. */
  const logged = (options: LogOptions): Promise<Record<string, unknown>[]> =>
    loggedWhile(async (url) => {
      await ask(`${url}/v1/responses`, request);
      const headers = { authorization: "Bearer sk-secret-123456" };
      await (await send(`${url}/openai/v1/responses`, { ...request, stream: true }, headers)).text();
      await (await fetch(`${url}/v1/responses/resp_missing`)).text();
    }, options);

  test("has a line for every request and every response, tied by the id of the request", async () => {
    const lines = await logged({});
    const requests = lines.filter(({ message }) => message === "request");
    const responses = lines.filter(({ message }) => message === "response");
    expect(requests.map(({ route, status }) => [route, status])).toEqual([
      ["/v1/responses", 200],
      ["/openai/v1/responses", 200],
      ["/v1/responses/:id", 404],
    ]);
    expect(responses.map(({ status, streamed }) => [status, streamed])).toEqual([
      ["completed", false],
      ["completed", true],
    ]);
    expect(responses.map(({ request_id }) => request_id)).toEqual(requests.slice(0, 2).map(({ request_id }) => request_id));
    expect(JSON.stringify(lines)).not.toMatch(/plum|sk-secret/);
  });

  test("has a line for every message of a WebSocket, under the id that its client was told", async () => {
    let told: string | undefined;
    const lines = await loggedWhile(async (url) => {
      const client = await new SocketClient(`${url}/v1/responses`).open();
      told = client.handshake["x-request-id"] as string;
      await client.turn(request);
      await client.turn({ ...request, previous_response_id: "resp_missing" });
      client.close();
    });
    expect(told).toMatch(/^req_/);
    const of = (kind: string): unknown[] =>
      lines.flatMap(({ message, status, request_id }) => (message === kind ? [[status, request_id]] : []));
    expect(of("response")).toEqual([["completed", told]]);
    expect(of("request")).toEqual([
      [200, told],
      [400, told],
    ]);
  });

  test("has a line for a WebSocket that was refused", async () => {
    const lines = await loggedWhile(async (url) => {
      const headers = { origin: "https://elsewhere.example" };
      await expect(new SocketClient(`${url}/v1/responses`, headers).open()).rejects.toThrow("403");
      await expect(new SocketClient(`${url}/v1/elsewhere`).open()).rejects.toThrow("404");
    });
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ["GET", "/v1/responses", 403],
      ["GET", "unmatched", 404],
    ]);
  });

  test("has a line for embeddings and compactions too, with what they took or why they failed", async () => {
    const lines = await loggedWhile(async (url) => {
      await ask(`${url}/v1/embeddings`, { model: "offline", input: "plum" });
      await ask(`${url}/v1/responses/compact`, request);
      await ask(`${url}/v1/responses/compact`, { model: "offline", input: "[[error:server_error]]" });
    });
    const told = lines.filter(({ message }) => message === "response");
    expect(told.map(({ model, status, error, input_tokens }) => [model, status, error, Number(input_tokens) > 0])).toEqual([
      ["offline", "completed", undefined, true],
      ["offline", "completed", undefined, true],
      ["offline", "refused", "SERVER_ERROR", false],
    ]);
  });

  test("says what was left out because the model's wire has no words for it", async () => {
    const behind = await startGateway({ port: 0, discover: [], telemetry: { logs: false } });
    const chat = connect(provider("openai-chat", { baseUrl: `${behind.url}/v1`, apiKey: "none", model: "offline" }));
    const asked = { ...request, model: "chat", tools: [{ type: "image_generation" }], stream: true };
    const lines = await loggedWhile(
      async (url) => void (await (await send(`${url}/v1/responses`, asked)).text()),
      {},
      { catalogue: catalogueOf({ chat }) },
    );
    await behind.close();
    const [left, response] = lines;
    expect(left).toMatchObject({
      level: "info",
      message: "fields not supported by the model's API",
      model: "chat",
      response: response?.["id"],
    });
    expect(left?.["request_id"]).toBe(response?.["request_id"]);
    expect(left?.["losses"]).toEqual([expect.stringMatching(/^tools\[0\]: /)]);
  });

  test("has what was said where that is asked for, and no keys", async () => {
    const text = JSON.stringify(await logged({ content: true }));
    expect(text).toContain("the word is plum");
    expect(text).not.toContain("sk-secret");
  });
});

test.each(["HTTP", "WebSocket"])("a trace goes from the client through the gateway to the upstream, by %s", async (way) => {
  const exporter = new InMemorySpanExporter();
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const heard: IncomingHttpHeaders[] = [];
  const upstream = createServer(({ headers }, response) => {
    heard.push(headers);
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"No."}}');
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const model = connect(provider("openai", { baseUrl, apiKey: "none", model: "m" }));
  const served = await startGateway({ port: 0, catalogue: catalogueOf({ m: model }), telemetry: { logs: false, tracing: true } });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, baggage: "user=ada" };
  const question = { model: "m", input: "Hi" };
  if (way === "HTTP") await (await send(`${served.url}/v1/responses`, question, headers)).text();
  else await (await new SocketClient(`${served.url}/v1/responses`, headers).open()).turn(question);
  await served.close();
  upstream.close();
  api.trace.disable();
  const [run, request] = exporter.getFinishedSpans();
  const name = `${way === "HTTP" ? "POST" : "GET"} /v1/responses`;
  expect(request).toMatchObject({ name, attributes: { "http.response.status_code": 400 } });
  expect(run?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  expect(run?.attributes["error.type"]).toBe("BAD_REQUEST");
  expect(heard[0]?.["traceparent"]).toBe(`00-${traceId}-${run?.spanContext().spanId}-01`);
  expect(heard[0]).not.toHaveProperty("baggage");
});

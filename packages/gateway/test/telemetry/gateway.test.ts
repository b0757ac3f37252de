import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { connect, provider } from "antiphon";
import { offline } from "antiphon/testing";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { startGateway } from "../../src/node.ts";
import type { LogOptions } from "../../src/telemetry/logs/logs.ts";
import { ask, send } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";

describe("the log of a gateway", () => {
  /** What a gateway logs while it is asked the same thing in several ways. */
  async function logged(options: LogOptions): Promise<Record<string, unknown>[]> {
    const to = new PassThrough();
    const served = await startGateway({
      port: 0,
      catalogue: catalogueOf({ offline: offline() }),
      telemetry: { logs: { to, level: "info", ...options } },
    });
    const request = { model: "offline", input: "the word is plum" };
    await ask(`${served.url}/v1/responses`, request);
    await (
      await send(`${served.url}/openai/v1/responses`, { ...request, stream: true }, { authorization: "Bearer sk-secret-123456" })
    ).text();
    await (await fetch(`${served.url}/v1/responses/resp_missing`)).text();
    await served.close();
    const lines = String(to.read()).trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

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

  test("has what was said where that is asked for, and no keys", async () => {
    const text = JSON.stringify(await logged({ content: true }));
    expect(text).toContain("the word is plum");
    expect(text).not.toContain("sk-secret");
  });
});

test("a trace goes from the client through the gateway to the upstream", async () => {
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
  await (await send(`${served.url}/v1/responses`, { model: "m", input: "Hi" }, headers)).text();
  await served.close();
  upstream.close();
  api.trace.disable();
  const [run, request] = exporter.getFinishedSpans();
  expect(request).toMatchObject({ name: "POST /v1/responses", attributes: { "http.response.status_code": 400 } });
  expect(run?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  expect(run?.attributes["error.type"]).toBe("BAD_REQUEST");
  expect(heard[0]?.["traceparent"]).toBe(`00-${traceId}-${run?.spanContext().spanId}-01`);
  expect(heard[0]).not.toHaveProperty("baggage");
});

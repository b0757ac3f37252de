import { offline } from "antiphon/testing";
import { afterEach, describe, expect, test } from "vitest";
import type { GatewayConfig } from "../../src/config.ts";
import type { Exchange, Reply } from "../../src/http/exchange.ts";
import { startGateway, type Served } from "../../src/node.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Telemetry, LogEntry } from "../../src/telemetry/telemetry.ts";
import { silent } from "../../src/telemetry/telemetry.ts";
import { ask, send } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";
import { parseExposition } from "../telemetry/parse-exposition.ts";

const running: Served[] = [];
const start = async (config: GatewayConfig = {}): Promise<Served> => {
  const logs = config.telemetry?.logs ?? false;
  const served = await startGateway({
    port: 0,
    catalogue: catalogueOf({ offline: offline() }),
    ...config,
    telemetry: { ...config.telemetry, logs },
  });
  running.push(served);
  return served;
};
afterEach(() => Promise.all(running.splice(0).map((served) => served.close())));

const get = async (
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; type: string }> => {
  const response = await fetch(url, { headers });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, body: type.includes("json") ? JSON.parse(text) : text, type };
};

/** Asks the gateway as if from another place. */
const from = ({ gateway }: Served, address: string, headers: Record<string, string> = {}): Promise<Reply> => {
  const exchange: Exchange = {
    method: "GET",
    path: "/metrics",
    query: new URLSearchParams(),
    headers: new Headers(headers),
    address,
    requestId: "req_1",
    signal: new AbortController().signal,
    read: () => Promise.resolve(new Uint8Array()),
  };
  return gateway.handle(exchange);
};

describe("health", () => {
  test("the process says that it is alive", async () => {
    const { url } = await start();
    expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  test("the gateway is ready when its store answers and there are models", async () => {
    const { url } = await start();
    const checks = { store: "ok", models: "ok", gateway: "ok" };
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: "ready", checks } });
  });

  test("a store that fails makes it unready; why is for the log alone", async () => {
    const told: LogEntry[] = [];
    const other: Telemetry = { ...silent, log: (entry) => void told.push(entry) };
    const store = memoryStore();
    const failing = { ...store, getResponse: () => Promise.reject(new Error("no route to postgres://db.internal")) };
    const { url } = await start({ store: failing, telemetry: { others: [other] } });
    const { status, body } = await get(`${url}/readyz`);
    expect(status).toBe(503);
    expect(body).toEqual({ status: "not ready", checks: { store: "does not answer", models: "ok", gateway: "ok" } });
    expect(told).toMatchObject([{ level: "warn", message: "not ready", part: "store" }]);
  });

  test("a store that hangs makes it unready in time", async () => {
    const failing = { ...memoryStore(), getResponse: () => new Promise<never>(() => {}) };
    const { url } = await start({ store: failing });
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 503, body: { checks: { store: "does not answer" } } });
  });

  test("a gateway without models is not ready", async () => {
    const { url } = await start({ catalogue: catalogueOf({}) });
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 503, body: { checks: { models: "none available" } } });
  });

  test("many who ask at once cost the store one look", async () => {
    let looks = 0;
    const store = memoryStore();
    const counting = { ...store, getResponse: (id: string, owner: string) => ((looks += 1), store.getResponse(id, owner)) };
    const { url } = await start({ store: counting });
    await Promise.all(Array.from({ length: 20 }, () => get(`${url}/readyz`)));
    expect(looks).toBe(1);
  });

  test("a gateway that closes says so, and goes on answering those who are in", async () => {
    const served = await start();
    await get(`${served.url}/readyz`);
    served.gateway.context.draining = true;
    const { status, body } = await get(`${served.url}/readyz`);
    expect(status).toBe(503);
    expect(body).toMatchObject({ checks: { store: "ok", gateway: "closing" } });
    expect(await get(`${served.url}/healthz`)).toMatchObject({ status: 200 });
  });
});

describe("metrics", () => {
  test("tell a scraper what happened", async () => {
    const { url } = await start();
    await ask(`${url}/v1/responses`, { model: "offline", input: "Hello" });
    await (await send(`${url}/v1/responses`, { model: "offline", input: "Hello", stream: true })).text();
    await get(`${url}/v1/responses/resp_none`);
    await get(`${url}/nowhere/${"x".repeat(50)}`);
    const { body, type } = await get(`${url}/metrics`);
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const { value, series } = parseExposition(String(body));
    expect(value("antiphon_requests_total", { method: "POST", route: "/v1/responses", status: "2xx" })).toBe(2);
    expect(value("antiphon_requests_total", { method: "GET", route: "/v1/responses/:id", status: "4xx" })).toBe(1);
    expect(series("antiphon_requests_total").map(({ labels }) => labels["route"])).toContain("unmatched");
    const model = { model: "offline", provider: "offline" };
    expect(value("antiphon_responses_total", { ...model, status: "completed" })).toBe(2);
    expect(value("antiphon_tokens_total", { ...model, kind: "output" })).toBeGreaterThan(0);
    expect(value("antiphon_first_output_seconds_count", model)).toBe(2);
    expect(value("antiphon_runs_in_progress")).toBe(0);
  });

  test("show what is under way", async () => {
    const { url } = await start();
    const leave = new AbortController();
    const body = JSON.stringify({ model: "offline", input: "[[slow:200]] Tell me a long story", stream: true });
    const response = await fetch(`${url}/v1/responses`, { method: "POST", body, signal: leave.signal });
    await response.body?.getReader().read();
    const { value } = parseExposition(String((await get(`${url}/metrics`)).body));
    leave.abort();
    expect(value("antiphon_runs_in_progress")).toBe(1);
    expect(value("antiphon_open_streams")).toBe(1);
    expect(value("antiphon_open_websockets")).toBe(0);
    expect(value("antiphon_background_queued")).toBe(0);
  });

  test("are for the same machine alone where nothing is said", async () => {
    const served = await start();
    expect((await from(served, "127.0.0.1")).status).toBe(200);
    expect((await from(served, "::1")).status).toBe(200);
    expect((await from(served, "::ffff:127.0.0.1")).status).toBe(200);
    expect((await from(served, "192.0.2.1")).status).toBe(403);
    expect((await from(served, "127.0.0.1", { "x-forwarded-for": "192.0.2.1" })).status).toBe(403);
  });

  test("have a token of their own where one is set", async () => {
    const served = await start({ telemetry: { metrics: { token: "let-me-in" } } });
    expect((await from(served, "192.0.2.1", { authorization: "Bearer let-me-in" })).status).toBe(200);
    expect((await from(served, "127.0.0.1")).status).toBe(401);
    expect((await from(served, "127.0.0.1", { authorization: "Bearer let-me-out" })).status).toBe(401);
  });

  test("are for everybody where that is wanted, and for nobody where they are switched off", async () => {
    expect((await from(await start({ telemetry: { metrics: { access: "open" } } }), "192.0.2.1")).status).toBe(200);
    expect((await from(await start({ telemetry: { metrics: false } }), "127.0.0.1")).status).toBe(404);
  });
});

describe("the description", () => {
  test("is at both places, the same", async () => {
    const { url } = await start();
    const [one, other] = await Promise.all([get(`${url}/openapi.json`), get(`${url}/v1/openapi.json`)]);
    expect(one.status).toBe(200);
    expect(one.body).toMatchObject({ openapi: "3.1.0" });
    expect(other.body).toEqual(one.body);
  });

  test("carries the id of each request, not of an earlier one", async () => {
    const { url } = await start();
    const ids = await Promise.all([1, 2].map(async () => (await fetch(`${url}/openapi.json`)).headers.get("x-request-id")));
    expect(new Set(ids).size).toBe(2);
  });
});

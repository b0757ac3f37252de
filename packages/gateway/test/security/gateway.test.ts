import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { GatewayConfig } from "../../src/config.ts";
import { createGateway, type Gateway } from "../../src/gateway.ts";
import { startGateway } from "../../src/node.ts";
import { newKey } from "../../src/keys/new-key.ts";
import { memoryStore } from "../../src/store/memory.ts";

const open: Gateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});

async function gatewayOf(config: GatewayConfig = {}) {
  const gateway = await createGateway({ store: "memory", ...config });
  open.push(gateway);
  return async (
    route: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string; headers: Headers }> => {
    const [method = "", path = ""] = route.split(" ");
    const request = new Request(`http://localhost${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const response = await gateway(request);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
}

const bad = "http://169.254.169.254/latest";
const picture = { type: "message", role: "user", content: [{ type: "input_image", image_url: bad }] };

describe("a URL into a private network", () => {
  test.each<[string, object]>([
    ["POST /v1/responses", { model: "offline", input: [picture] }],
    ["POST /v1/responses", { model: "offline", input: "Hi", tools: [{ type: "mcp", server_label: "a", server_url: bad }] }],
    ["POST /openai/v1/responses", { model: "offline", input: [picture] }],
    ["POST /v1/responses/compact", { model: "offline", input: [picture] }],
    ["POST /v1/conversations", { items: [picture] }],
    [
      "POST /v1/chat/completions",
      { model: "offline", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: bad } }] }] },
    ],
    [
      "POST /v1/messages",
      {
        model: "offline",
        max_tokens: 9,
        messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: bad } }] }],
      },
    ],
  ])("is refused at %s", async (route, body) => {
    const ask = await gatewayOf();
    const { status, text } = await ask(route, body);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("private network") });
  });

  test("cannot be put into a conversation that is there", async () => {
    const ask = await gatewayOf();
    const { id } = JSON.parse((await ask("POST /v1/conversations", {})).text) as { id: string };
    expect(await ask(`POST /v1/conversations/${id}/items`, { items: [picture] })).toMatchObject({ status: 400 });
  });

  test("is let through where the configuration says so", async () => {
    const ask = await gatewayOf({ urls: { allow: ["169.254.169.254"] } });
    expect(await ask("POST /v1/responses", { model: "offline", input: [picture] })).toMatchObject({ status: 200 });
  });
});

describe("keys", () => {
  test("are asked for on every route that is somebody's, on each in the words of its clients", async () => {
    const store = memoryStore();
    const { secret, key } = newKey({ name: "a", models: ["offline"], requestsPerMinute: 60 });
    await store.createKey(key);
    const ask = await gatewayOf({ store });
    const asked = { model: "offline", input: "Hi" };
    for (const route of [
      "POST /v1/responses",
      "GET /v1/models",
      "GET /v1/responses/resp_1",
      "POST /v1/conversations",
      "POST /v1/messages",
    ]) {
      const { status, text } = await ask(route, route.startsWith("POST") ? asked : undefined);
      expect({ route, status, text }).toEqual({ route, status: 401, text: expect.not.stringContaining("ak-P") });
    }
    for (const carrying of [{ authorization: `Bearer ${secret}` }, { "x-api-key": secret }, { "api-key": secret }] as Record<
      string,
      string
    >[]) {
      const { status, headers } = await ask("POST /v1/responses", asked, carrying);
      expect({ status, limit: headers.get("x-ratelimit-limit-requests") }).toEqual({ status: 200, limit: "60" });
    }
  });
});

test("a key that is over its limit is told what the limit is, and when there is more", async () => {
  const store = memoryStore();
  const { secret, key } = newKey({ name: "a", requestsPerMinute: 1 });
  await store.createKey(key);
  const ask = await gatewayOf({ store });
  for (const route of ["POST /v1/responses", "POST /v1/embeddings"]) {
    const body = { model: "offline", input: "Hi" };
    await ask(route, body, { authorization: `Bearer ${secret}` });
    const { status, headers } = await ask(route, body, { authorization: `Bearer ${secret}` });
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(headers.get("x-ratelimit-reset-requests")).toMatch(/^[\d.]+m?s$|^1m0s$/);
  }
});

test("a key is not for other models than its own, and does not list them", async () => {
  const store = memoryStore();
  const { secret, key } = newKey({ name: "a", models: ["off*"] });
  await store.createKey(key);
  const ask = await gatewayOf({ store, models: { other: { use: "offline" } } });
  const carrying = { authorization: `Bearer ${secret}` };
  expect(await ask("POST /v1/responses", { model: "other", input: "Hi" }, carrying)).toMatchObject({ status: 403 });
  expect((await ask("GET /v1/models", undefined, carrying)).text).not.toContain('"other"');
  expect(await ask("POST /v1/responses", { model: "offline", input: "Hi" }, carrying)).toMatchObject({ status: 200 });
});

describe("a gateway without keys", () => {
  test("is not for the pages of others, nor for names that they point at this machine", async () => {
    const ask = await gatewayOf();
    const asked = { model: "offline", input: "Hi" };
    expect(await ask("POST /v1/responses", asked, { origin: "https://evil.example" })).toMatchObject({ status: 403 });
    expect(await ask("POST /v1/responses", asked, { host: "evil.example" })).toMatchObject({ status: 403 });
    expect(await ask("POST /v1/responses", asked, { host: "localhost:8787" })).toMatchObject({ status: 200 });
  });

  test("is for pages that are configured", async () => {
    const ask = await gatewayOf({ cors: { origins: ["https://app.example"] } });
    const { status, headers } = await ask(
      "POST /v1/responses",
      { model: "offline", input: "Hi" },
      { origin: "https://app.example" },
    );
    expect({ status, allowed: headers.get("access-control-allow-origin") }).toEqual({
      status: 200,
      allowed: "https://app.example",
    });
  });
});

describe("a gateway on the network", () => {
  /** `fetch` names no other host than the one that it asks. */
  const statusAs = async (url: string, host: string): Promise<number | undefined> => {
    const [response] = (await once(get(`${url}/v1/models`, { headers: { host } }), "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  test("listens for others with a key, or where that was asked for, and for its own machine always", async () => {
    await expect(startGateway({ host: "0.0.0.0", port: 0 })).rejects.toMatchObject({ code: "BAD_REQUEST", param: "host" });
    const opened = await startGateway({ host: "0.0.0.0", port: 0, open: true });
    const local = await startGateway({ port: 0 });
    const port = new URL(opened.url).port;
    expect(await statusAs(`http://127.0.0.1:${port}`, "gateway.example")).toBe(200);
    expect(await statusAs(local.url, "gateway.example")).toBe(403);
    expect(await statusAs(local.url, "localhost")).toBe(200);
    expect([opened.note, local.note]).toEqual([
      expect.stringContaining("anyone who can reach"),
      expect.stringContaining("every program on this machine"),
    ]);
    await Promise.all([opened.close(), local.close()]);
  });
});

import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Served } from "../../../src/node.ts";
import type { Store } from "../../../src/store/store.ts";
import { SocketClient } from "../../support/client.ts";
import { ask, keyOf, serve, storeInFolder } from "./support/gateways.ts";
import { lines, say, statusesIn } from "./support/raw.ts";

type Headers = Record<string, string>;
const hi = { model: "offline", input: "Hi" };
const priced = { paid: { use: "offline", price: { input: 1_000_000, output: 1_000_000 } } };

async function keyed(): Promise<{ store: Store; served: Served; url: string; good: { secret: string; bearer: Headers } }> {
  const { store } = await storeInFolder();
  const good = await keyOf(store);
  const served = await serve({ store, models: { offline: "offline", hidden: "offline", ...priced } });
  return { store, served, url: served.url, good };
}

/** The routes that are nobody's. */
const open: ReadonlySet<string> = new Set(["/", "/docs", "/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/openapi.json"]);

/** Whether a body tells of an error in the form of its wire. */
const tells = (text: string): unknown => (JSON.parse(text) as { error: { message: unknown } }).error.message;

/** All that does not open the door. */
async function badKeys(store: Store, good: string): Promise<Record<string, Headers>> {
  const day = 86_400_000;
  const expired = await keyOf(store, { expiresAt: Date.now() - day }, Date.now() - 2 * day);
  const revoked = await keyOf(store);
  await store.revokeKey(revoked.id);
  const { secret: other } = await keyOf(store);
  return {
    none: {},
    empty: { authorization: "" },
    blank: { authorization: "Bearer  " },
    "another scheme": { authorization: `Basic ${Buffer.from(`:${good}`).toString("base64")}` },
    "no scheme": { authorization: good },
    short: { authorization: `Bearer ${good.slice(0, -1)}` },
    long: { authorization: `Bearer ${good}x` },
    "other letters": { authorization: `Bearer ${good.toUpperCase()}` },
    invented: { authorization: `Bearer ak-${"x".repeat(49)}` },
    huge: { authorization: `Bearer ${"x".repeat(50_000)}` },
    odd: { authorization: "Bearer ak-\u00ff'; DROP TABLE keys; --" },
    hash: { authorization: `Bearer ${(await store.listKeys())[0]!.hash}` },
    id: { authorization: `Bearer ${(await store.listKeys())[0]!.id}` },
    revoked: revoked.bearer,
    expired: expired.bearer,
    "two keys": { authorization: `Bearer ${good}`, "x-api-key": other },
    "two others": { "x-api-key": good, "api-key": other },
    "two in one": { "x-api-key": `${good}, ${other}` },
    cookie: { cookie: `authorization=Bearer ${good}` },
  };
}

describe("a gateway with keys", () => {
  test("wants one on every route but those of whoever runs it, before anything is looked at", async () => {
    const { served, url } = await keyed();
    for (const [route] of Object.entries(served.gateway.routes)) {
      const path = route.split(" ")[1]!;
      if (open.has(path)) continue;
      const { status, text } = await ask(url, route, {}, route.startsWith("POST") ? "{ this is not JSON" : undefined);
      expect({ route, status, told: tells(text) }).toEqual({ route, status: 401, told: expect.any(String) });
    }
  });

  test("takes no other for one, on a request or a socket", async () => {
    const { store, url, good } = await keyed();
    expect(await ask(url, "POST /v1/responses", good.bearer, hi)).toMatchObject({ status: 200 });
    for (const [which, headers] of Object.entries(await badKeys(store, good.secret))) {
      const { status, text } = await ask(url, "POST /v1/responses", headers, hi);
      expect({ which, status, told: tells(text) }).toEqual({ which, status: 401, told: expect.not.stringContaining("ak-x") });
      expect(text).not.toContain(good.secret);
      for (const path of ["/v1/responses", "/openai/v1/responses"]) {
        const socket = new WebSocket(url.replace("http", "ws") + path, { headers });
        const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
        expect({ which, path, status: response.statusCode }).toEqual({ which, path, status: 401 });
        socket.on("error", () => {}).terminate();
      }
    }
  });

  test("takes neither the query nor a second line of the same header for a key", async () => {
    const { store, url, good } = await keyed();
    const other = await keyOf(store);
    expect(await ask(url, `GET /v1/models?api-key=${good.secret}&key=${good.secret}`)).toMatchObject({ status: 401 });
    for (const name of ["authorization", "x-api-key"]) {
      const prefix = name === "authorization" ? "Bearer " : "";
      const heard = await say(
        url,
        lines(
          "GET /v1/models HTTP/1.1",
          "host: localhost",
          "connection: close",
          `${name}: ${prefix}${good.secret}`,
          `${name}: ${prefix}${other.secret}`,
        ),
      );
      expect({ name, statuses: statusesIn(heard) }).toEqual({ name, statuses: [401] });
    }
  });

  test("lets a key use its models alone, and shows it no others", async () => {
    const { store, url } = await keyed();
    const { bearer } = await keyOf(store, { models: ["off*"] });
    const refused = { hi: { ...hi, model: "hidden" }, route: "POST /v1/responses" };
    expect(await ask(url, refused.route, bearer, refused.hi)).toMatchObject({ status: 403 });
    expect(await ask(url, "POST /v1/responses/compact", bearer, refused.hi)).toMatchObject({ status: 403 });
    expect(
      await ask(url, "POST /v1/chat/completions", bearer, { model: "hidden", messages: [{ role: "user", content: "Hi" }] }),
    ).toMatchObject({ status: 403 });
    expect(await ask(url, "POST /v1/embeddings", bearer, refused.hi)).toMatchObject({ status: 403 });
    const asking = ["POST /v1/responses", "POST /v1/responses/compact", "POST /v1/responses/input_tokens", "POST /v1/embeddings"];
    for (const route of asking) {
      // One letter off: suggestions must not tell of what is not to be seen.
      const { status, text } = await ask(url, route, bearer, { ...hi, model: "hiddem" });
      expect({ route, status, text }).toEqual({ route, status: 404, text: expect.not.stringContaining("hidden") });
    }
    expect((await ask(url, "GET /v1/models", bearer)).text).not.toContain("hidden");
    const socket = await new SocketClient(`${url}/v1/responses`, bearer).open();
    expect(await socket.turn(refused.hi)).toMatchObject([{ type: "error", status: 403 }]);
    socket.close();
  });

  test.each([
    ["requests", { requestsPerMinute: 1 }, "offline", true],
    ["tokens", { tokensPerMinute: 1 }, "offline", true],
    ["dollars", { budget: 0.000_001 }, "paid", false],
  ])("stops a key at its %s, on requests and on sockets that are open", async (_, limits, model, waits) => {
    const { store, url } = await keyed();
    const { bearer } = await keyOf(store, limits);
    const socket = await new SocketClient(`${url}/v1/responses`, bearer).open();
    expect(await ask(url, "POST /v1/responses", bearer, { ...hi, model })).toMatchObject({ status: 200 });
    const again = await ask(url, "POST /v1/responses", bearer, { ...hi, model });
    expect(again).toMatchObject({ status: 429, text: expect.stringContaining("The key") });
    expect(Number(again.headers["retry-after"] ?? "0") > 0).toBe(waits);
    for (const route of ["POST /v1/chat/completions", "POST /v1/messages"]) {
      const chat = { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
      expect(await ask(url, route, bearer, chat)).toMatchObject({ status: 429 });
    }
    expect(await socket.turn({ ...hi, model })).toMatchObject([{ type: "error", status: 429 }]);
    socket.close();
    expect(await ask(url, "GET /v1/models", bearer)).toMatchObject({ status: 200 });
  });
});

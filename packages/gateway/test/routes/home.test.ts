import { offline } from "antiphon/testing";
import { afterEach, describe, expect, test } from "vitest";
import { createGateway } from "../../src/gateway.ts";
import type { Exchange, Reply } from "../../src/http/exchange.ts";
import { newKey } from "../../src/keys/new-key.ts";
import { startGateway, type Served } from "../../src/node.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { catalogueOf } from "../support/upstreams.ts";

const running: Served[] = [];
const start = async (config: Parameters<typeof startGateway>[0] = {}): Promise<Served> => {
  const catalogue = catalogueOf({ offline: offline(), "llama <3>": offline() });
  const served = await startGateway({ port: 0, catalogue, ...config, telemetry: { logs: false } });
  running.push(served);
  return served;
};
afterEach(() => Promise.all(running.splice(0).map((served) => served.close())));

const withKeys = async (): Promise<Served> => {
  const store = memoryStore();
  await store.createKey(newKey({ name: "laptop" }).key);
  return start({ store });
};

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const page = async (url: string): Promise<string> => (await fetch(url, { headers: browser })).text();
const describedAt = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${url}/`)).json()) as Record<string, unknown>;

/** Requests `/` under any host name. */
const visit = ({ gateway }: Served, headers: Record<string, string>): Promise<Reply> => {
  const exchange: Exchange = {
    method: "GET",
    path: "/",
    query: new URLSearchParams(),
    headers: new Headers({ ...browser, ...headers }),
    address: "127.0.0.1",
    requestId: "req_1",
    signal: new AbortController().signal,
    read: () => Promise.resolve(new Uint8Array()),
  };
  return gateway.handle(exchange);
};

describe("the start page", () => {
  test.each(["/", "/docs"])("shows base URLs, snippets and models to a browser at %s", async (path) => {
    const { url } = await start();
    const response = await fetch(`${url}${path}`, { headers: browser });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    for (const text of [
      `<code>${url}/openai/v1</code>`,
      `<code>${url}/v1</code>`,
      `<code>${url}</code>`,
      `curl ${url}/v1/responses`,
      "import OpenAI from",
      `ANTHROPIC_BASE_URL=${url}`,
      'href="/openapi.json"',
      "<code>offline</code>",
      "<code>llama &lt;3&gt;</code>",
    ])
      expect(html).toContain(text);
    expect(html).not.toContain("<3>");
    expect(html).not.toContain("ANTIPHON_KEY");
  });

  test("allows no scripts and no external resources", async () => {
    const { url } = await start();
    const { headers } = await fetch(url, { headers: browser });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("script-src");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("vary")).toContain("Accept");
    expect(await page(url)).not.toMatch(/<script|<link[^>]+https?:|src=/i);
  });

  test("names no models and shows where the key goes if the gateway has keys", async () => {
    const { url } = await withKeys();
    const html = await page(url);
    expect(html).toContain("This gateway requires a key.");
    expect(html).toContain("authorization: Bearer $ANTIPHON_KEY");
    expect(html).toContain("ANTHROPIC_AUTH_TOKEN=$ANTIPHON_KEY");
    expect(html).not.toContain("offline");
    expect(JSON.stringify(await describedAt(url))).not.toContain("offline");
  });

  test("names no models to a page that reached the gateway under a foreign name", async () => {
    const reply = await visit(await start(), { host: "evil.example" });
    expect(reply.status).toBe(200);
    expect(reply.body).not.toContain("offline");
    expect(reply.body).toContain("only accepts requests to local host names");
  });

  test("uses the scheme that a proxy in front reports", async () => {
    const served = await start({ hosts: ["ai.example"] });
    const { body } = await visit(served, { host: "ai.example", "x-forwarded-proto": "https" });
    expect(body).toContain("curl https://ai.example/v1/responses");
    expect((await visit(served, { host: "ai.example", "x-forwarded-proto": '"><b>' })).body).toContain(
      "curl http://ai.example/v1",
    );
  });

  test.each(['a"><script>alert(1)</script>', "a'; rm -rf /", "a$(id)", "a b", ""])(
    "never shows the odd host %j",
    async (host) => {
      const { body } = await visit(await start({ hosts: ["*"] }), { host });
      expect(body).toContain("curl http://localhost/v1/responses");
      expect(body).not.toContain("alert");
    },
  );

  test("still appears if the models cannot be listed", async () => {
    const catalogue = { ...catalogueOf({ offline: offline() }), list: () => Promise.reject(new Error("no list")) };
    const { url } = await start({ catalogue });
    expect(await page(url)).toContain("GET /v1/models");
  });

  test("answers a HEAD request without a body", async () => {
    const { url } = await start();
    const response = await fetch(url, { method: "HEAD", headers: browser });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("a client that prefers JSON", () => {
  test.each(["application/json", "*/*", "", "text/html;q=0, application/json"])(
    "gets a description for `accept: %s`",
    async (accept) => {
      const { url } = await start();
      const response = await fetch(url, { headers: { accept } });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toEqual({
        name: "Antiphon gateway",
        description: expect.stringContaining("OpenAI"),
        base_urls: [
          { url: `${url}/openai/v1`, description: expect.stringContaining("OpenAI SDK") },
          { url: `${url}/v1`, description: expect.stringContaining("Open Responses") },
          { url, description: expect.stringContaining("Anthropic SDK") },
        ],
        requires_key: false,
        models: ["offline", "llama <3>"],
        openapi: `${url}/openapi.json`,
      });
    },
  );

  test("gets no models if the gateway has keys", async () => {
    const { url } = await withKeys();
    const description = await describedAt(url);
    expect(description).toMatchObject({ name: "Antiphon gateway", requires_key: true });
    expect(description).not.toHaveProperty("models");
  });

  test("gets the URL of its own request from the fetch handler", async () => {
    const gateway = await createGateway({ catalogue: catalogueOf({ offline: offline() }), telemetry: { logs: false } });
    const response = await gateway(new Request("https://ai.example/"));
    expect(await response.json()).toMatchObject({ openapi: "https://ai.example/openapi.json" });
    await gateway.close();
  });
});

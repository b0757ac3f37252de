import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ask, serve } from "./support/gateways.ts";
import { dial, hear, lines, say, statusesIn } from "./support/raw.ts";

const body = JSON.stringify({ model: "offline", input: "Hi" });
const start = "POST /v1/responses HTTP/1.1";
const host = "host: localhost";
const length = `content-length: ${body.length}`;
const chunked = "transfer-encoding: chunked";
const close = "connection: close";
const inChunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
/** What somebody tries to bring in behind another request. */
const smuggled = lines("GET /v1/models HTTP/1.1", host, close);

const models = { models: { offline: "offline" } };

describe("a request whose frame is in doubt", () => {
  test.each<[string, ...string[]]>([
    ["two different lengths", lines(start, host, length, "content-length: 5"), body],
    ["the same length twice", lines(start, host, length, length), body],
    ["two lengths in one line", lines(start, host, `content-length: ${body.length}, 5`), body],
    ["a length and chunks", lines(start, host, length, chunked), inChunks],
    ["chunks and a length", lines(start, host, chunked, length), inChunks],
    ["a negative length", lines(start, host, "content-length: -1"), body],
    ["a length with a plus", lines(start, host, `content-length: +${body.length}`), body],
    ["a hexadecimal length", lines(start, host, "content-length: 0x10"), body],
    ["a length beyond counting", lines(start, host, "content-length: 99999999999999999999"), body],
    ["a blank before the colon", lines(start, host, `content-length : ${body.length}`), body],
    ["chunks that are not the last coding", lines(start, host, "transfer-encoding: chunked, identity"), inChunks],
    ["a coding that nobody knows", lines(start, host, "transfer-encoding: xchunked"), inChunks],
    ["chunks twice", lines(start, host, chunked, chunked), inChunks],
    ["a chunk of a wrong size", lines(start, host, chunked), `${(body.length - 1).toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ["a chunk of no size", lines(start, host, chunked), `zz\r\n${body}\r\n0\r\n\r\n`],
    ["a chunk of a negative size", lines(start, host, chunked), `-1\r\n${body}\r\n0\r\n\r\n`],
    ["lines that end in LF alone", `${start}\n${host}\n${length}\n\n`, body],
    ["a line that goes on in the next", lines(start, host, length, "x-a: 1", " x-b: 2"), body],
    ["a carriage return in a value", lines(start, host, length, "x-a: 1\rx-b: 2"), body],
    ["NUL in a value", lines(start, host, length, "x-a: 1\0"), body],
    ["NUL in a name", lines(start, host, length, "x\0a: 1"), body],
    ["a header without a name", lines(start, host, length, ": 1"), body],
    ["a blank in a name", lines(start, host, length, "x a: 1"), body],
    ["no host", lines(start, length), body],
    ["a version that there is not", lines("POST /v1/responses HTTP/9.9", host, length), body],
    ["a method that there is not", lines("PO ST /v1/responses HTTP/1.1", host, length), body],
    ["no path", lines("POST  HTTP/1.1", host, length), body],
    ["a NUL in the path", lines("POST /v1/responses\0 HTTP/1.1", host, length), body],
  ])("is refused and the line cut: %s", async (_, ...pieces) => {
    const { url } = await serve(models);
    const heard = await say(url, ...pieces, smuggled);
    // Whatever comes behind it is never taken for a request.
    expect(statusesIn(heard)).toEqual([400]);
    expect(heard).not.toContain('"object":"list"');
  });

  test("has no more than so many headers, and no longer ones", async () => {
    const { url } = await serve(models);
    const long = await say(url, lines(start, host, close, `x-a: ${"x".repeat(100_000)}`));
    const many = await say(
      url,
      lines(start, host, close, ...Array.from({ length: 5_000 }, (_, index) => `x-header-${index}: value`)),
    );
    const path = await say(url, lines(`GET /${"x".repeat(100_000)} HTTP/1.1`, host, close));
    expect([long, many, path].map(statusesIn)).toEqual([[431], [431], [431]]);
  });

  test("may come in chunks, and with what comes behind chunks", async () => {
    const { url } = await serve(models);
    const trailing = `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nauthorization: Bearer x\r\n\r\n`;
    for (const text of [inChunks, trailing]) {
      const heard = await say(url, lines(start, host, close, chunked), text);
      expect(statusesIn(heard)).toEqual([200]);
    }
  });

  test("that ends before it should is refused", async () => {
    const { url } = await serve(models);
    const socket = await dial(url);
    const heard = hear(socket);
    socket.end(lines(start, host, `content-length: ${body.length + 10}`) + body);
    expect(statusesIn(await heard)).toEqual([400]);
  });

  test("may offer another protocol, which is not taken up", async () => {
    const { url } = await serve(models);
    const offers = ["connection: Upgrade, HTTP2-Settings, close", "upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__"];
    const heard = await say(url, lines(start, host, length, ...offers), body);
    expect(statusesIn(heard)).toEqual([200]);
  });
});

describe("what goes upstream", () => {
  test("is none of the client's headers but those by which a request is found again", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      request.resume();
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => server.close().closeAllConnections());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { url } = await serve({
      providers: { up: { wire: "chat", baseUrl, apiKey: "theirs" } },
      models: { up: { use: "up:m", retries: 0 } },
    });
    const asked = JSON.stringify({ model: "up", input: "Hi" });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const headers = [
      "authorization: Bearer mine",
      "proxy-authorization: Basic mine",
      "x-api-key: mine",
      "api-key: mine",
      "cookie: session=mine",
      "x-forwarded-for: 1.2.3.4",
      "x-forwarded-host: mine",
      "forwarded: for=mine",
      "via: 1.1 mine",
      "te: trailers",
      "keep-alive: timeout=99",
      "openai-organization: mine",
      "anthropic-beta: mine",
      "user-agent: mine",
      "referer: http://localhost/mine",
      "x-http-method-override: DELETE",
      "x-mine: mine",
      `traceparent: ${traceparent}`,
      "x-client-request-id: findme",
    ];
    await say(url, lines(start, host, close, ...headers, `content-length: ${asked.length}`), asked);
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(seen)).not.toContain("mine");
    expect(seen[0]).toMatchObject({
      authorization: "Bearer theirs",
      host: new URL(baseUrl).host,
      "x-client-request-id": "findme",
    });
    expect(seen[0]?.["traceparent"]).toBe(traceparent);
    for (const name of ["te", "keep-alive", "via", "forwarded", "cookie", "x-http-method-override"])
      expect(seen[0]).not.toHaveProperty(name);
  });
});

describe("an answer", () => {
  test("to HEAD is that to GET without its body, on every route", async () => {
    const { url, gateway } = await serve(models);
    const { id } = JSON.parse((await ask(url, "POST /v1/responses", {}, body)).text) as { id: string };
    const varies = new Set(["x-request-id", "date", "connection", "keep-alive"]);
    for (const route of Object.keys(gateway.routes).filter((name) => name.startsWith("GET ") && !name.includes("metrics"))) {
      const path = route.slice(4).replace(":id", id);
      const [got, head] = [await ask(url, `GET ${path}`), await ask(url, `HEAD ${path}`)];
      const bare = ({ status, headers }: typeof got) => [status, Object.entries(headers).filter(([name]) => !varies.has(name))];
      expect({ path, text: head.text, told: bare(head) }).toEqual({ path, text: "", told: bare(got) });
    }
    expect((await ask(url, "HEAD /v1/responses")).status).toBe(405);
  });

  test("to HEAD of a stream ends at once", async () => {
    const { url } = await serve(models);
    const streamed = (await ask(url, "POST /v1/responses", {}, { model: "offline", input: "Hi", stream: true })).text;
    const id = /resp_\w+/.exec(streamed)![0];
    const head = await ask(url, `HEAD /v1/responses/${id}?stream=true`);
    expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": "text/event-stream; charset=utf-8" } });
  });

  test.each(["PUT", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "CONNECT"])("to %s is that it is not possible", async (method) => {
    const { url } = await serve(models);
    const heard = await say(url, lines(`${method} /v1/responses HTTP/1.1`, host, close, "x-http-method-override: POST"));
    expect(statusesIn(heard)).toEqual(method === "CONNECT" ? [] : [405]);
  });
});

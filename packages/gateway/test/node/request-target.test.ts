import { offline } from "antiphon/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { splitTarget } from "../../src/http/request-target.ts";
import { startGateway, type ServeOptions } from "../../src/node.ts";
import { lines, say, statusesIn } from "../security/end-to-end/support/raw.ts";
import { catalogueOf } from "../support/upstreams.ts";

async function serve(options: ServeOptions = {}): Promise<string> {
  const served = await startGateway({
    port: 0,
    telemetry: { logs: false },
    catalogue: catalogueOf({ offline: offline() }),
    ...options,
  });
  onTestFinished(() => served.close());
  return served.url;
}

const close = "connection: close";
const get = (target: string, host: string): string => lines(`GET ${target} HTTP/1.1`, `host: ${host}`, close);

describe("a target in absolute form", () => {
  test.each([
    "http://localhost/v1/models",
    "HTTP://LOCALHOST/v1/models",
    "https://127.0.0.1:8787/v1/models",
    "http://[::1]:8787/v1/models?limit=1",
    "http://localhost:/v1/models",
  ])("%s is answered as its path is", async (target) => {
    const heard = await say(await serve(), get(target, "localhost"));
    expect(statusesIn(heard)).toEqual([200]);
    expect(heard).toContain('"id":"offline"');
  });

  test("takes its body and its query with it", async () => {
    const url = await serve();
    const body = '{"model":"offline","input":"What is 6 * 7?"}';
    const head = ["POST http://localhost/v1/responses HTTP/1.1", "host: localhost", close, `content-length: ${body.length}`];
    const heard = await say(url, lines(...head) + body);
    expect(heard).toContain("42");
    const { id } = JSON.parse(heard.slice(heard.indexOf("{"))) as { id: string };
    const replay = await say(url, get(`http://localhost/v1/responses/${id}?stream=true`, "localhost"));
    expect(replay).toContain("response.completed");
  });

  test("means the root if it has no path", async () => {
    const url = await serve();
    for (const target of ["http://localhost", "http://localhost?a=b"])
      expect(await say(url, get(target, "localhost"))).toContain("Antiphon gateway");
  });

  test("names the host, whatever the Host header says", async () => {
    const url = await serve();
    // A page that points a name of its own at this machine must not get in.
    expect(statusesIn(await say(url, get("http://evil.example/v1/models", "localhost")))).toEqual([403]);
    expect(statusesIn(await say(url, get("http://localhost/v1/models", "evil.example")))).toEqual([200]);
    const named = await serve({ hosts: ["gateway.example"] });
    expect(statusesIn(await say(named, get("http://gateway.example:80/v1/models", "evil.example")))).toEqual([200]);
  });

  test("still needs one Host header", async () => {
    expect(statusesIn(await say(await serve(), lines("GET http://localhost/v1/models HTTP/1.1", close)))).toEqual([400]);
  });

  test.each([
    "http://user:key@localhost/v1/models",
    "http:///v1/models",
    "http://:80/v1/models",
    "http://local host/v1/models",
    "http://localhost:123456/v1/models",
    "http://localhost:80:80/v1/models",
    "http://[::1/v1/models",
    "http://localhost\\evil/v1/models",
    "http://localhost/v1/models#fragment",
    "ftp://localhost/v1/models",
    "localhost/v1/models",
  ])("%s is rejected", async (target) => {
    expect(statusesIn(await say(await serve(), get(target, "localhost")))).toEqual([400]);
  });

  test("opens a WebSocket", async () => {
    const upgrade = [
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${"A".repeat(22)}==`,
    ];
    const url = await serve({ limits: { maxSockets: 0 } });
    const ask = (target: string, host: string): Promise<string> =>
      say(url, lines(`GET ${target} HTTP/1.1`, `host: ${host}`, ...upgrade));
    // A gateway that takes no WebSockets says so to those whom it would let in.
    expect(statusesIn(await ask("http://localhost/v1/responses", "evil.example"))).toEqual([426]);
    expect(statusesIn(await ask("http://evil.example/v1/responses", "localhost"))).toEqual([403]);
    expect(statusesIn(await ask("http://localhost/v1/models", "localhost"))).toEqual([404]);
  });
});

test.each([
  ["/v1/models", { path: "/v1/models", query: "", host: undefined }],
  ["/v1/models?a=b?c", { path: "/v1/models", query: "a=b?c", host: undefined }],
  ["/?", { path: "/", query: "", host: undefined }],
  ["//evil.example/", { path: "//evil.example/", query: "", host: undefined }],
  ["/http://evil.example/", { path: "/http://evil.example/", query: "", host: undefined }],
  ["*", { path: "*", query: "", host: undefined }],
  ["http://localhost:80/a?b", { path: "/a", query: "b", host: "localhost:80" }],
  ["http://localhost?/a", { path: "/", query: "/a", host: "localhost" }],
  ["", undefined],
])("the target %j is split", (target, parts) => {
  expect(splitTarget(target)).toEqual(parts);
});

import { expect, test, vi } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { environmentProxy } from "../../src/node/proxy.ts";
import { provider } from "../../src/providers/registry.ts";
import { mergeHeaders, requestIdOf, urlOf } from "../../src/transport/exchange.ts";
import { newId } from "../../src/transport/ids.ts";
import { redact } from "../../src/transport/secrets.ts";
import { upstreamAt } from "./support/upstream.ts";

test("ids carry their prefix and never repeat", () => {
  const ids = Array.from({ length: 10_000 }, () => newId("msg"));
  expect(ids[0]).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test("ids of later sort behind those of earlier", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const ids = [0, 1, 0xfff, 1_700_000_000_000, 1_700_000_000_001, 0xffff_ffff_ffff].map((now) => {
    vi.setSystemTime(now);
    return newId("msg");
  });
  vi.useRealTimers();
  expect(ids.toSorted()).toEqual(ids);
});

test.each([
  ["authorization", "Bearer sk-secret-1"],
  ["x-api-key", "sk-secret-1"],
  ["api-key", "sk-secret-1"],
  ["x-goog-api-key", "sk-secret-1"],
  ["cf-aig-authorization", "Bearer sk-secret-1"],
  ["x-tenant-token", "sk-secret-1"],
])("a key in %s does not get into messages, stacks or causes", (name, value) => {
  const cause = new Error("cannot send sk-secret-1");
  const error = new AntiphonError("AUTH_ERROR", "Wrong key: sk-secret-1 (sk-secret-1)", { status: 401, provider: "p", cause });
  const safe = redact(error, { [name]: value });
  expect(safe).toMatchObject({ code: "AUTH_ERROR", message: "Wrong key: *** (***)", status: 401, provider: "p" });
  expect(`${safe.stack} ${JSON.stringify(safe)} ${String(safe.cause)}`).not.toContain("sk-secret-1");
});

test("the header that a provider's key travels in is secret, whatever its name", () => {
  const error = new AntiphonError("AUTH_ERROR", "Wrong: sk-secret-1");
  expect(redact(error, { "x-acme": "sk-secret-1" }, "X-Acme").message).toBe("Wrong: ***");
  expect(provider({ name: "acme", wire: "chat", baseUrl: "http://x", keyHeader: "X-Acme" })).toMatchObject({
    keyHeader: "X-Acme",
  });
});

test("an error without a secret stays as it is", () => {
  const error = new AntiphonError("AUTH_ERROR", "Wrong key.", { cause: new Error("401") });
  expect(redact(error, { authorization: "Bearer sk-secret-1", "x-api-key": "none" })).toBe(error);
});

test("later headers win, whatever their case", () =>
  expect(mergeHeaders({ Accept: "a", "X-A": "1" }, undefined, { accept: "b", "x-B": "2" })).toEqual({
    accept: "b",
    "x-a": "1",
    "x-b": "2",
  }));

test("a query goes behind the path, also behind one that has a query", () => {
  const upstream = { ...upstreamAt("http://host/v1"), query: { "api-version": "2026 05", a: "&" } };
  expect(urlOf(upstream, "/responses")).toBe("http://host/v1/responses?api-version=2026%2005&a=%26");
  expect(urlOf(upstream, "/x?y=1")).toBe("http://host/v1/x?y=1&api-version=2026%2005&a=%26");
});

test.each(["x-request-id", "request-id", "x-ms-request-id", "apim-request-id", "cf-ray"])(
  "takes %s for the request's id",
  (name) => expect(requestIdOf({ get: (asked) => (asked === name ? "r1" : null) })).toBe("r1"),
);

test("the environment names proxies and exceptions", () => {
  const proxyOf = environmentProxy({
    HTTP_PROXY: "plain.test:3128",
    https_proxy: "http://secure.test:3129",
    NO_PROXY: "internal.test, .corp.test,*.wild.test,port.test:8443",
  });
  const proxied = (url: string): string | undefined => proxyOf(new URL(url))?.host;
  expect(proxied("http://api.test/v1")).toBe("plain.test:3128");
  expect(proxied("https://api.test/v1")).toBe("secure.test:3129");
  const direct = ["https://internal.test", "https://a.internal.test", "https://a.corp.test", "https://a.wild.test"];
  const loopback = ["http://localhost:1234", "http://127.0.0.1:80", "http://127.8.0.1", "http://[::1]:80", "http://a.localhost"];
  expect([...direct, ...loopback, "https://port.test:8443"].map(proxied).filter(Boolean)).toEqual([]);
  expect(["https://notinternal.test", "https://port.test", "http://127.0.0.1.nip.test"].every(proxied)).toBe(true);
});

test("lower-case names win, a star excepts everything, and nonsense is no proxy", () => {
  const host = (env: Record<string, string>): string | undefined => environmentProxy(env)(new URL("http://api.test"))?.host;
  expect(host({ HTTP_PROXY: "http://a.test:1", http_proxy: "http://b.test:1" })).toBe("b.test:1");
  expect(host({ HTTP_PROXY: "http://a.test:1", NO_PROXY: "*" })).toBeUndefined();
  expect(host({ HTTP_PROXY: "socks5://a.test:1" })).toBeUndefined();
  expect(host({})).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { cors } from "../../src/security/cors.ts";

const preflight = (origin: string, fields: Record<string, string> = {}, method = "OPTIONS") => ({
  method,
  headers: new Headers({ origin, "access-control-request-method": "POST", ...fields }),
});
const app = "https://app.example";

describe("pages of an origin", () => {
  test.each([
    [app, app, true],
    ["https://APP.example/", app, true],
    [app, "http://app.example", false],
    [app, "https://app.example:8443", false],
    [app, "https://app.example.evil.example", false],
    [app, "https://evil.example", false],
    [app, "null", false],
    ["http://localhost:*", "http://localhost:3000", true],
    ["http://localhost:*", "http://localhost", true],
    ["http://localhost:*", "http://localhost:3000.evil.example", false],
    ["http://localhost:*", "http://localhost:", false],
    ["http://localhost:*", "http://localhosts:1", false],
    ["http://localhost:*", "https://localhost:3000", false],
    ["http://[::1]:*", "http://[::1]:3000", true],
    ["*", "https://anything.example", true],
    ["*", "null", true],
  ])("%s, for %s: %j", (entry, origin, allowed) => {
    const { allows, headers, preflight: answer } = cors({ origins: [entry] });
    expect(allows(origin)).toBe(allowed);
    expect(headers(origin)["access-control-allow-origin"]).toBe(allowed ? (entry === "*" ? "*" : origin) : undefined);
    expect(answer(preflight(origin))?.status).toBe(allowed ? 204 : 403);
  });

  test.each(["app.example", "https://", "https://app.example/path", "https://*.example", "https://app.example:x", "null", ""])(
    "cannot be configured as %j",
    (origin) =>
      expect(() => cors({ origins: [origin] })).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "cors.origins" })),
  );

  test.each([[[]], [["https://other.example"]]])("are blocked if %j is configured; the error names the setting", (origins) => {
    const closed = cors({ origins });
    expect(closed.headers(app)).not.toHaveProperty("access-control-allow-origin");
    const reply = closed.preflight(preflight(app));
    expect(reply?.status).toBe(403);
    expect(reply?.headers).toEqual({ "content-type": "application/json", ...closed.headers(app) });
    expect(JSON.parse(String(reply?.body))).toMatchObject({
      error: {
        message:
          'Web pages from the origin "https://app.example" cannot use this gateway. ' +
          "Add the origin to `cors.origins` in the gateway's configuration.",
        code: "permission_denied",
      },
    });
  });

  test("are shown in the error up to 100 characters", () => {
    const reply = cors({ origins: [] }).preflight(preflight(`https://${"a".repeat(10_000)}.example`));
    expect(String(reply?.body).length).toBeLessThan(400);
  });
});

describe("a browser that asks first", () => {
  test("is told what it may send, for how long, and that this is for its origin alone", () => {
    const asked =
      "authorization,content-type,x-stainless-os,openai-beta,anthropic-dangerous-direct-browser-access,x-api-key,x-evil,cookie";
    const reply = cors({ origins: [app], maxAge: 60 }).preflight(preflight(app, { "access-control-request-headers": asked }));
    expect(reply).toEqual({
      status: 204,
      headers: {
        "access-control-allow-origin": app,
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers":
          "authorization, content-type, x-stainless-os, openai-beta, anthropic-dangerous-direct-browser-access, x-api-key",
        "access-control-expose-headers": expect.stringContaining("x-ratelimit-remaining-requests"),
        "access-control-max-age": "60",
        vary: "Origin, Access-Control-Request-Headers",
      },
    });
  });

  test("gets nothing that breaks a header", () => {
    const reply = cors({ origins: ["*"] }).preflight({
      method: "OPTIONS",
      headers: { get: (name: string) => (name === "access-control-request-headers" ? "x-stainless-a\r\nset-cookie: a=b" : "x") },
    });
    expect(reply?.headers).not.toHaveProperty("access-control-allow-headers");
  });

  test("is one only when it asks", () => {
    const { preflight: answer } = cors({ origins: [app] });
    expect(answer(preflight(app, {}, "POST"))).toBeUndefined();
    expect(answer({ method: "OPTIONS", headers: new Headers({ origin: app }) })).toBeUndefined();
    expect(answer({ method: "OPTIONS", headers: new Headers({ "access-control-request-method": "POST" }) })).toBeUndefined();
  });
});

test("answers to others than browsers still say that they depend on the origin", () => {
  const { headers } = cors({ origins: [app] });
  expect(headers(null)).toEqual({ vary: "Origin" });
  expect(headers("https://evil.example")).toEqual({ vary: "Origin" });
  expect(headers(app)).toMatchObject({ vary: "Origin", "access-control-allow-origin": app });
});

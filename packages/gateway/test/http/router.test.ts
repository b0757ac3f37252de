import { describe, expect, test } from "vitest";
import type { Handler } from "../../src/http/exchange.ts";
import { Router } from "../../src/http/router.ts";

const handler = (): Handler => async () => ({ status: 200 });
const routes = {
  "GET /v1/models": handler(),
  "POST /v1/models": handler(),
  "GET /v1/things/:id": handler(),
  "GET /v1/things/all": handler(),
};
const router = new Router(routes);

describe("a router", () => {
  test.each([
    ["GET", "/v1/models", "GET /v1/models", {}],
    ["POST", "/v1/models", "POST /v1/models", {}],
    ["HEAD", "/v1/models", "GET /v1/models", {}],
    // Empty segments say nothing, wherever they stand.
    ["GET", "/v1//models/", "GET /v1/models", {}],
    ["GET", "/v1/things/all", "GET /v1/things/all", {}],
    ["GET", "/v1/things/a%20b", "GET /v1/things/:id", { id: "a b" }],
    ["GET", "/v1/things/%", "GET /v1/things/:id", { id: "%" }],
  ])("finds who answers %s %s", (method, path, route, params) => {
    expect(router.find(method, path)).toEqual({
      handler: routes[route as keyof typeof routes],
      route: route.split(" ")[1],
      params,
    });
  });

  test("knows the methods of a path", () => {
    expect(router.find("DELETE", "/v1/models")).toEqual({ allow: ["GET", "POST", "HEAD"] });
  });

  test.each(["/v1", "/v1/models/x", "/v1/things/:id/x", "/", ""])("has nothing at %j", (path) => {
    expect(router.find("GET", path)).toBeUndefined();
  });

  test("takes the names of parameters for no path", () => {
    expect(router.find("GET", "/v1/things/:id")).toMatchObject({ route: "/v1/things/:id", params: { id: ":id" } });
  });
});

import { describe, expect, test } from "vitest";
import { responsesCodec, responsesServer } from "../../../src/codecs/responses/index.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { testCtx } from "../../support/ctx.ts";

const codec = responsesCodec();
const headers = (fields: Record<string, string> = {}) => ({ get: (name: string): string | null => fields[name] ?? null });
const decode = (status: number, body: unknown): AntiphonError => codec.decodeError(status, headers(), body);

describe("decodeError", () => {
  const rows: [string, number, unknown, ErrorCode, string | RegExp][] = [
    [
      "OpenAI's envelope",
      400,
      { error: { message: "No.", type: "invalid_request_error", param: "input", code: "context_length_exceeded" } },
      "CONTEXT_LENGTH_EXCEEDED",
      "No.",
    ],
    [
      "an error that is a string",
      400,
      { code: "invalid-argument", error: "Incorrect API key provided." },
      "AUTH_ERROR",
      "Incorrect API key provided.",
    ],
    ["a detail", 401, { detail: "Could not parse your token." }, "AUTH_ERROR", "Could not parse your token."],
    ["a list of details", 422, { detail: [{ loc: ["body", "input"], msg: "field required" }] }, "BAD_REQUEST", /field required/],
    ["a bare message", 500, { message: "Oops" }, "SERVER_ERROR", "Oops"],
    ["a number as code", 429, { error: { code: 429, message: "Slow down" } }, "RATE_LIMIT", "Slow down"],
    [
      "an HTML page",
      503,
      "<html><head><title>503 Service Unavailable</title></head></html>",
      "SERVER_OVERLOADED",
      /HTML page: 503 Service Unavailable/,
    ],
    ["plain text", 502, "upstream connect error", "SERVER_ERROR", "upstream connect error"],
    ["nothing", 404, undefined, "NOT_FOUND", /status 404/],
  ];
  test.each(rows)("reads %s", (_, status, body, code, message) => {
    const error = decode(status, body);
    expect(error.code).toBe(code);
    expect(error.status).toBe(status);
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  });

  test("reads how long to wait", () => {
    const error = codec.decodeError(429, headers({ "retry-after-ms": "640" }), { error: { message: "Slow down" } });
    expect(error.retryAfter).toBe(640);
  });
});

describe("errorIn", () => {
  test("sees an error event and an error body in an HTTP 200 answer, and nothing else", () => {
    expect(codec.errorIn({ type: "error", code: "server_error", message: "Oops" })).toMatchObject({
      code: "SERVER_ERROR",
      message: "Oops",
    });
    expect(codec.errorIn({ type: "error", error: { type: "tokens", code: "rate_limit_exceeded", message: "Slow" } })?.code).toBe(
      "TOKEN_RATE_LIMIT",
    );
    expect(codec.errorIn({ error: { message: "No money", code: "insufficient_quota" } })?.code).toBe("QUOTA_EXCEEDED");
    expect(codec.errorIn({ object: "response", error: { code: "x", message: "y" }, output: [] })).toBeUndefined();
    expect(codec.errorIn({ type: "response.created" })).toBeUndefined();
    expect(codec.errorIn("text")).toBeUndefined();
  });
});

describe("decodeResponse", () => {
  test.each([[{ hello: 1 }], [{}], [[]], ["text"], [null]])("refuses %j, which is no response", (reply) => {
    expect(() => codec.decodeResponse(testCtx(), reply)).toThrow(expect.objectContaining({ code: "PROTOCOL" }));
  });

  test("reads a response of which a server sends little", () => {
    expect(codec.decodeResponse(testCtx(), { status: "completed" })).toMatchObject({ status: "completed", output: [] });
    expect(codec.decodeResponse(testCtx(), { output: [] }).output).toEqual([]);
  });
});

describe("encodeError", () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])("%s is understood by a client of the same wire", (code) => {
    const { status, body } = responsesServer().encodeError(new AntiphonError(code, "Some words.", { param: "input" }));
    expect(status).toBeGreaterThanOrEqual(400);
    const back = codec.decodeError(status, headers(), body);
    expect(back).toMatchObject({ message: "Some words.", param: "input" });
    // The wire has one word for both kinds of rate limit.
    expect(back.code).toBe(code === "TOKEN_RATE_LIMIT" ? "RATE_LIMIT" : code);
  });
});

import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { classify, vendorError, type VendorError } from "../../src/core/classify-error.ts";
import { errorCodes } from "../../src/core/error-codes.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { responseError } from "../../src/core/interrupt.ts";

describe("classify", () => {
  const rows: [string, VendorError, number | undefined, string][] = [
    ["the vendor's code", { code: "insufficient_quota", type: "insufficient_quota" }, 429, "QUOTA_EXCEEDED"],
    ["the vendor's type", { type: "authentication_error" }, 400, "AUTH_ERROR"],
    ["a token limit told by type", { code: "rate_limit_exceeded", type: "tokens" }, 429, "TOKEN_RATE_LIMIT"],
    [
      "a token limit told in words",
      { code: "rate_limit_exceeded", message: "Limit 30000 tokens per min" },
      429,
      "TOKEN_RATE_LIMIT",
    ],
    ["a request limit", { code: "rate_limit_exceeded", type: "requests" }, 429, "RATE_LIMIT"],
    ["a code in spite of misleading words", { code: "model_not_found", message: "rate limit" }, 404, "INVALID_MODEL"],
    ["a bare 401", {}, 401, "AUTH_ERROR"],
    ["a bare 402", {}, 402, "QUOTA_EXCEEDED"],
    ["a bare 403", {}, 403, "PERMISSION"],
    ["a bare 404", {}, 404, "NOT_FOUND"],
    ["a bare 413", {}, 413, "CONTEXT_LENGTH_EXCEEDED"],
    ["a bare 429", {}, 429, "RATE_LIMIT"],
    ["a bare 500", {}, 500, "SERVER_ERROR"],
    ["a bare 502", {}, 502, "SERVER_ERROR"],
    ["a bare 503", {}, 503, "SERVER_OVERLOADED"],
    ["a bare 529", {}, 529, "SERVER_OVERLOADED"],
    ["words alone, of a key", { message: "Incorrect API key provided." }, 400, "AUTH_ERROR"],
    [
      "words alone, of the context",
      { message: "the request exceeds the available context size" },
      400,
      "CONTEXT_LENGTH_EXCEEDED",
    ],
    ["words of a safety check, in a bare 403", { message: "Content violates usage guidelines." }, 403, "CONTENT_POLICY"],
    [
      "words of a safety check, whatever key they name",
      { code: "permission_denied", message: "Failed check: SAFETY_CHECK_TYPE_BIO, API key ID: 1" },
      403,
      "CONTENT_POLICY",
    ],
    ["a bare 403 that mentions a key", { message: "This API key may not use the endpoint." }, 403, "PERMISSION"],
    ["words alone, of a model id", { message: "acme/none is not a valid model ID" }, 400, "INVALID_MODEL"],
    [
      "words alone, of the models there are",
      { type: "invalid_request_error", message: "The supported API model names are a or b, but you passed c." },
      400,
      "INVALID_MODEL",
    ],
    ["the type of an invalid request without a status", { type: "invalid_request_error" }, undefined, "BAD_REQUEST"],
    ["the status, where the type is of an invalid request", { type: "invalid_request_error" }, 404, "NOT_FOUND"],
    ["nothing at all", {}, undefined, "SERVER_ERROR"],
    ["an unknown code in a 400", { code: "odd_thing" }, 400, "BAD_REQUEST"],
  ];
  test.each(rows)("decides by %s", (_, error, status, code) => {
    expect(classify(error, status)).toBe(code);
  });

  test.each(Object.keys(errorCodes))("reads back %s from a response that carries it", (code) => {
    const error = new AntiphonError(code as keyof typeof errorCodes, "Some words.");
    expect(classify(responseError(error))).toBe(code);
  });
});

describe("AntiphonError", () => {
  test("keeps its cause and details, and gives advice", () => {
    const cause = new Error("socket hang up");
    const error = vendorError(
      { code: "server_error", message: "Oops" },
      { status: 500, requestId: "req_1", provider: "openai", cause },
    );
    expect(error).toMatchObject({
      name: "AntiphonError",
      code: "SERVER_ERROR",
      status: 500,
      requestId: "req_1",
      provider: "openai",
      cause,
    });
    expect(error.advice).toContain("requestId");
    expect(error.with({ provider: "azure" })).toMatchObject({
      provider: "azure",
      requestId: "req_1",
      cause,
      code: "SERVER_ERROR",
    });
  });

  test("has only the details that are known as its own fields", () => {
    const error = new AntiphonError("RATE_LIMIT", "Slow down.", { provider: "openai", status: undefined });
    expect(Object.keys(error).toSorted()).toEqual(["advice", "code", "name", "provider"]);
    expect("cause" in error).toBe(false);
    expect(error.with({ provider: undefined, status: 429 })).toMatchObject({ status: 429 });
    expect(inspect(error)).not.toContain("undefined");
  });

  test("bounds its message", () => {
    expect(new AntiphonError("BAD_REQUEST", "x".repeat(1_000_000)).message.length).toBeLessThan(3_000);
  });

  test("is JSON without its cause", () => {
    const json = JSON.stringify(new AntiphonError("TIMEOUT", "Too slow.", { cause: new Error("secret") }));
    expect(JSON.parse(json)).toMatchObject({ code: "TIMEOUT", message: "Too slow." });
    expect(json).not.toContain("secret");
  });
});

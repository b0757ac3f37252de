import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../../src/codecs/chat/index.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { testCtx } from "../../support/ctx.ts";

const codec = chatCodec();
const none = new Headers();

describe("errors", () => {
  test("E7: a proxy's numbers are statuses, and what the model's own server said stands in its words", () => {
    const raw = JSON.stringify({
      error: { message: "Too low.", type: "invalid_request_error", param: "max_tokens", code: "integer_below_min_value" },
    });
    const error = codec.decodeError(400, none, { error: { message: "Provider returned error", code: 400, metadata: { raw } } });
    expect(error).toMatchObject({
      code: "BAD_REQUEST",
      message: "Too low.",
      param: "max_tokens",
      vendorCode: "integer_below_min_value",
    });
    expect(
      codec.errorIn({ error: { message: "Provider returned error", code: 503, metadata: { raw: "upstream down" } } }),
    ).toMatchObject({ code: "SERVER_OVERLOADED", message: "upstream down" });
  });

  test("E8: a page, a list, nothing at all: each becomes a sentence", () => {
    expect(codec.decodeError(502, none, "<html><title>Bad Gateway</title></html>").message).toContain("Bad Gateway");
    expect(codec.decodeError(400, none, [{ error: { message: "API key not valid." } }])).toMatchObject({
      code: "AUTH_ERROR",
      message: "API key not valid.",
    });
    expect(codec.decodeError(400, none, { errors: [{ message: "No such model: x", code: 5007 }] })).toMatchObject({
      code: "INVALID_MODEL",
    });
    expect(codec.decodeError(500, none, undefined)).toMatchObject({
      code: "SERVER_ERROR",
      message: "The server returned status 500 without an error message.",
    });
  });

  test("E8: the wait is read from headers, or from those that a proxy passes on in its body", () => {
    expect(codec.decodeError(429, new Headers({ "retry-after": "2" }), {}).retryAfter).toBe(2_000);
    const reset = String(Date.now() + 60_000);
    const body = { error: { message: "Rate limit exceeded", code: 429, metadata: { headers: { "X-RateLimit-Reset": reset } } } };
    expect(codec.decodeError(429, none, body).retryAfter).toBeGreaterThan(50_000);
  });

  test("E8: an error inside HTTP 200 is found, and an answer is none", () => {
    expect(codec.errorIn({ error: { message: "Insufficient credits", code: 402 } })).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(codec.errorIn({ object: "error", message: "Bad input", type: "invalid_request_error" })?.message).toBe("Bad input");
    expect(codec.errorIn({ detail: "Not allowed" })?.message).toBe("Not allowed");
    expect(codec.errorIn({ object: "chat.completion", choices: [], error: null })).toBeUndefined();
    expect(codec.errorIn({ id: "chatcmpl-1", choices: [{ index: 0, delta: { content: "error" } }] })).toBeUndefined();
  });

  test("an error inside a stream is read with the status that it names", () => {
    const error = { message: "The arguments of the call do not fit the tool.", code: "arguments_mismatch", status_code: 422 };
    expect(codec.errorIn({ error })).toMatchObject({ code: "BAD_REQUEST", status: 422 });
    const failed = { message: "The tool call could not be validated.", type: "invalid_request_error", code: "tool_use_failed" };
    expect(codec.errorIn({ error: failed })).toMatchObject({ code: "BAD_REQUEST", vendorCode: "tool_use_failed" });
  });

  test("a safety check of the model's own server, passed on by a proxy, is a matter of policy", () => {
    const raw = JSON.stringify({ code: "permission-denied", error: "Content violates usage guidelines. Failed check: X" });
    const error = { message: "Provider returned error", code: 403, metadata: { raw } };
    expect(codec.decodeError(403, none, { error })).toMatchObject({ code: "CONTENT_POLICY" });
  });

  test("a plain answer without choices is no answer", () => {
    expect(() => codec.decodeResponse(testCtx(), { hello: "world" })).toThrow(expect.objectContaining({ code: "PROTOCOL" }));
    expect(() => codec.decodeResponse(testCtx(), [])).toThrow(expect.objectContaining({ code: "PROTOCOL" }));
  });

  test.each(Object.keys(errorCodes) as ErrorCode[])("E7: our server tells %s in a form that our codec reads back", (code) => {
    const { status, body } = chatServer().encodeError(new AntiphonError(code, "It went wrong.", { param: "model" }));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toEqual({
      error: { message: "It went wrong.", type: expect.any(String), code: expect.any(String), param: "model" },
    });
    const read = codec.decodeError(status, none, body).code;
    expect(read === code || code === "TOKEN_RATE_LIMIT").toBe(true);
  });
});

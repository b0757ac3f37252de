import { describe, expect, test } from "vitest";
import { messagesCodec, messagesServer } from "../../../src/codecs/messages/index.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { AntiphonError } from "../../../src/core/error.ts";

const codec = messagesCodec();
const headers = (fields: Record<string, string> = {}) => ({ get: (name: string): string | null => fields[name] ?? null });
const body = (type: string, message: string) => ({ type: "error", error: { type, message } });

describe("decodeError", () => {
  const invalid = "invalid_request_error";
  test.each<[number, string, string, ErrorCode]>([
    [401, "authentication_error", "invalid x-api-key", "AUTH_ERROR"],
    [402, "billing_error", "Payment required", "QUOTA_EXCEEDED"],
    [403, "permission_error", "Not for you", "PERMISSION"],
    [404, "not_found_error", "model: claude-9", "INVALID_MODEL"],
    [404, "not_found_error", "Not found", "NOT_FOUND"],
    [413, "request_too_large", "Request exceeds the maximum size", "CONTEXT_LENGTH_EXCEEDED"],
    [429, "rate_limit_error", "Number of requests has exceeded your limit", "RATE_LIMIT"],
    [429, "rate_limit_error", "This would exceed 40,000 input tokens per minute", "TOKEN_RATE_LIMIT"],
    [500, "api_error", "Internal server error", "SERVER_ERROR"],
    [504, "timeout_error", "Took too long", "TIMEOUT"],
    [529, "overloaded_error", "Overloaded", "SERVER_OVERLOADED"],
    [400, invalid, "prompt is too long: 210000 tokens > 200000 maximum", "CONTEXT_LENGTH_EXCEEDED"],
    [400, invalid, "Your credit balance is too low to access the API.", "QUOTA_EXCEEDED"],
    [400, invalid, "messages.1.content.0: Invalid `signature` in `thinking` block", "INVALID_ENCRYPTED_CONTENT"],
    [400, invalid, "tools.0.custom.input_schema: JSON schema is invalid", "INVALID_SCHEMA"],
    [400, invalid, "Output blocked by content filtering policy", "CONTENT_POLICY"],
    [400, invalid, "max_tokens: Field required", "BAD_REQUEST"],
  ])("E7: %i %s, %s", (status, type, message, code) => {
    const error = codec.decodeError(status, headers(), body(type, message));
    expect(error).toMatchObject({ code, status, message, vendorCode: type });
  });

  test("E7: names the field, the request and the wait", () => {
    const error = codec.decodeError(429, headers({ "retry-after": "3" }), {
      ...body("rate_limit_error", "Slow"),
      request_id: "req_1",
    });
    expect(error).toMatchObject({ retryAfter: 3_000, requestId: "req_1" });
    expect(codec.decodeError(400, headers({ "request-id": "req_2" }), body(invalid, "messages.0.role: Bad"))).toMatchObject({
      param: "messages.0.role",
      requestId: "req_2",
    });
  });

  test.each([
    [502, "<html><title>Bad gateway</title></html>", "SERVER_ERROR", /status 502/],
    [503, "upstream connect error", "SERVER_OVERLOADED", /upstream/],
    [500, undefined, "SERVER_ERROR", /status 500/],
    [400, { message: "Some proxy's words" }, "BAD_REQUEST", /proxy/],
  ])("E8: reads %i with a body that is not the wire's", (status, said, code, message) => {
    const error = codec.decodeError(status, headers(), said);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe("errorIn", () => {
  test("E8: sees an error in an HTTP 200 answer, and nothing else", () => {
    expect(codec.errorIn(body("overloaded_error", "Overloaded"))).toMatchObject({
      code: "SERVER_OVERLOADED",
      message: "Overloaded",
    });
    expect(codec.errorIn({ error: { message: "Your credit balance is too low", type: invalidRequest } })?.code).toBe(
      "QUOTA_EXCEEDED",
    );
    expect(codec.errorIn(body(invalidRequest, "messages: Field required"))?.code).toBe("BAD_REQUEST");
    expect(codec.errorIn({ type: "message", content: [] })).toBeUndefined();
    expect(codec.errorIn({ type: "message_start" })).toBeUndefined();
    expect(codec.errorIn("text")).toBeUndefined();
  });
});

const invalidRequest = "invalid_request_error";

describe("encodeError", () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])("%s is understood by a client of the same wire", (code) => {
    const error = new AntiphonError(code, "Some words.", { param: "messages", requestId: "req_1" });
    const { status, body: told } = messagesServer().encodeError(error);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(told).toMatchObject({
      type: "error",
      error: { type: expect.stringMatching(/_error$/) as string },
      request_id: "req_1",
    });
    const back = codec.decodeError(status, headers(), told);
    expect(back.code).toBe(code);
    expect(back.message).toContain("Some words.");
  });

  test("a context that is too long is told in the words that clients look for", () => {
    const { body: told } = messagesServer().encodeError(new AntiphonError("CONTEXT_LENGTH_EXCEEDED", "Too much."));
    expect(told).toMatchObject({ error: { message: "prompt is too long: Too much." } });
  });
});

import { describe, expect, test } from "vitest";
import { geminiCodec, geminiServer } from "../../../src/codecs/gemini/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";

const codec = geminiCodec();
const none = { get: () => null };
const read = (status: number, body: unknown): AntiphonError => codec.decodeError(status, none, body);
const error = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, status, message, details },
});

describe("Google's names of failures", () => {
  test.each<[string, number, ErrorCode]>([
    ["UNAUTHENTICATED", 401, "AUTH_ERROR"],
    ["PERMISSION_DENIED", 403, "PERMISSION"],
    ["NOT_FOUND", 404, "NOT_FOUND"],
    ["INVALID_ARGUMENT", 400, "BAD_REQUEST"],
    ["FAILED_PRECONDITION", 400, "BAD_REQUEST"],
    ["RESOURCE_EXHAUSTED", 429, "RATE_LIMIT"],
    ["UNAVAILABLE", 503, "SERVER_OVERLOADED"],
    ["DEADLINE_EXCEEDED", 504, "TIMEOUT"],
    ["INTERNAL", 500, "SERVER_ERROR"],
    ["CANCELLED", 499, "SERVER_ERROR"],
    ["UNIMPLEMENTED", 501, "UNSUPPORTED"],
  ])("%s", (status, http, code) => {
    expect(read(http, error(http, status, "Sorry."))).toMatchObject({
      code,
      vendorCode: status,
      status: http,
      message: "Sorry.",
    });
  });

  test.each<[string, string, ErrorCode]>([
    ["INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "AUTH_ERROR"],
    [
      "INVALID_ARGUMENT",
      "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
      "CONTEXT_LENGTH_EXCEEDED",
    ],
    ["INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.", "INVALID_ENCRYPTED_CONTENT"],
    ["INVALID_ARGUMENT", "Thought signature is not valid.", "INVALID_ENCRYPTED_CONTENT"],
    [
      "INVALID_ARGUMENT",
      "* GenerateContentRequest.generation_config.response_schema.properties: should be non-empty for OBJECT type",
      "INVALID_SCHEMA",
    ],
    [
      "INVALID_ARGUMENT",
      "GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty",
      "INVALID_SCHEMA",
    ],
    ["FAILED_PRECONDITION", "User location is not supported for the API use.", "PERMISSION"],
    ["NOT_FOUND", "models/x is not found for API version v1beta, or is not supported for generateContent.", "INVALID_MODEL"],
    [
      "NOT_FOUND",
      "Publisher Model `projects/p/locations/l/publishers/google/models/x` was not found or your project does not have access to it.",
      "INVALID_MODEL",
    ],
    ["NOT_FOUND", "Not found: cache content metadata 1.", "NOT_FOUND"],
  ])("%s, made particular by: %s", (status, message, code) => {
    expect(read(status === "NOT_FOUND" ? 404 : 400, error(400, status, message)).code).toBe(code);
  });

  test.each<[string, object, ErrorCode]>([
    ["requests a minute", { quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", quotaValue: "15" }, "RATE_LIMIT"],
    [
      "tokens a minute",
      { quotaId: "GenerateContentInputTokensPerModelPerMinute-FreeTier", quotaValue: "250000" },
      "TOKEN_RATE_LIMIT",
    ],
    ["requests a day", { quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "250" }, "QUOTA_EXCEEDED"],
    ["a limit of zero", { quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", quotaValue: "0" }, "QUOTA_EXCEEDED"],
  ])("a quota of %s", (_, violation, code) => {
    const body = error(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan and billing details.",
      [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [violation] }],
    );
    expect(read(429, body).code).toBe(code);
  });

  test("says how long to wait: in its details, its words or its headers", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }];
    expect(read(429, error(429, "RESOURCE_EXHAUSTED", "Later.", details)).retryAfter).toBe(34_400);
    expect(read(429, error(429, "RESOURCE_EXHAUSTED", "Please retry in 12s.")).retryAfter).toBe(12_000);
    const headers = { get: (name: string) => (name === "retry-after" ? "3" : null) };
    expect(codec.decodeError(503, headers, error(503, "UNAVAILABLE", "Busy.")).retryAfter).toBe(3_000);
  });

  test("E8 reads errors in a list, in plain text and in HTML, and without any words", () => {
    expect(read(400, [error(400, "INVALID_ARGUMENT", "API key expired.")])).toMatchObject({ code: "AUTH_ERROR" });
    expect(read(502, "<html><title>Bad Gateway</title></html>")).toMatchObject({
      code: "SERVER_ERROR",
      message: expect.stringContaining("Bad Gateway") as string,
    });
    expect(read(401, "no")).toMatchObject({ code: "AUTH_ERROR", message: "no" });
    expect(read(418, undefined)).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("418") as string });
  });

  test("an answer is no error", () => {
    for (const value of [{ candidates: [], error: {} }, { candidates: [] }, { error: null }, {}, 3, [], [{}, {}]])
      expect(codec.errorIn(value)).toBeUndefined();
    expect(codec.errorIn([error(503, "UNAVAILABLE", "Busy.")])?.code).toBe("SERVER_OVERLOADED");
  });
});

describe("our own errors, told as Google's", () => {
  // Google has fewer names than we have codes; these come back as the nearest.
  const nearest: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
    TOKEN_RATE_LIMIT: "RATE_LIMIT",
    CONNECTION_ERROR: "SERVER_OVERLOADED",
    INVALID_MODEL: "NOT_FOUND",
    CHAIN_NOT_FOUND: "BAD_REQUEST",
    CONTEXT_LENGTH_EXCEEDED: "BAD_REQUEST",
    INVALID_SCHEMA: "BAD_REQUEST",
    INVALID_ENCRYPTED_CONTENT: "BAD_REQUEST",
    CONTENT_POLICY: "BAD_REQUEST",
    TRUNCATED: "SERVER_ERROR",
    PROTOCOL: "SERVER_ERROR",
    ABORTED: "SERVER_ERROR",
  };

  test.each(Object.keys(errorCodes) as ErrorCode[])("%s", (code) => {
    const { status, body } = geminiServer().encodeError(
      new AntiphonError(code, "Sorry.", { param: "contents", retryAfter: 1_500 }),
    );
    expect(body).toMatchObject({
      error: { code: status, message: "Sorry.", status: expect.stringMatching(/^[A-Z_]+$/) as string },
    });
    expect(read(status, body)).toMatchObject({ code: nearest[code] ?? code, retryAfter: 1_500 });
  });

  test("name the field that is at fault", () => {
    const { body } = geminiServer().encodeError(new AntiphonError("BAD_REQUEST", "Wrong.", { param: "contents[0].role" }));
    expect(body).toMatchObject({
      error: { details: [{ fieldViolations: [{ field: "contents[0].role", description: "Wrong." }] }] },
    });
  });
});

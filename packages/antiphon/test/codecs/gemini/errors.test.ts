import { describe, expect, test } from "vitest";
import { geminiCodec, geminiServer } from "../../../src/codecs/gemini/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { haveRecordings } from "../../support/recordings.ts";
import { geminiRecordings } from "./support.ts";

const codec = geminiCodec();
const none = { get: () => null };
const read = (status: number, body: unknown): AntiphonError => codec.decodeError(status, none, body);
const error = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, status, message, details },
});

/** Every recorded error, with the code that it must get. */
const recorded: Readonly<Record<string, ErrorCode>> = {
  "gemini-vertex/firebase--streaming-failure-api-key": "AUTH_ERROR",
  "gemini-vertex/firebase--streaming-failure-http-error": "PERMISSION",
  "gemini-vertex/firebase--streaming-failure-unknown-model": "INVALID_MODEL",
  "gemini-vertex/firebase--unary-failure-api-key": "AUTH_ERROR",
  "gemini-vertex/firebase--unary-failure-context-cache-model-doesnt-match": "BAD_REQUEST",
  "gemini-vertex/firebase--unary-failure-context-cache-not-found": "NOT_FOUND",
  "gemini-vertex/firebase--unary-failure-firebaseml-api-not-enabled": "PERMISSION",
  "gemini-vertex/firebase--unary-failure-firebasevertexai-api-not-enabled": "PERMISSION",
  "gemini-vertex/firebase--unary-failure-iam-permission-denied": "PERMISSION",
  "gemini-vertex/firebase--unary-failure-image-rejected": "BAD_REQUEST",
  "gemini-vertex/firebase--unary-failure-invalid-context-cache-id": "BAD_REQUEST",
  "gemini-vertex/firebase--unary-failure-model-not-found": "INVALID_MODEL",
  // A limit of zero: waiting does not help.
  "gemini-vertex/firebase--unary-failure-quota-exceeded": "QUOTA_EXCEEDED",
  "gemini-vertex/firebase--unary-failure-unsupported-user-location": "PERMISSION",
  "gemini-vertex/ruby-llm--chat-real-error-scenarios-vertexai-gemini-2-5-flash-hand-aff5dd--02": "CONTEXT_LENGTH_EXCEEDED",
  "gemini/firebase--streaming-failure-image-rejected": "BAD_REQUEST",
  "gemini/firebase--unary-failure-api-key": "AUTH_ERROR",
  "gemini/firebase--unary-failure-unknown-model": "INVALID_MODEL",
  "gemini/mirascope--authentication-error-google-gemini-2-5-flash": "AUTH_ERROR",
  "gemini/synthetic--500-internal": "SERVER_ERROR",
  "gemini/synthetic--503-unavailable": "SERVER_OVERLOADED",
  "gemini/vercel-ai--google-429-retry-info": "RATE_LIMIT",
};

describe.skipIf(!haveRecordings)("recorded errors", () => {
  const failures = geminiRecordings().filter(({ status }) => status >= 400);

  test("are all in the table", () => {
    expect(failures.map(({ id }) => id).sort()).toEqual(Object.keys(recorded).sort());
  });

  test.each(failures.map((failure) => [failure.id, failure] as const))("%s", (id, failure) => {
    const found = read(failure.status, failure.json());
    expect(found.code).toBe(recorded[id]);
    expect(found).toMatchObject({
      status: failure.status,
      message: expect.stringMatching(/\S/) as string,
      vendorCode: expect.stringMatching(/^[A-Z_]+$/) as string,
    });
    expect(codec.errorIn(failure.json())?.code).toBe(recorded[id]);
  });
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
    INVALID_OUTPUT: "SERVER_ERROR",
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

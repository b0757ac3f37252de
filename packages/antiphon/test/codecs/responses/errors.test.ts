import { describe, expect, test } from "vitest";
import { responsesCodec, responsesServer } from "../../../src/codecs/responses/index.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { testCtx } from "../../support/ctx.ts";
import { haveRecordings, responsesRecordings } from "../../support/recordings.ts";

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

  // What each recorded error means, read by a person; the recording's id is the key.
  const recorded: Record<string, ErrorCode> = {
    "openai-responses/dd-trace-js--c4a90328": "INVALID_SCHEMA",
    "openai-responses/dd-trace-py--response-create-error": "INVALID_MODEL",
    "openai-responses/mirascope--cassettes-test-model-call-with-tools--02": "INVALID_SCHEMA",
    "openai-responses/openai-dotnet--candeleteresponse--04": "NOT_FOUND",
    "openai-responses/openai-dotnet--canoptoutofstorage--02": "NOT_FOUND",
    "openai-responses/pydantic-ai--inferred-model-name-suggestion": "INVALID_MODEL",
    "openai-responses/pydantic-ai--multimodal-tool-return-matrix-direct-url-audio-openai-responses--02": "BAD_REQUEST",
    "openai-responses/pydantic-ai--multimodal-tool-return-matrix-direct-url-force-download-2e7f92--03": "BAD_REQUEST",
    "openai-responses/pydantic-ai--multimodal-tool-return-matrix-tool-return-content-url-fo-b48d57--03": "BAD_REQUEST",
    "openai-responses/pydantic-ai--openai-responses-model-http-error": "BAD_REQUEST",
    "openai-responses/req-llm--gpt-5-chat-latest-reasoning-basic": "BAD_REQUEST",
    "openai-responses/req-llm--gpt-5-codex-object-streaming": "BAD_REQUEST",
    "openai-responses/req-llm--o1-mini-usage": "BAD_REQUEST",
    "openai-responses/rig--error-envelope-nonexistent-model-error-preserves-status-and-body": "INVALID_MODEL",
    "openai-responses/rig--error-identity-edge-nonexistent-previous-response-refere-55f2ae": "CHAIN_NOT_FOUND",
    "openai-responses/ruby-llm--chat-real-error-scenarios-openai-gpt-5-nano-handles-cont-f05f8e": "CONTEXT_LENGTH_EXCEEDED",
    "openai-responses/ruby-llm--context-context-chat-operations-uses-context-specific-api-keys": "AUTH_ERROR",
    "openai-responses/synthetic--429-rate-limit-tpm": "TOKEN_RATE_LIMIT",
    "openai-responses/synthetic--500-server-error": "SERVER_ERROR",
    "openai-responses/synthetic--503-html-from-edge": "SERVER_OVERLOADED",
    "openai-responses/vercel-ai--openai-error-1": "QUOTA_EXCEEDED",
    "openai-responses/vercel-ai--reasoning-model-temperature-error": "BAD_REQUEST",
    "responses-compatible-chatgpt-codex/rig--http-errors-nonstreaming-unauthorized-preserves-status-and-body": "AUTH_ERROR",
    "responses-compatible-xai/rig--response-identity-auth-rejection-classifies-with-contract": "AUTH_ERROR",
  };
  test.skipIf(!haveRecordings)("gives every recorded error its right code", () => {
    const found = Object.fromEntries(
      responsesRecordings()
        .filter(({ status }) => status >= 400)
        .map((recording) => {
          const { response_headers = {} } = recording.meta();
          return [recording.id, codec.decodeError(recording.status, headers(response_headers), recording.json()).code];
        }),
    );
    expect(found).toEqual(recorded);
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

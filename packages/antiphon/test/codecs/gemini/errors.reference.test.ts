import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { geminiRecordings } from "./recordings.ts";

const codec = geminiCodec();

/** The code of each recorded error, assigned by a person. */
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

describe("recorded errors", () => {
  const failures = geminiRecordings().filter(({ status }) => status >= 400);

  test("are all in the table", () => {
    expect(failures.map(({ id }) => id).sort()).toEqual(Object.keys(recorded).sort());
  });

  test.each(failures.map((failure) => [failure.id, failure] as const))("%s", (id, failure) => {
    const found = codec.decodeError(failure.status, { get: () => null }, failure.json());
    expect(found.code).toBe(recorded[id]);
    expect(found).toMatchObject({
      status: failure.status,
      message: expect.stringMatching(/\S/) as string,
      vendorCode: expect.stringMatching(/^[A-Z_]+$/) as string,
    });
    expect(codec.errorIn(failure.json())?.code).toBe(recorded[id]);
  });
});

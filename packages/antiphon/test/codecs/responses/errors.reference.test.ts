import { expect, test } from "vitest";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { responsesRecordings } from "../../support/recordings.ts";

const codec = responsesCodec();

/** The code of each recorded error, assigned by a person. */
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

test("every recorded error gets its code", () => {
  const found = Object.fromEntries(
    responsesRecordings()
      .filter(({ status }) => status >= 400)
      .map((recording) => {
        const { response_headers = {} } = recording.meta();
        return [recording.id, codec.decodeError(recording.status, new Headers(response_headers), recording.json()).code];
      }),
  );
  expect(found).toEqual(recorded);
});

import { expect, test } from "vitest";
import { messagesCodec } from "../../../src/codecs/messages/index.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { recordings } from "../../support/recordings.ts";

const codec = messagesCodec();

/** The code of each recorded error, assigned by a person. */
const recorded: Record<string, ErrorCode> = {
  "anthropic/braintrust-py--anthropic-client-error": "INVALID_MODEL",
  "anthropic/braintrust-rb--beta-structured-outputs": "INVALID_SCHEMA",
  "anthropic/mirascope--model-not-found-anthropic-beta-claude-sonnet-4-0--01": "INVALID_MODEL",
  "anthropic/req-llm--claude-3-sonnet-20240229-streaming": "INVALID_MODEL",
  "anthropic/rig--error-identity-edge-auth-rejection-carries-identity": "AUTH_ERROR",
  "anthropic/rig--strict-schema-matrix-scalar-root-schema-is-rejected-for-60558a": "INVALID_SCHEMA",
  "anthropic/synthetic--429-rate-limit-error": "RATE_LIMIT",
  "anthropic/synthetic--500-api-error": "SERVER_ERROR",
  "anthropic/synthetic--529-overloaded": "SERVER_OVERLOADED",
};

test("every recorded error gets its code", () => {
  const found = Object.fromEntries(
    recordings("anthropic")
      .filter(({ status }) => status >= 400)
      .map((recording) => {
        const { response_headers = {} } = recording.meta();
        return [recording.id, codec.decodeError(recording.status, new Headers(response_headers), recording.json()).code];
      }),
  );
  expect(found).toEqual(recorded);
});

import { describe, expect, test } from "vitest";
import { chatCodec } from "../../../src/codecs/chat/index.ts";
import { recordedErrors } from "../../support/recorded-errors.ts";
import { recordings } from "../../support/recordings.ts";

const codec = chatCodec();

describe("recorded errors", () => {
  const failed = recordings("openai-chat", "chat-compatible-").filter(({ status }) => status >= 400);

  test(`${failed.length} of them have the codes that a person gave them`, () => {
    const found = failed.map(({ id, status, json, meta }) => [
      id,
      codec.decodeError(status, new Headers(meta().response_headers ?? {}), json()).code,
    ]);
    expect(Object.fromEntries(found)).toEqual(recordedErrors.chat);
  });
});

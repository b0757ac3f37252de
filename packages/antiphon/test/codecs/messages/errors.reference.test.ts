import { expect, test } from "vitest";
import { messagesCodec } from "../../../src/codecs/messages/index.ts";
import { recordedErrors } from "../../support/recorded-errors.ts";
import { recordings } from "../../support/recordings.ts";

const codec = messagesCodec();

test("every recorded error gets its code", () => {
  const found = Object.fromEntries(
    recordings("anthropic")
      .filter(({ status }) => status >= 400)
      .map((recording) => {
        const { response_headers = {} } = recording.meta();
        return [recording.id, codec.decodeError(recording.status, new Headers(response_headers), recording.json()).code];
      }),
  );
  expect(found).toEqual(recordedErrors.messages);
});

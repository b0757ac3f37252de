import { expect, test } from "vitest";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import { recordedErrors } from "../../support/recorded-errors.ts";
import { responsesRecordings } from "../../support/recordings.ts";

const codec = responsesCodec();

test("every recorded error gets its code", () => {
  const found = Object.fromEntries(
    responsesRecordings()
      .filter(({ status }) => status >= 400)
      .map((recording) => {
        const { response_headers = {} } = recording.meta();
        return [recording.id, codec.decodeError(recording.status, new Headers(response_headers), recording.json()).code];
      }),
  );
  expect(found).toEqual(recordedErrors.responses);
});

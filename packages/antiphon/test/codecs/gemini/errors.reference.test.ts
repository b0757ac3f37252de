import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import { recordedErrors } from "../../support/recorded-errors.ts";
import { geminiRecordings } from "./recordings.ts";

const codec = geminiCodec();

describe("recorded errors", () => {
  const failures = geminiRecordings().filter(({ status }) => status >= 400);

  test("are all in the table", () => {
    expect(failures.map(({ id }) => id).sort()).toEqual(Object.keys(recordedErrors.gemini).sort());
  });

  test.each(failures.map((failure) => [failure.id, failure] as const))("%s", (id, failure) => {
    const found = codec.decodeError(failure.status, { get: () => null }, failure.json());
    expect(found.code).toBe(recordedErrors.gemini[id]);
    expect(found).toMatchObject({
      status: failure.status,
      message: expect.stringMatching(/\S/) as string,
      vendorCode: expect.stringMatching(/^[A-Z_]+$/) as string,
    });
    expect(codec.errorIn(failure.json())?.code).toBe(recordedErrors.gemini[id]);
  });
});

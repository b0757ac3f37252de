import { expect, test } from "vitest";
import { responsesServer } from "../../../src/codecs/responses/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { responsesRecordings } from "../../support/recordings.ts";

const server = responsesServer();

test("decodeRequest returns every recorded request unchanged", () => {
  const refused = responsesRecordings().flatMap((recording) => {
    const request = recording.request();
    if (recording.status >= 400 || typeof request !== "object" || request === null || !("input" in request)) return [];
    try {
      expect(server.decodeRequest(structuredClone(request))).toEqual(request);
      return [];
    } catch (error) {
      return [`${recording.id}: ${error instanceof AntiphonError ? error.message : String(error)}`];
    }
  });
  expect(refused).toEqual([]);
});

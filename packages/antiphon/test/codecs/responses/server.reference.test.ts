import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { specification } from "../../../../../test/support/specification.ts";
import { responsesCodec, responsesServer } from "../../../src/codecs/responses/index.ts";
import { expand } from "../../../src/core/expand.ts";
import { isStandardEvent } from "../../../src/model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { decodeBytes } from "../../../src/testing/laws.ts";
import { responses } from "../../support/arbitraries.ts";
import { testCtx } from "../../support/ctx.ts";
import { responsesRecordings } from "../../support/recordings.ts";
import { runs } from "../../support/runs.ts";

const faultOf = specification();

/** Returns the events that a server in the specification's dialect sends. */
function encode(events: readonly ResponseEvent[]): unknown[] {
  const encoder = responsesServer("open-responses").createEncoder({});
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
}

const standardItems = new Set(["message", "function_call", "function_call_output", "reasoning", "compaction"]);
const hasStandardItems = ({ output }: ResponseResource): boolean => output.every(({ type }) => standardItems.has(type));

// Hosted tools are extensions, which the closed unions of the specification's schema do not contain.
const isStandard = (event: ResponseEvent): boolean =>
  isStandardEvent(event) &&
  (!("response" in event) || (hasStandardItems(event.response) && event.response.tools.every(({ type }) => type === "function")));

describe("the specification's schema accepts", () => {
  test("generated responses, plain and streamed", () => {
    fc.assert(
      fc.property(responses.filter(hasStandardItems), (response) => {
        expect(faultOf("response", responsesServer().encodeResponse(response))).toBeUndefined();
        for (const event of encode(expand(response))) expect(faultOf("event", event)).toBeUndefined();
      }),
      { numRuns: runs(50, 2_000) },
    );
  });

  test("recorded streams of every server, encoded again", () => {
    const faults = responsesRecordings()
      .filter(({ stream }) => stream)
      .flatMap((recording) => {
        const events = decodeBytes(responsesCodec(), testCtx(), [recording.body()]);
        if (!events.every(isStandard)) return [];
        const fault = encode(events)
          .map((event) => faultOf("event", event))
          .find(Boolean);
        return fault ? [`${recording.id}: ${fault}`] : [];
      });
    expect(faults).toEqual([]);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeFrame } from "../../src/codecs/responses/encode-frame.ts";
import { runs } from "../support/runs.ts";

const index = fc.nat(1_000);
const delta = fc.record(
  {
    type: fc.constantFrom("response.output_text.delta", "response.reasoning_summary_text.delta", "response.refusal.delta"),
    sequence_number: index,
    item_id: fc.string({ unit: "grapheme" }),
    output_index: index,
    delta: fc.oneof(fc.string({ unit: "grapheme" }), index),
    content_index: index,
    summary_index: index,
    logprobs: fc.oneof(fc.constant([]), fc.constant([{ token: "a", logprob: 0 }])),
    obfuscation: fc.string(),
  },
  { requiredKeys: ["type"] },
);

test("a frame holds its event, whichever fields that has", () =>
  fc.assert(
    fc.property(delta, (event) => {
      const [name, data, ...rest] = encodeFrame(event).split("\n");
      expect(name).toBe(`event: ${event.type}`);
      expect(JSON.parse(data!.slice("data: ".length))).toEqual(JSON.parse(JSON.stringify(event)));
      expect(rest).toEqual(["", ""]);
    }),
    { numRuns: runs(500, 20_000) },
  ));

import type { ResponseEvent } from "antiphon";
import fc from "fast-check";
import { expect, test } from "vitest";
import { framesOf, Recent } from "../../src/runs/recent.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

const minute = 60_000;
const mega = 1024 * 1024;

/** A stream of one event that takes about so many bytes. */
const streamOf = (delta: string): ResponseEvent[][] => [
  [
    {
      type: "response.output_text.delta",
      sequence_number: 4,
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta,
    },
  ],
];

test("what was kept is read again for a minute", () => {
  let now = 0;
  const recent = new Recent(() => now);
  const stream = streamOf("Grüße, 世界\n\ndata: {}");
  recent.add("resp_1", framesOf(stream));
  now = minute - 1;
  expect(recent.get("resp_1")).toEqual(stream.flat());
  now = minute;
  expect(recent.get("resp_1")).toBeUndefined();
});

test("what was deleted is gone, and so is what was never there", () => {
  const recent = new Recent();
  recent.add("resp_1", framesOf(streamOf("Hi")));
  recent.delete("resp_1");
  expect(recent.get("resp_1")).toBeUndefined();
  expect(recent.get("resp_2")).toBeUndefined();
});

test("frames that only passed are events again", () => {
  const recent = new Recent();
  const [[event]] = streamOf("Hi") as [[ResponseEvent]];
  const bytes = Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  recent.add(
    "resp_1",
    framesOf([[event], [{ type: "antiphon:wire", sequence_number: 4, bytes, text: bytes.toString() }, event]]),
  );
  expect(recent.get("resp_1")).toEqual([event, event, event]);
});

test("the newest are kept whole, whatever their sizes, and the oldest make room", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 9 * mega }), { minLength: 1, maxLength: 30 });
  const property = fc.property(sizes, (lengths) => {
    const recent = new Recent();
    for (const [index, length] of lengths.entries())
      recent.add(`resp_${index}`, framesOf(streamOf(String(index % 10).repeat(length))));
    let kept = 0;
    let newer = true;
    for (let index = lengths.length - 1; index >= 0; index -= 1) {
      const found = recent.get(`resp_${index}`);
      const length = lengths[index]!;
      if (found) expect(found).toEqual(streamOf(String(index % 10).repeat(length)).flat());
      // One that is larger than all the room there is was never kept.
      else if (length < 8 * mega - 1_000) newer = false;
      if (found && length > 0) expect(newer).toBe(true);
      kept += found ? length : 0;
    }
    expect(kept).toBeLessThanOrEqual(8 * mega);
  });
  fc.assert(property, { numRuns: runs(10, 300) });
});

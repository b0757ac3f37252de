import fc from "fast-check";
import { expect, test } from "vitest";
import { eventJson, itemsJson, shellJson } from "../../../src/codecs/responses/event-json.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import type { Item, ResponseResource } from "../../../src/model/index.ts";
import { runs } from "../../support/runs.ts";

const tricky = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"output":[]', '"text":""', '{"output":[]}', "\\", '"', "\n", "\ud800"),
);
const message = tricky.map((text): Item => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
}));
/** Fields in which names stand that are looked for elsewhere. */
const odd = fc.constantFrom<object>({}, { metadata: { output: "[]" } }, { extra: { output: [] } }, { note: [{ text: "" }] });

const response = fc
  .tuple(fc.array(message, { maxLength: 3 }), tricky, odd)
  .map(([output, instructions, more]): ResponseResource => ({
    ...blankResponse("resp_1", 1, { model: "m", instructions }),
    output,
    ...more,
  }));
const place = { sequence_number: 7, item_id: "msg_1", output_index: 0, content_index: 0 };
const event = fc.oneof(
  fc
    .tuple(fc.constantFrom("created", "in_progress", "completed", "incomplete", "failed"), response, odd)
    .map(([name, told, more]) => ({ type: `response.${name}`, sequence_number: 3, response: told, ...more })),
  fc
    .tuple(message, odd)
    .map(([item, more]) => ({ type: "response.output_item.done", sequence_number: 3, output_index: 0, item, ...more })),
  fc.tuple(tricky, odd).map(([text, more]) => ({ type: "response.output_text.done", ...place, text, ...more })),
  fc.tuple(tricky, odd).map(([text, more]) => ({
    type: "response.content_part.done",
    ...place,
    part: { type: "output_text", text, annotations: [], ...more },
  })),
  fc.constant({ type: "response.content_part.done", ...place, part: { type: "refusal", refusal: "No." } }),
);

test("an event is the JSON of itself, however often it is told, and whatever stands in it", () =>
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
      for (const told of [...events, ...events]) expect(JSON.parse(eventJson(told))).toEqual(JSON.parse(JSON.stringify(told)));
    }),
    { numRuns: runs(500, 20_000) },
  ));

test("a response is kept as its items and the rest, which is what it is told as", () =>
  fc.assert(
    fc.property(response, (told) => {
      expect(JSON.parse(itemsJson(told.output))).toEqual(JSON.parse(JSON.stringify(told.output)));
      expect(JSON.parse(shellJson(told))).toEqual(JSON.parse(JSON.stringify({ ...told, output: [] })));
    }),
    { numRuns: runs(200, 5_000) },
  ));

test("an item is written once", () => {
  const item: Item = { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] };
  let writes = 0;
  Object.defineProperty(item, "toJSON", { value: () => ((writes += 1), { type: "message" }) });
  const told = { ...blankResponse("resp_1", 1, {}), output: [item] };
  for (const value of [
    { type: "response.output_item.done", item },
    { type: "response.completed", sequence_number: 2, response: told },
  ])
    expect(eventJson(value)).toContain('{"type":"message"}');
  expect(writes).toBe(1);
});

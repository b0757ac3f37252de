import fc from "fast-check";
import { expect, test } from "vitest";
import { eventJson, responseJson, withJson } from "../../../src/codecs/responses/event-json.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import type { Item, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
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

test("with the JSON of what they tell, events are written as without", () =>
  fc.assert(
    fc.property(response, (told) => {
      const events: ResponseEvent[] = [
        ...told.output.map((item, output_index): ResponseEvent => ({
          type: "response.output_item.done",
          sequence_number: output_index,
          output_index,
          item,
        })),
        { type: "response.completed", sequence_number: 9, response: told },
      ];
      const json = responseJson(told);
      expect(json.output).toBe(JSON.stringify(told.output));
      expect(`[${json.items.join(",")}]`).toBe(json.output);
      expect(JSON.parse(json.shell)).toEqual(JSON.parse(JSON.stringify({ ...told, output: [] })));
      const knowing = withJson(events, told, json);
      expect(knowing.map((event) => JSON.parse(eventJson(event)))).toEqual(JSON.parse(JSON.stringify(events)));
      // What was put in the place of an item or a response is told, not what stood there.
      const others = knowing.map((event) =>
        "item" in event ? { ...event, item: "another" } : { ...event, response: "another" },
      );
      expect(others.map((event) => JSON.parse(eventJson(event)))).toEqual(JSON.parse(JSON.stringify(others)));
    }),
    { numRuns: runs(300, 5_000) },
  ));

test("what is known is not written again", () => {
  const item: Item = { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] };
  const told = { ...blankResponse("resp_1", 1, {}), output: [item] };
  const [event] = withJson([{ type: "response.completed", sequence_number: 2, response: told }], told, {
    shell: '{"output":[]}',
    output: '["as it was written"]',
    items: ['"as it was written"'],
  });
  expect(eventJson(event!)).toContain('"response":{"output":["as it was written"]}');
});

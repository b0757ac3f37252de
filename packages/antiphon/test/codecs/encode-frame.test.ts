import fc from "fast-check";
import { expect, test } from "vitest";
import { chatServer } from "../../src/codecs/chat/index.ts";
import { encodeFrame } from "../../src/codecs/responses/encode-frame.ts";
import { blankResponse } from "../../src/core/blank-response.ts";
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

function expectFrame(event: { type: string }): void {
  const [name, data, ...rest] = encodeFrame(event).split("\n");
  expect(name).toBe(`event: ${event.type}`);
  expect(JSON.parse(data!.slice("data: ".length))).toEqual(JSON.parse(JSON.stringify(event)));
  expect(rest).toEqual(["", ""]);
}

test("a frame holds its event, whichever fields that has", () =>
  fc.assert(fc.property(delta, expectFrame), { numRuns: runs(500, 20_000) }));

// Few values, so that one that follows another differs from it in a field or two.
const few = fc.constantFrom(0, 1);
const like = fc.record(
  {
    type: fc.constantFrom("response.output_text.delta", "response.refusal.delta"),
    sequence_number: few,
    item_id: fc.constantFrom("msg_1", "msg_2"),
    output_index: few,
    delta: fc.constantFrom("a", "b"),
    content_index: few,
    summary_index: few,
    logprobs: fc.constant([]),
  },
  { requiredKeys: ["type", "sequence_number", "item_id", "output_index", "delta"] },
);

test("a frame holds its event, whatever the one before it was", () =>
  fc.assert(
    fc.property(fc.array(like, { minLength: 2, maxLength: 20 }), (events) => events.forEach(expectFrame)),
    { numRuns: runs(300, 20_000) },
  ));

test("a chunk of text is written as any other value would be", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), fc.boolean(), (model, delta, include_usage) => {
      const server = chatServer();
      const request = server.decodeRequest({
        model,
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
        stream_options: { include_usage },
      });
      const encoder = server.createEncoder(request);
      encoder.push({ type: "response.created", sequence_number: 0, response: blankResponse("resp_1", 1, request) });
      const place = { item_id: "msg_1", output_index: 0, content_index: 0, logprobs: [] };
      const [chunk] = encoder.push({ type: "response.output_text.delta", sequence_number: 1, ...place, delta });
      expect(server.encodeFrame(chunk)).toBe(`data: ${JSON.stringify(chunk)}\n\n`);
      expect(chunk).toMatchObject({ model, choices: [{ delta: { content: delta } }], ...(include_usage && { usage: null }) });
    }),
    { numRuns: runs(200, 20_000) },
  ));

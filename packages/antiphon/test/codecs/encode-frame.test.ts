import fc from "fast-check";
import { expect, test } from "vitest";
import { chatServer } from "../../src/codecs/chat/index.ts";
import { encodeFrame } from "../../src/codecs/responses/encode-frame.ts";
import { writeFrame } from "../../src/codecs/responses/write-frame.ts";
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
  expectBytes(event);
}

function partsOf(frame: string): unknown[] {
  const [name, data, ...rest] = frame.split("\n");
  return [name, JSON.parse(data!.slice("data: ".length)), rest];
}

/** As bytes, where it is written as such, a frame is what it is as text, and nothing around it is touched. */
function expectBytes(event: object, at = 3, length = 2_000): number {
  const room = Buffer.alloc(length, 0xff);
  const end = writeFrame(event, room, at);
  const text = typeof end === "string" ? end : room.toString("utf8", at, end);
  const again = encodeFrame(event);
  // Fields may stand in another order.
  if (text !== again) expect(partsOf(text)).toEqual(partsOf(again));
  if (typeof end === "string") return -1;
  expect(room.subarray(0, at).every((byte) => byte === 0xff) && room.subarray(end).every((byte) => byte === 0xff)).toBe(true);
  return end;
}

const said = (delta: string, sequence_number = 7) => ({
  type: "response.output_text.delta",
  sequence_number,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta,
  logprobs: [],
});

test.each(["", "Hello", "caf\u00e9 \u20ac \u4e16\u754c\u007f\u2028\uffff"])("%j is written as bytes", (delta) => {
  for (const number of [0, 9, 10, 99_999, 2 ** 31, Number.MAX_SAFE_INTEGER])
    expect(expectBytes(said(delta, number))).toBeGreaterThan(100);
});

test.each(['"', "\\", "\n", "\u001f", "\ud83d\ude00", "\ud800"])("%j is written as JSON has it", (delta) => {
  expect(expectBytes(said(`a${delta}b`))).toBeGreaterThan(100);
});

test.each([-1, 1.5, Number.NaN, Infinity, 1e300])("so is the number %d", (number) => {
  expect(expectBytes(said("a", number))).toBe(-1);
});

test("where there is no room, nothing is written behind its end", () => {
  const { length } = encodeFrame(said("abc"));
  for (let room = 0; room < length + 200; room += 1) expectBytes(said("abc"), 0, room);
  expect(expectBytes(said("abc"), 0, length - 1)).toBe(-1);
  expect(expectBytes(said("abc"), 0, length + 200)).toBe(length);
});

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

test("events that tell the same response, or another, or one that is not finished, each tell their own", () => {
  const [a, b] = ["resp_a", "resp_b"].map((id) => blankResponse(id, 1, { input: "Hi" }));
  const told = fc.record({
    type: fc.constantFrom("response.created", "response.in_progress", "response.queued", "response.completed"),
    sequence_number: index,
    response: fc.constantFrom(a, b, null, "none"),
    obfuscation: fc.option(fc.string(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(told), (events) => events.forEach(expectFrame)),
    { numRuns: runs(200, 5_000) },
  );
});

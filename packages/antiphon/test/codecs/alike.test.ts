import fc from "fast-check";
import { expect, test } from "vitest";
import { AlikeEvents } from "../../src/codecs/shared/alike.ts";
import { alikeChunks } from "../../src/codecs/chat/alike-chunks.ts";
import { alikeDeltas } from "../../src/codecs/messages/alike-deltas.ts";
import { alikeDeltas as alikeResponseDeltas } from "../../src/codecs/responses/alike-deltas.ts";
import { runs } from "../support/runs.ts";

const chunk = (delta: object, more: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const block = (delta: object): object => ({ type: "content_block_delta", index: 3, delta });

const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"', "\\", '"}', '","x":"', '"},"finish_reason":null}]}', "\n", "\u0000", '"obfuscation":"', '"delta":"'),
);
const pad = fc.option(fc.string({ unit: fc.constantFrom(..."abc") }), { nil: undefined });

test("any text in any stream of chunks comes out as it went in", () => {
  const field = fc.constantFrom("content", "reasoning_content");
  fc.assert(
    fc.property(fc.array(fc.tuple(field, piece, pad), { maxLength: 12 }), (pieces) => {
      const alike = new AlikeEvents(alikeChunks);
      for (const [name, text, obfuscation] of pieces) {
        const value = chunk({ [name]: text }, obfuscation === undefined ? {} : { obfuscation });
        expect(alike.parse(JSON.stringify(value))).toMatchObject({ choices: [{ index: 0, delta: { [name]: text } }] });
      }
    }),
    { numRuns: runs(300, 20_000) },
  );
});

test("deltas of the wire that events are in come out as they went in, field by field, and nobody shares one", () => {
  const field = fc.oneof(
    fc.record({ delta: piece, sequence_number: fc.nat() }),
    fc.record({ delta: piece, sequence_number: fc.nat(), obfuscation: pad, logprobs: fc.constant([]) }),
    fc.record({ delta: piece, obfuscation: piece, sequence_number: fc.oneof(fc.integer(), fc.double(), fc.constant("1")) }),
    fc.record({ sequence_number: fc.nat(), delta: fc.oneof(piece, fc.jsonValue()), logprobs: fc.constant([{ delta: "x" }]) }),
  );
  const spacing = fc.constantFrom(undefined, 1);
  const stream = fc.array(fc.tuple(field, fc.constantFrom("msg_1", "msg_2"), spacing), { maxLength: 20 });
  fc.assert(
    fc.property(stream, (events) => {
      const alike = new AlikeEvents(alikeResponseDeltas);
      for (const [fields, item_id, spaces] of events) {
        const text = JSON.stringify({ type: "response.output_text.delta", ...fields, item_id, output_index: 0 }, null, spaces);
        const value = alike.parse(text) as { delta: unknown; item_id?: string; logprobs?: unknown[] };
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        // What is done to one event is not seen in the next.
        value.logprobs?.push("mine");
        value.item_id = "mine";
        delete value.delta;
      }
    }),
    { numRuns: runs(300, 20_000) },
  );
});

test("a text that only looks like an event before it is no JSON", () => {
  const alike = new AlikeEvents(alikeResponseDeltas);
  const text = '{"type":"response.output_text.delta","delta":"a","sequence_number":1}';
  for (let time = 0; time < 2; time += 1) expect(alike.parse(text)).toEqual(JSON.parse(text));
  for (const broken of [text.replace("1}", "}"), text.slice(0, -1), text.slice(0, 50), text.replace('"a"', '"a'), `${text}}`])
    expect(() => alike.parse(broken)).toThrow("not JSON");
});

test("an event that tells more than text is parsed whole", () => {
  const alike = new AlikeEvents(alikeChunks);
  const more = [
    chunk({ content: "a", tool_calls: [{ index: 0 }] }),
    chunk({ content: "a" }, { usage: { prompt_tokens: 1 } }),
    chunk({ content: "a" }, { choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] }),
    chunk({ content: "a" }, { choices: [{ index: 1, delta: { content: "a" }, finish_reason: null }] }),
    chunk({ content: "a" }, { error: { message: "No." } }),
  ];
  for (const value of more) {
    expect(alike.parse(JSON.stringify(chunk({ content: "x" })))).toMatchObject({ choices: [{ delta: { content: "x" } }] });
    expect(alike.parse(JSON.stringify(value))).toEqual(value);
  }
});

test("blocks are told apart by their index and their kind", () => {
  const alike = new AlikeEvents(alikeDeltas);
  const values = [
    block({ type: "text_delta", text: "Hel" }),
    block({ type: "text_delta", text: "lo" }),
    { ...block({ type: "text_delta", text: "!" }), index: 4 },
    block({ type: "input_json_delta", partial_json: '{"a"' }),
    block({ type: "input_json_delta", partial_json: ":1}" }),
    block({ type: "signature_delta", signature: "x" }),
  ];
  expect(values.map((value) => alike.parse(JSON.stringify(value)))).toEqual(values);
});

test("a stream whose events differ in more than their text is parsed all the same", () => {
  const alike = new AlikeEvents(alikeChunks);
  for (let index = 0; index < 30; index += 1) {
    const value = chunk({ content: `${index}` }, { id: `chatcmpl-${index}` });
    expect(alike.parse(JSON.stringify(value))).toEqual(value);
  }
});

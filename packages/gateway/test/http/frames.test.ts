import { responsesServer } from "antiphon/codecs/responses";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Frames } from "../../src/http/frames.ts";

const bytes = responsesServer();
// The same without the quick way.
const { writeFrame: _, ...texts } = bytes;

const delta = (text: string, sequence_number: number): object => ({
  type: "response.output_text.delta",
  sequence_number,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: text,
  logprobs: [],
});

/** What is added: a delta, another value, or text of which there may be more than there is room for. */
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.string({ unit: "binary" }), fc.nat()).map(([text, number]) => delta(text, number)) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("response.created"), about: fc.string({ unit: "binary" }) }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("\u20ac", "x", "\ud83d\ude00"), fc.nat(150_000)).map(([one, count]) => one.repeat(count)),
  },
);

test.each([
  ["bytes", bytes],
  ["texts", texts],
])("frames of a codec that makes %s are what they are one by one, in their order, and nobody else's", (_name, codec) => {
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 3 }), (batches) => {
      const frames = new Frames(codec);
      const written: Uint8Array[] = [];
      const wanted: string[] = [];
      for (const batch of batches) {
        for (const one of batch) {
          if (typeof one === "string") frames.text(one);
          else frames.add(one);
          wanted.push(typeof one === "string" ? one : codec.encodeFrame(one));
        }
        frames.writeTo({ write: (more) => void written.push(more) });
      }
      expect(Buffer.concat(written).equals(Buffer.from(wanted.join("")))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("nothing is written where nothing was added", () => {
  new Frames(bytes).writeTo({ write: () => expect.unreachable() });
});

import { expect, test } from "vitest";
import { passing, Run } from "../../../src/codecs/responses/passing.ts";

const line = "event: response.output_text.delta\n";
const frame = `${line}data: {"type":"response.output_text.delta","delta":"Hi","logprobs":[],"sequence_number":7}`;

/** Where a run of such frames has the end of one, which stands behind another. */
function endIn(told: string): number {
  const before = `${frame}\n\n`;
  const bytes = Buffer.from(`${before}${told}\n\n`);
  const kind = passing(bytes, 0, frame.length, (from, to) => bytes.toString("latin1", from, to))!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return new Run(kind, frame.length).endOf(bytes, view, before.length, 7);
}

test("a run goes on with a frame of the same kind", () => {
  expect(endIn(frame)).toBe(2 * frame.length + 2);
});

test("a frame that differs in a single letter of its first line is no part of a run", () => {
  const others = Array.from({ length: line.length - 1 }, (_, at) => `${frame.slice(0, at)}_${frame.slice(at + 1)}`);
  expect(others.filter((other) => other !== frame && endIn(other) !== -1)).toEqual([]);
});

test("a frame that breaks off is no part of a run", () => {
  const broken = Array.from({ length: frame.length }, (_, length) => frame.slice(0, length));
  expect(broken.filter((piece) => endIn(piece) !== -1)).toEqual([]);
});

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Reel } from "../../src/runs/reel.ts";

const frame = (index: number): Buffer =>
  Buffer.from(`event: response.output_text.delta\ndata: {"delta":"wörd ${index}","sequence_number":${index}}\n\n`);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What a reel holds on to. */
function heldBy(add: (reel: Reel) => void): { reel: Reel; held: number } {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const reel = new Reel();
  add(reel);
  collectGarbage();
  return { reel, held: process.memoryUsage().arrayBuffers - before };
}

test.each([0, 1, 100, 2_000, 20_000])("a reel gives back all of %s frames, in their order", (count) => {
  const frames = Array.from({ length: count }, (_, index) => frame(index));
  const reel = new Reel();
  for (const one of frames) reel.add(one);
  expect(Buffer.concat(reel.frames).equals(Buffer.concat(frames))).toBe(true);
  // And once more: nobody is told less because somebody asked before.
  expect(Buffer.concat(reel.frames).equals(Buffer.concat(frames))).toBe(true);
});

test("a long reel takes far less than what was told", () => {
  const piece = Buffer.concat(Array.from({ length: 400 }, (_, index) => frame(index)));
  const { reel, held } = heldBy((made) => {
    for (let index = 0; index < 200; index += 1) made.add(Buffer.from(piece));
  });
  const told = reel.frames.reduce((sum, { length }) => sum + length, 0);
  expect(told).toBe(piece.length * 200);
  expect(held).toBeLessThan(told / 5);
});

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Reel } from "../../src/runs/reel.ts";

const frame = (index: number): Buffer =>
  Buffer.from(`event: response.output_text.delta\ndata: {"delta":"wörd ${index}","sequence_number":${index}}\n\n`);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The bytes of all buffers; those that are garbage are given back in the background, some time after a collection. */
function buffered(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

test.each([0, 1, 100, 2_000, 20_000])("a reel gives back all of %s frames, in their order", (count) => {
  const frames = Array.from({ length: count }, (_, index) => frame(index));
  const reel = new Reel();
  for (const one of frames) reel.add(one);
  expect(Buffer.concat(reel.frames).equals(Buffer.concat(frames))).toBe(true);
  // And once more: nobody is told less because somebody asked before.
  expect(Buffer.concat(reel.frames).equals(Buffer.concat(frames))).toBe(true);
});

test("a long reel takes far less than what was told", async () => {
  const piece = Buffer.concat(Array.from({ length: 400 }, (_, index) => frame(index)));
  const before = buffered();
  const reel = new Reel();
  for (let index = 0; index < 200; index += 1) reel.add(Buffer.from(piece));
  const told = piece.length * 200;
  await expect.poll(() => buffered() - before, { timeout: 5_000 }).toBeLessThan(told / 5);
  expect(reel.frames.reduce((sum, { length }) => sum + length, 0)).toBe(told);
});

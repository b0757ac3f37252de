import fc from "fast-check";
import { expect, test } from "vitest";
import { Reducer, reduce, type FoldSnapshot } from "../../src/core/reduce.ts";
import { Writer } from "../../src/core/writer.ts";
import { programs } from "../support/arbitraries.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";

const throughJson = (snapshot: FoldSnapshot): FoldSnapshot => JSON.parse(JSON.stringify(snapshot)) as FoldSnapshot;

test("a fold goes on from its snapshot as if it had never stopped", () => {
  fc.assert(
    fc.property(programs, fc.nat(), (program, seed) => {
      const writer = new Writer(testCtx());
      for (const step of program) step(writer);
      writer.finish({ status: "completed" });
      const events = writer.drain();
      const cut = 1 + (seed % (events.length - 1));
      const before = new Reducer();
      for (const event of events.slice(0, cut)) before.push(event);
      const after = Reducer.from(throughJson(before.snapshot()!));
      expect(after.response).toEqual(before.response);
      for (const event of events.slice(cut, -1)) after.push(event);
      expect(after.items).toEqual(reduce(events).output);
      expect(after.slots.some((slot) => slot?.open)).toBe(false);
    }),
    { numRuns: runs(100, 20_000) },
  );
});

test("a snapshot does not change with the fold that it was taken of, nor with one that goes on from it", () => {
  const writer = new Writer(testCtx());
  writer.text("It is ");
  const fold = new Reducer();
  for (const event of writer.drain()) fold.push(event);
  const snapshot = fold.snapshot()!;
  const saved = JSON.stringify(snapshot);
  const other = Reducer.from(snapshot);
  writer.text("sunny.");
  for (const event of writer.drain()) for (const each of [fold, other]) each.push(event);
  expect(JSON.stringify(snapshot)).toBe(saved);
  expect([fold.items, other.items]).toMatchObject([
    [{ content: [{ text: "It is sunny." }] }],
    [{ content: [{ text: "It is sunny." }] }],
  ]);
});

test("there is no snapshot before there is a response", () => expect(new Reducer().snapshot()).toBeUndefined());

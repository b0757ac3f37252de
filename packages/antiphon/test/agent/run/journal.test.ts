import { expect, test } from "vitest";
import { memoryJournal, namedCalls, ofStep } from "../../../src/agent/loop/journal.ts";

test("a call whose id was used and answered before goes by another name", async () => {
  const journal = memoryJournal();
  expect(await ofStep(journal, []).claim("c1")).toBe("run");
  expect(await ofStep(journal, ["c1"]).claim("c1")).toBe("run");
  expect(await ofStep(journal, ["c1"]).claim("c1")).toBe("taken");
});

test("a journal that tells calls apart by itself names them alone, however much of the past is known", async () => {
  const journal = memoryJournal();
  const placed = namedCalls(journal, (call_id) => `turn 3/${call_id}`);
  expect(await ofStep(placed, ["c1"]).claim("c1")).toBe("run");
  expect(await ofStep(placed, []).claim("c1")).toBe("taken");
  expect(await journal.claim("turn 3/c1")).toBe("taken");
});

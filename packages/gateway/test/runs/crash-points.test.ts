import { fromBatches, text, Writer, type Respond, type ResponseEvent } from "antiphon";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { all, expectWhole, Rig } from "./support/rig.ts";

const words = 6;
const answerOf = (call: number): string => Array.from({ length: words }, (_, index) => `c${call}w${index} `).join("");

/** A model whose words tell which call they are from. */
function talker(): { respond: Respond; calls: () => number } {
  let calls = 0;
  const respond: Respond = (request) =>
    fromBatches(async function* (): AsyncGenerator<ResponseEvent[]> {
      const call = calls;
      calls += 1;
      let made = 0;
      const writer = new Writer({ request, newId: (prefix) => `${prefix}_${call}_${(made += 1)}`, now: () => 1 });
      writer.start();
      yield writer.drain();
      for (let index = 0; index < words; index += 1) {
        await nextTurn();
        writer.text(`c${call}w${index} `);
        yield writer.drain();
      }
      writer.finish({ status: "completed" });
      yield writer.drain();
    });
  return { respond, calls: () => calls };
}

/** The store as a process has it that dies with one of its operations: before that is done, or before it hears of it. */
function dying(store: Store, at: number, isDone: boolean): { store: Store; operations: () => number } {
  let operations = 0;
  const never = new Promise<never>(() => {});
  const mortal = new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name] as (...args: unknown[]) => unknown;
      if (name === "watch" || name === "close") return method;
      return (...args: unknown[]) => {
        operations += 1;
        if (operations > at || (operations === at && !isDone)) return never;
        const result = method(...args);
        return operations === at ? never : result;
      };
    },
  });
  return { store: mortal, operations: () => operations };
}

const settings = { leaseMs: 20, poll: 5, pause: 0 };

test.each([
  ["before it is done", false],
  ["before it is acknowledged", true],
])("whichever operation of the store a gateway dies with, %s, another ends its run, and shows one answer", async (_, isDone) => {
  const ends = new Set<string>();
  for (let at = 1; ; at += 1) {
    const shared = memoryStore();
    const { respond, calls } = talker();
    const asking = new Rig({ store: shared, respond, limits: { maxBackground: 0 } });
    const { id } = await asking.submit();
    const reading = asking.read(id);
    const mortal = dying(shared, at, isDone);
    const first = new Rig({ ...settings, store: mortal.store, respond });
    // A look at an empty queue is the last thing that one does which outlived its run.
    while (mortal.operations() < at && first.runs.length === 0) await nextTurn();
    const second = new Rig({ ...settings, store: shared, respond });
    const events = await reading;
    const response = (await second.get(id))!;
    expectWhole(events, response);
    expect(await all(await second.follow(id))).toEqual(events);
    const said = text(response);
    const call = Number(/^c(\d)/.exec(said)?.[1] ?? 0);
    if (response.status === "completed") expect(said).toBe(answerOf(call));
    else {
      expect(response.error?.code).toBe("interrupted");
      expect(said).not.toBe("");
      expect([answerOf(0).startsWith(said), calls()]).toEqual([true, 1]);
    }
    ends.add(`${response.status} ${call}`);
    await second.close();
    await asking.close();
    if (first.runs.length > 0) break;
  }
  // It died before the model was asked, while that spoke, and not at all.
  expect([...ends].toSorted()).toEqual(["completed 0", "completed 1", "failed 0"]);
});

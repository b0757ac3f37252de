import { AntiphonError, type ResponseEvent } from "antiphon";
import { expect, test } from "vitest";
import { Journal } from "../../src/runs/journal.ts";
import { storeFailed } from "../../src/store/failures.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { completed, events, holder, numbers, response, stored } from "../store/suite/subject.ts";

const worker = "me";

async function journalOn(change: (store: Store) => Partial<Store> = () => ({}), pause = 0) {
  const store = memoryStore();
  const kept: ResponseEvent[] = [];
  const lost: AntiphonError[] = [];
  const { id, owner } = stored({ id: "resp_1" });
  await store.createResponse(stored({ id, background: true }), holder(worker));
  const journal = new Journal({
    store: { ...store, ...change(store) },
    id,
    owner,
    worker,
    pause,
    kept: (batch) => kept.push(...batch),
    lost: (reason) => lost.push(reason),
  });
  return { store, journal, kept, lost, id, log: () => store.readEvents(id, owner, -1, 10_000) };
}

const tick = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("hands on nothing that is not kept", async () => {
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const { journal, kept, log } = await journalOn((store) => ({
    appendEvents: async (...args) => {
      await held;
      return store.appendEvents(...args);
    },
  }));
  void journal.write(events(0, 3));
  await tick(5);
  expect([kept, await log()]).toEqual([[], []]);
  goOn();
  await tick(5);
  expect(kept).toEqual(events(0, 3));
  expect(await log()).toEqual(kept);
});

test("writes many events at once", async () => {
  let writes = 0;
  const { journal, log } = await journalOn(
    (store) => ({ appendEvents: (...args) => ((writes += 1), store.appendEvents(...args)) }),
    20,
  );
  for (let from = 0; from < 400; from += 1) {
    void journal.write(events(from, from + 1));
    if (from % 100 === 99) await tick(1);
  }
  await journal.seal(new AntiphonError("ABORTED", "Enough."));
  expect(await log()).toHaveLength(400);
  expect(writes).toBeLessThan(10);
});

test("makes the run wait where the store is slow, and holds no more than a bound", async () => {
  let waiting = 0;
  const { journal, kept } = await journalOn((store) => ({
    appendEvents: async (id, batch, by) => {
      waiting = Math.max(waiting, batch.length);
      await tick(5);
      return store.appendEvents(id, batch, by);
    },
  }));
  const large = "x".repeat(10_000);
  let waits = 0;
  for (let from = 0; from < 300; from += 1) {
    const room = journal.write(events(from, from + 1, large));
    if (room) waits += 1;
    await room;
  }
  await journal.seal(new AntiphonError("ABORTED", "Enough."));
  expect(numbers(kept)).toEqual(numbers(events(0, 300)));
  expect(waits).toBeGreaterThan(5);
  // 256 KB of events of 10 KB each.
  expect(waiting).toBeLessThan(30);
});

test("ends the log together with the response", async () => {
  const { store, journal, id, log } = await journalOn(() => ({}), 10_000);
  void journal.write(events(0, 2));
  void journal.write(events(2, 4));
  const rest = await journal.finish(events(4, 6), completed(id));
  expect(numbers(rest)).toEqual([2, 3, 4, 5]);
  expect(numbers(await log())).toEqual([0, 1, 2, 3, 4, 5]);
  expect((await store.getResponse(id, "ada"))?.response).toEqual(completed(id));
});

test("stops when the run is somebody else's", async () => {
  const { store, journal, kept, lost, id } = await journalOn();
  await store.requeueRun(id, worker);
  await store.claimRun(holder("another"));
  void journal.write(events(0, 1));
  await tick();
  expect(lost).toMatchObject([{ code: "ABORTED" }]);
  expect(kept).toEqual([]);
  expect(() => journal.write(events(1, 2))).toThrow("Another worker took over");
  await expect(journal.finish(events(1, 2), completed(id))).rejects.toThrow("Another worker took over");
  expect((await store.getResponse(id, "ada"))?.response).toEqual(response(id));
});

test("goes on when the store fails for a while", async () => {
  let failures = 0;
  const { journal, kept, lost, id } = await journalOn((store) => ({
    appendEvents: async (...args) => {
      failures += 1;
      if (failures < 3) throw storeFailed(new Error("The connection broke."));
      return store.appendEvents(...args);
    },
  }));
  void journal.write(events(0, 2));
  const rest = await journal.finish(events(2, 3), completed(id));
  expect([kept, rest, lost]).toEqual([events(0, 2), events(2, 3), []]);
});

test("knows what it has written where the answer of the store was lost", async () => {
  /** Does it, and then says the first time that it failed. */
  const unheard = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
    let calls = 0;
    return async (...args: Args): Promise<T> => {
      const result = await work(...args);
      calls += 1;
      if (calls === 1) throw storeFailed(new Error("The connection broke."));
      return result;
    };
  };
  const { journal, kept, lost, id, log } = await journalOn((store) => ({
    appendEvents: unheard(store.appendEvents),
    updateResponse: unheard(store.updateResponse),
  }));
  void journal.write(events(0, 2));
  const rest = await journal.finish(events(2, 3), completed(id));
  expect([kept, rest, lost]).toEqual([events(0, 2), events(2, 3), []]);
  expect(await log()).toEqual(events(0, 3));
});

test("gives up where its log is full", async () => {
  const full = new AntiphonError("SERVER_ERROR", "Full.", { vendorCode: "event_log_full" });
  const { journal, lost, id } = await journalOn(() => ({ appendEvents: () => Promise.reject(full) }));
  void journal.write(events(0, 1));
  await tick();
  expect(lost).toEqual([full]);
  await expect(journal.finish(events(1, 2), completed(id))).rejects.toBe(full);
});

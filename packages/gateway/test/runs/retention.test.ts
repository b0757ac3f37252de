import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startPruning } from "../../src/runs/retention.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { LogEntry } from "../../src/telemetry/telemetry.ts";
import { completed, events, holder, hour, stored } from "../store/suite/subject.ts";

const now = 1_800_000_000_000;
beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

const day = 24 * hour;

/** A store with responses of several ages, in days, and an open one that is the oldest. */
async function storeOf(...ages: number[]) {
  const store = memoryStore();
  for (const age of ages) {
    const one = stored({ id: `resp_${age}`, background: true });
    await store.createResponse({ ...one, response: { ...one.response, created_at: (now - age * day) / 1000 } }, holder("me"));
    await store.updateResponse(one.id, completed(one.id), { events: events(0, 3) });
  }
  const running = stored({ id: "resp_running" });
  await store.createResponse({ ...running, response: { ...running.response, created_at: 1 } }, holder("me"));
  const logs: LogEntry[] = [];
  return {
    store,
    logs,
    log: (entry: LogEntry): void => void logs.push(entry),
    kept: async () => {
      const found = await Promise.all(ages.map(async (age) => [age, await store.getResponse(`resp_${age}`, "ada")] as const));
      return found.flatMap(([age, one]) => (one ? [age] : []));
    },
    logsOf: async () => {
      const read = await Promise.all(
        ages.map(async (age) => [age, await store.readEvents(`resp_${age}`, "ada", -1, 10)] as const),
      );
      return read.flatMap(([age, log]) => (log.length > 0 ? [age] : []));
    },
  };
}

test("deletes what is old enough, and what gets old later, but nothing that runs", async () => {
  const { store, log, logs, kept } = await storeOf(40, 31, 29, 1);
  const stop = startPruning(store, { responses: 30 * day }, { log });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(await kept()).toEqual([29, 1]);
  expect(logs).toEqual([{ level: "info", message: "pruned", went: 2 }]);
  await vi.advanceTimersByTimeAsync(2 * day);
  expect(await kept()).toEqual([1]);
  expect(await store.getResponse("resp_running", "ada")).toBeDefined();
  await stop();
  await vi.advanceTimersByTimeAsync(60 * day);
  expect(await kept()).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test("deletes logs before the responses that they belong to, and where nothing else is said, only them", async () => {
  const { store, log, kept, logsOf } = await storeOf(40, 10, 1);
  const stop = startPruning(store, { responses: 30 * day, logs: 7 * day }, { log });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect([await kept(), await logsOf()]).toEqual([[10, 1], [1]]);
  await stop();
  const stopLogs = startPruning(store, { logs: hour }, { log });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect([await kept(), await logsOf()]).toEqual([[10, 1], []]);
  await stopLogs();
});

test("keeps everything where nothing is said", async () => {
  const { store, log, kept } = await storeOf(4_000);
  await startPruning(store, {}, { log })();
  expect(vi.getTimerCount()).toBe(0);
  expect(await kept()).toEqual([4_000]);
});

test("tries again after the store failed", async () => {
  const { store, log, logs, kept } = await storeOf(40);
  let calls = 0;
  const prune: typeof store.prune = (...args) =>
    (calls += 1) === 1 ? Promise.reject(new Error("Not now.")) : store.prune(...args);
  const stop = startPruning({ prune }, { responses: 30 * day }, { log });
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(logs).toMatchObject([{ level: "error" }]);
  await vi.advanceTimersByTimeAsync(2 * hour);
  expect(await kept()).toEqual([]);
  await stop();
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Leases } from "../../src/runs/leases.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { holder, stored } from "../store/suite/subject.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lease = 3_000;

async function heldBy(worker: string, count: number, change: (store: Store) => Partial<Store> = () => ({})) {
  const store = memoryStore();
  const leases = new Leases({ ...store, ...change(store) }, worker, lease);
  const lost: string[] = [];
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const one = stored();
    await store.createResponse(one, leases.holder);
    leases.hold(one.id, () => lost.push(one.id));
    ids.push(one.id);
  }
  return { store, leases, ids, lost };
}

const claimed = async (store: Store): Promise<string | undefined> => (await store.claimRun(holder("other")))?.response.id;

test("keeps what it holds for as long as it lives, however many, and asks the store once for all", async () => {
  let asked = 0;
  const { store, ids, lost } = await heldBy("me", 500, (inner) => ({
    renewLeases: (...args) => ((asked += 1), inner.renewLeases(...args)),
  }));
  await vi.advanceTimersByTimeAsync(10 * lease);
  expect(await claimed(store)).toBeUndefined();
  expect([lost, asked]).toEqual([[], 30]);
  expect(ids).toHaveLength(500);
});

test("lets go of what is released", async () => {
  const { store, leases, ids } = await heldBy("me", 2);
  leases.release(ids[0]!);
  await vi.advanceTimersByTimeAsync(lease + 1);
  expect(await claimed(store)).toBe(ids[0]);
  expect(await claimed(store)).toBeUndefined();
  expect([leases.holds(ids[0]!), leases.holds(ids[1]!)]).toEqual([false, true]);
  leases.release(ids[1]!);
  await vi.advanceTimersByTimeAsync(lease / 3);
  expect(vi.getTimerCount()).toBe(0);
});

test("says once what was lost, and no more of it", async () => {
  const { store, leases, ids, lost } = await heldBy("me", 3);
  await store.deleteResponse(ids[1]!, "ada");
  await vi.advanceTimersByTimeAsync(5 * lease);
  expect(lost).toEqual([ids[1]]);
  expect(leases.holds(ids[1]!)).toBe(false);
});

test("forgives the store a failure", async () => {
  let asked = 0;
  const { store, lost } = await heldBy("me", 1, (inner) => ({
    renewLeases: (...args) => ((asked += 1) % 2 === 1 ? Promise.reject(new Error("Not now.")) : inner.renewLeases(...args)),
  }));
  await vi.advanceTimersByTimeAsync(10 * lease);
  expect(lost).toEqual([]);
  expect(await claimed(store)).toBeUndefined();
});

test("looks soon where something may have changed, once for all who say so", async () => {
  let asked = 0;
  const { store, leases, ids, lost } = await heldBy("me", 2, (inner) => ({
    renewLeases: (...args) => ((asked += 1), inner.renewLeases(...args)),
  }));
  await store.deleteResponse(ids[0]!, "ada");
  for (let index = 0; index < 10; index += 1) leases.check();
  await vi.advanceTimersByTimeAsync(999);
  expect(lost).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost).toEqual([ids[0]]);
  // One of the two that came due at the same moment.
  expect(asked).toBeLessThanOrEqual(2);
});

test("does not ask a slow store twice at the same time, nor take an old answer for a new one", async () => {
  let asked = 0;
  let answer: (ids: string[]) => void = () => {};
  const { leases, ids, lost } = await heldBy("me", 1, () => ({
    renewLeases: () => ((asked += 1), new Promise((resolve) => (answer = resolve))),
  }));
  const [id] = ids as [string];
  await vi.advanceTimersByTimeAsync(3 * lease);
  expect(asked).toBe(1);
  leases.release(id);
  leases.hold(id, () => lost.push("again"));
  answer([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(lost).toEqual([]);
  expect(leases.holds(id)).toBe(true);
});

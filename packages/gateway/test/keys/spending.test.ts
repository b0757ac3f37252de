import { AntiphonError } from "antiphon";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { KeyGatekeeper } from "../../src/keys/key-gatekeeper.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { LogEntry } from "../../src/telemetry/telemetry.ts";
import { bearer, Clock, keyIn } from "./support.ts";

const never = 1_000_000;

async function spender(store: Store, clock: Clock, budget: number, flushInterval = never) {
  const { secret, key } = await keyIn(store, clock, { budget });
  const logged: LogEntry[] = [];
  const gatekeeper = new KeyGatekeeper(store, { now: clock.now, flushInterval, log: (entry) => logged.push(entry) });
  const ask = async () => gatekeeper.admit(await gatekeeper.authenticate(bearer(secret)), "m");
  const spend = async (cost: number) => (await ask()).settle({ usage: null, cost });
  const spent = async () => (await store.findKey(key.hash))?.spent;
  return { gatekeeper, ask, spend, spent, secret, key, logged };
}

describe("a budget", () => {
  test("refuses once it is spent, written down or not", async () => {
    const { ask, spend, gatekeeper } = await spender(memoryStore(), new Clock(), 1);
    await spend(0.6);
    await spend(0.4);
    const refused = { code: "QUOTA_EXCEEDED", status: 429, vendorCode: "insufficient_quota" };
    await expect(ask()).rejects.toMatchObject(refused);
    await gatekeeper.flush();
    await expect(ask()).rejects.toMatchObject(refused);
    await expect(ask()).rejects.not.toHaveProperty("retryAfter");
  });

  test("refuses while what was spent is being written", async () => {
    const store = memoryStore();
    let write = (): void => {};
    const slow: Store = {
      ...store,
      addSpending: async (id, dollars) => {
        await new Promise<void>((resolve) => (write = resolve));
        return store.addSpending(id, dollars);
      },
    };
    const { ask, spend, gatekeeper, spent } = await spender(slow, new Clock(), 1);
    await spend(1);
    const flushing = gatekeeper.flush();
    await new Promise(setImmediate);
    await expect(ask()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    write();
    await flushing;
    expect(await spent()).toBe(1);
  });

  test("knows what other gateways spent, after the time of trust", async () => {
    const clock = new Clock();
    const store = memoryStore();
    const { ask, spend, key } = await spender(store, clock, 1);
    await spend(0.5);
    await store.addSpending(key.id, 0.5);
    await ask();
    clock.pass(5_000);
    await expect(ask()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  test("is written in batches, a while after something was spent", async () => {
    const store = memoryStore();
    let writes = 0;
    const counted: Store = { ...store, addSpending: (id, dollars) => ((writes += 1), store.addSpending(id, dollars)) };
    const { spend, spent } = await spender(counted, new Clock(), 100, 20);
    for (let count = 0; count < 10; count += 1) await spend(1);
    expect(writes).toBe(0);
    await expect.poll(spent).toBe(10);
    expect(writes).toBe(1);
  });

  test("is tried again where the store fails, and nothing is lost or counted twice", async () => {
    const store = memoryStore();
    let failures = 2;
    const flaky: Store = {
      ...store,
      addSpending: async (id, dollars) => {
        if ((failures -= 1) >= 0) throw new AntiphonError("SERVER_ERROR", "The store failed.");
        return store.addSpending(id, dollars);
      },
    };
    const { gatekeeper, spend, spent, ask } = await spender(flaky, new Clock(), 3);
    await spend(1);
    await expect(gatekeeper.flush()).rejects.toThrow("The store failed.");
    await spend(1);
    await expect(gatekeeper.flush()).rejects.toThrow("The store failed.");
    await spend(1);
    await expect(ask()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    await gatekeeper.flush();
    expect(await spent()).toBe(3);
    await gatekeeper.flush();
    expect(await spent()).toBe(3);
  });

  test("is tried again by itself, and the failure is logged", async () => {
    const store = memoryStore();
    let fails = true;
    const flaky: Store = {
      ...store,
      addSpending: async (id, dollars) => {
        if (!fails) return store.addSpending(id, dollars);
        fails = false;
        throw new AntiphonError("SERVER_ERROR", "The store failed.");
      },
    };
    const { spend, spent, logged } = await spender(flaky, new Clock(), 3, 10);
    await spend(1);
    await expect.poll(spent).toBe(1);
    expect(logged).toEqual([expect.objectContaining({ level: "error", message: "cannot store spending; retrying" })]);
  });

  test("is whole after many requests at once and the end of the process, on a real database", async () => {
    const store = await sqliteStore(":memory:");
    const { gatekeeper, spend, spent, ask } = await spender(store, new Clock(), 1_000);
    const costs = Array.from({ length: 400 }, (_, index) => (index % 8) / 8);
    await Promise.all(
      costs.map(async (cost, index) => {
        await spend(cost);
        if (index % 50 === 0) await gatekeeper.flush();
      }),
    );
    await ask();
    await gatekeeper.flush();
    expect(await spent()).toBe(costs.reduce((sum, cost) => sum + cost, 0));
    await store.close();
  });

  test("of one database is kept by several gateways: nobody is let in for longer than the time of trust", async () => {
    const clock = new Clock();
    const store = memoryStore();
    const first = await spender(store, clock, 10);
    const second = new KeyGatekeeper(store, { now: clock.now, flushInterval: never });
    const both = [first.gatekeeper, second];
    const enter = async (gatekeeper: KeyGatekeeper) => gatekeeper.admit(await gatekeeper.authenticate(bearer(first.secret)), "m");
    for (let count = 0; count < 5; count += 1)
      for (const gatekeeper of both) (await enter(gatekeeper)).settle({ usage: null, cost: 1 });
    await Promise.all(both.map((gatekeeper) => gatekeeper.flush()));
    clock.pass(5_000);
    for (const gatekeeper of both) await expect(enter(gatekeeper)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await first.spent()).toBe(10);
  });

  test("is never gone over by more than what runs at that moment, and never counted short, in any order of events", async () => {
    const step = fc.oneof(
      fc.constant("start" as const),
      fc.record({ settle: fc.nat(), cost: fc.integer({ min: 1, max: 4 }) }),
      fc.constant("flush" as const),
      fc.constant("pass" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new Clock();
        const { gatekeeper, ask, spent } = await spender(memoryStore(), clock, 8);
        const running: Awaited<ReturnType<typeof ask>>[] = [];
        let paid = 0;
        for (const one of steps) {
          if (one === "start") {
            const admission = await ask().catch((error: AntiphonError) => error.code);
            expect(admission === "QUOTA_EXCEEDED").toBe(paid >= 8);
            if (typeof admission !== "string") running.push(admission);
          } else if (one === "flush") await gatekeeper.flush();
          else if (one === "pass") clock.pass(5_000);
          else if (running.length > 0) {
            const [settled] = running.splice(one.settle % running.length, 1);
            settled!.settle({ usage: null, cost: one.cost });
            paid += one.cost;
          }
        }
        await gatekeeper.flush();
        expect(await spent()).toBe(paid);
      }),
      { numRuns: runs(60, 3_000) },
    );
  });
});

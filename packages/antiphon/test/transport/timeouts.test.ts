import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Deadlines, defaultTimeouts, mergeTimeouts } from "../../src/transport/timeouts.ts";

const none = { connect: 0, firstEvent: 0, idle: 0, total: 0 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function watch(timeouts: Partial<typeof none>): { deadlines: Deadlines; expired: string[] } {
  const expired: string[] = [];
  const deadlines = new Deadlines({ ...none, ...timeouts }, (error, name) => expired.push(`${name}: ${error.message}`));
  return { deadlines, expired };
}

/** Lets time pass while somebody waits and nothing comes. */
const pass = (ms: number): void => void vi.advanceTimersByTime(ms);

describe("Deadlines", () => {
  test("ends the wait for the first event", () => {
    const { deadlines, expired } = watch({ firstEvent: 100 });
    deadlines.attempt();
    pass(98);
    expect(expired).toEqual([]);
    pass(2);
    expect(expired).toEqual(["firstEvent: No event arrived within 100 ms (`timeouts.firstEvent`)."]);
  });

  test("counts silence from the last event", () => {
    const { deadlines, expired } = watch({ firstEvent: 1_000, idle: 100 });
    deadlines.attempt();
    for (let event = 0; event < 5; event += 1) {
      pass(90);
      deadlines.heard();
      deadlines.rest();
      deadlines.wait();
    }
    expect(expired).toEqual([]);
    pass(101);
    expect(expired).toEqual(["idle: The stream sent no event for 100 ms (`timeouts.idle`)."]);
  });

  test("waits longer behind the first event where that is allowed", () => {
    const { deadlines, expired } = watch({ firstEvent: 100, idle: 1_000 });
    deadlines.attempt();
    pass(50);
    deadlines.heard();
    pass(999);
    expect(expired).toEqual([]);
    pass(2);
    expect(expired).toEqual(["idle: The stream sent no event for 1000 ms (`timeouts.idle`)."]);
  });

  test("does not count reads that bring nothing", () => {
    const { deadlines, expired } = watch({ idle: 100 });
    deadlines.attempt();
    deadlines.heard();
    for (let read = 0; read < 9; read += 1) {
      deadlines.wait();
      pass(10);
    }
    expect(expired).toEqual([]);
    deadlines.wait();
    pass(10);
    expect(expired).toHaveLength(1);
  });

  test("waits for weeks with a handful of timers", () => {
    const day = 86_400_000;
    const { expired } = watch({ total: 40 * day });
    const timers = vi.spyOn(globalThis, "setTimeout");
    pass(39 * day);
    expect([expired, timers.mock.calls.length]).toEqual([[], 1]);
    pass(day);
    expect(expired).toHaveLength(1);
  });

  test("does not blame the server for a slow reader", () => {
    const { deadlines, expired } = watch({ idle: 100 });
    deadlines.attempt();
    deadlines.heard();
    deadlines.rest();
    pass(5_000);
    deadlines.wait();
    pass(98);
    expect(expired).toEqual([]);
    pass(3);
    expect(expired).toHaveLength(1);
  });

  test("ends the whole even while nobody waits", () => {
    const { deadlines, expired } = watch({ total: 500, idle: 100 });
    deadlines.attempt();
    deadlines.heard();
    deadlines.rest();
    pass(501);
    expect(expired).toEqual(["total: The response took longer than 500 ms (`timeouts.total`)."]);
  });

  test("gives each attempt its own wait, but all of them one whole", () => {
    const { deadlines, expired } = watch({ firstEvent: 100, total: 250 });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      deadlines.attempt();
      pass(80);
    }
    expect(expired).toEqual([]);
    deadlines.attempt();
    pass(11);
    expect(expired).toEqual(["total: The response took longer than 250 ms (`timeouts.total`)."]);
  });

  test("sets no timer where there is no limit, and leaves none behind", () => {
    watch({}).deadlines.attempt();
    expect(vi.getTimerCount()).toBe(0);
    const { deadlines, expired } = watch({ firstEvent: 10, total: 20 });
    deadlines.attempt();
    deadlines.stop();
    expect(vi.getTimerCount()).toBe(0);
    pass(100);
    expect(expired).toEqual([]);
  });

  test("needs few timers for many events", () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    const { deadlines } = watch({ firstEvent: 1_000, idle: 1_000 });
    deadlines.attempt();
    for (let event = 0; event < 10_000; event += 1) {
      deadlines.heard();
      deadlines.rest();
      deadlines.wait();
      if (event % 10 === 0) pass(1);
    }
    expect(set.mock.calls.length).toBeLessThan(5);
    set.mockRestore();
  });
});

test("later timeouts win, and what they leave out stays", () =>
  expect(mergeTimeouts({ idle: 1, total: 2 }, undefined, { idle: undefined, total: 0 })).toEqual({
    ...defaultTimeouts,
    idle: 1,
    total: 0,
  }));

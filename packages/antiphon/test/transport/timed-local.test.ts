import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import type { CallOptions, EventStream, Respond, Timeouts } from "../../src/core/respond.ts";
import { outcome, text } from "../../src/core/views.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { connect } from "../../src/transport/connect.ts";

const slow = { input: "[[slow:20]] [[long:500]]" };
const ask = (respond: Respond, timeouts: Timeouts, options: CallOptions = {}): EventStream =>
  connect({ name: "local", respond })(slow, { ...options, timeouts });

/** A model that says so much and then nothing, whatever its signal says. */
function stuck(events: number): { respond: Respond; signals: CallOptions["signal"][]; left: boolean } {
  const seen = { respond, signals: [] as CallOptions["signal"][], left: false };
  function respond(...[request, call]: Parameters<Respond>): EventStream {
    seen.signals.push(call?.signal);
    const inner = offline()(request)[Symbol.asyncIterator]();
    let told = 0;
    const next = (): Promise<IteratorResult<ResponseEvent>> => ((told += 1) > events ? new Promise(() => {}) : inner.next());
    const left = async (): Promise<IteratorResult<ResponseEvent>> => ((seen.left = true), { done: true, value: undefined });
    return { [Symbol.asyncIterator]: () => ({ next, return: left }) };
  }
  return seen;
}

describe("a model inside this process", () => {
  test.each<[keyof Timeouts, number]>([
    ["total", 8],
    ["idle", 8],
  ])("that does not hear is given up in mid-answer by %s, and what came is kept", async (name, events) => {
    const model = stuck(events);
    const told: ResponseEvent[] = [];
    for await (const event of ask(model.respond, { [name]: 50 })) told.push(event);
    expect(lifecycleLaw(told) ?? foldLaw(told)).toBeUndefined();
    const response = await collect(ask(stuck(events).respond, { [name]: 50 }));
    expect(outcome(response)).toMatchObject({
      state: "failed",
      error: { code: "TIMEOUT", message: expect.stringContaining(name) },
    });
    expect(text(response)).not.toBe("");
    expect([model.left, model.signals[0]?.aborted]).toEqual([true, true]);
  });

  test("that says nothing at all is an error", async () => {
    for (const name of ["total", "firstEvent"] as const)
      await expect(collect(ask(stuck(0).respond, { [name]: 20 }))).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("is left alone where it is quick enough, and knows the caller's signal", async () => {
    const quick = await collect(
      connect({ name: "local", respond: offline() }, { timeouts: { total: 5_000 } })({ input: "6 * 7" }),
    );
    expect(quick.status).toBe("completed");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const stopped = await collect(ask(offline(), { total: 5_000 }, { signal: controller.signal }));
    expect(outcome(stopped)).toMatchObject({ state: "cancelled" });
  });

  test("whose error it is, throws it; whoever leaves, leaves it", async () => {
    const failing: Respond = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("No.")) }) });
    await expect(collect(ask(failing, { total: 1_000 }))).rejects.toThrow("No.");
    const model = stuck(3);
    for await (const _ of ask(model.respond, { total: 1_000 })) break;
    expect(model.left).toBe(true);
  });
});

import { AntiphonError, text } from "antiphon";
import { expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { all, eventually, isDelta, until } from "./support/rig.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

onEveryStore("a run with a client that waits", (make) => {
  const stage = stageOn(make);
  const { start } = stage;

  test("is kept before anything of it is shown, and ended before its end is", async () => {
    const rig = await start();
    const { live, done } = await rig.foreground();
    const call = (await stage.puppet.next()).start();
    const batches = live.read();
    await batches.next();
    expect(await rig.get(live.id)).toMatchObject({ status: "in_progress" });
    call.say("Hi").finish();
    for await (const batch of batches)
      if (batch.some(({ type }) => type === "response.completed")) expect((await rig.get(live.id))?.status).toBe("completed");
    expect(await done).toEqual(await rig.get(live.id));
    expect(rig.context.leases.holds(live.id)).toBe(false);
    await eventually(() => rig.context.recent.get(live.id)?.length === 9);
  });

  test("stops when the client leaves, and keeps what was said until then", async () => {
    const rig = await start();
    const client = new AbortController();
    const { live, done } = await rig.foreground({}, client.signal);
    const call = (await stage.puppet.next()).start().say("Half");
    await until(live.read(), isDelta);
    client.abort();
    expect(call.signal.aborted).toBe(true);
    await done;
    const response = await rig.get(live.id);
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "cancelled" } });
    expect(text(response!)).toBe("Half");
  });

  test("leaves nothing behind where the model refuses", async () => {
    const rig = await start();
    for (const stream of [true, false]) {
      const { live, done } = await rig.foreground({ stream });
      (await stage.puppet.next()).fail(new AntiphonError("RATE_LIMIT", "Slow down."), true);
      await expect(done).rejects.toThrow("Slow down.");
      expect(await rig.get(live.id)).toBeUndefined();
      expect(rig.context.leases.holds(live.id)).toBe(false);
    }
    expect(rig.runs).toMatchObject([{ status: "refused", error: "RATE_LIMIT" }, { status: "refused" }]);
  });

  test("counts what the model read, about, where the client left before it said anything", async () => {
    const rig = await start();
    const { done } = await rig.foreground({ stream: false, input: "x".repeat(400) });
    (await stage.puppet.next()).fail(new AntiphonError("ABORTED", "The client disconnected."), true);
    await expect(done).rejects.toThrow("The client disconnected.");
    expect(rig.runs).toMatchObject([{ status: "cancelled", usage: { output_tokens: 0, estimated: true } }]);
    expect(rig.runs[0]?.usage?.input_tokens).toBeGreaterThanOrEqual(100);
  });

  test("fails in the store too where the model throws in the middle", async () => {
    const rig = await start();
    const { live, done } = await rig.foreground();
    (await stage.puppet.next()).start().say("Half").fail(new AntiphonError("PROTOCOL", "What is that?"), true);
    await expect(done).rejects.toThrow("What is that?");
    expect(await rig.get(live.id)).toMatchObject({ status: "failed", error: { code: "protocol" } });
  });

  test("is told that it failed where another gateway took it for dead, and stops", async () => {
    const store = await stage.data.open();
    const deaf: Store = {
      ...store,
      renewLeases: () => Promise.reject(new Error("unreachable")),
      claimRun: async () => undefined,
    };
    const rig = await start({ store: deaf, leaseMs: 50 });
    const { live } = await rig.foreground();
    const call = (await stage.puppet.next()).start().say("Half");
    await until(live.read(), isDelta);
    const other = await start();
    await eventually(async () => (await other.get(live.id))?.status === "failed");
    call.finish();
    const events = await all(live.read());
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "interrupted" } } });
    expect((await other.get(live.id))?.status).toBe("failed");
  });

  test("stops when its response is deleted elsewhere", async () => {
    const rig = await start({ leaseMs: 150 });
    const { live, done } = await rig.foreground();
    const call = (await stage.puppet.next()).start();
    await live.read().next();
    await (await start({ limits: { maxBackground: 0 } })).store.deleteResponse(live.id, "ada");
    await eventually(() => call.signal.aborted);
    await done;
    expect(await rig.get(live.id)).toBeUndefined();
  });

  test("says so where its end cannot be kept, and others end it when its lease does", async () => {
    const store = await stage.data.open();
    const broken: Store = { ...store, updateResponse: () => Promise.reject(new Error("disk full")) };
    const rig = await start({ store: broken, leaseMs: 100, limits: { maxBackground: 0 } });
    const { live, done } = await rig.foreground();
    (await stage.puppet.next()).start().say("Hi").finish();
    expect(await done).toMatchObject({ status: "failed", error: { message: "The response could not be stored." } });
    expect(rig.logs).toMatchObject([{ level: "error", message: "cannot store response" }]);
    const other = await start();
    await eventually(async () => (await other.get(live.id))?.status === "failed");
  });

  test("does not listen to a connection for longer than it lasts", async () => {
    const rig = await start();
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get: (target, name) => {
        if (name === "addEventListener") listeners += 1;
        if (name === "removeEventListener") listeners -= 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { done } = await rig.foreground({}, counted);
    expect(listeners).toBe(1);
    (await stage.puppet.next()).start().finish();
    await done;
    expect(listeners).toBe(0);
  });
});

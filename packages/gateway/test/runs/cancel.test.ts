import { isTerminal, text, type ResponseEvent } from "antiphon";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { all, eventually, expectWhole, isDelta, Rig, until } from "./support/rig.ts";
import { Puppet } from "./support/puppet.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

onEveryStore("cancelling", (make) => {
  const stage = stageOn(make);
  const { start } = stage;

  test("ends what waits, and the model is never asked", async () => {
    const rig = await start({ limits: { maxBackground: 0 } });
    const { id } = await rig.submit();
    const batches = await rig.follow(id);
    const seen = (await batches.next()).value as ResponseEvent[];
    const response = await rig.background.cancel(id, "ada");
    expect(response).toMatchObject({ status: "cancelled", output: [], usage: null });
    expectWhole([...seen, ...(await all(batches))], response);
    expect(await rig.get(id)).toEqual(response);
    const other = await start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(other.context.live.size).toBe(0);
    expect(stage.puppet.calls).toHaveLength(0);
  });

  test("ends what is at work, with what it has said, and stops the model", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Half");
    const batches = await rig.follow(id);
    const seen = await until(batches, isDelta);
    const response = await rig.background.cancel(id, "ada");
    expect(call.signal.aborted).toBe(true);
    expect(response).toMatchObject({ status: "cancelled", output: [{ status: "incomplete" }], usage: { estimated: true } });
    expect(text(response!)).toBe("Half");
    expectWhole([...seen, ...(await all(batches))], response);
    await eventually(() => rig.charged.length === 1);
    expect(rig.runs).toMatchObject([{ id, status: "cancelled" }]);
  });

  test("is the same the second time", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    (await stage.puppet.next()).start().say("Half");
    const [one, two] = await Promise.all([rig.background.cancel(id, "ada"), rig.background.cancel(id, "ada")]);
    expect(two).toEqual(one);
    expect(await rig.background.cancel(id, "ada")).toEqual(one);
    expect(one?.status).toBe("cancelled");
  });

  test("leaves what has ended as it is", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    (await stage.puppet.next()).start().say("Whole").finish();
    const response = await rig.end(id);
    expect(await rig.background.cancel(id, "ada")).toEqual(response);
    expect(await rig.get(id)).toEqual(response);
  });

  test("finds nothing of somebody else's, and refuses what has a client that waits", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    expect(await rig.background.cancel(id, "bob")).toBeUndefined();
    expect(await rig.background.cancel("resp_none", "ada")).toBeUndefined();
    expect((await stage.puppet.next()).signal.aborted).toBe(false);
    const { live } = await rig.foreground();
    (await stage.puppet.next()).start();
    await live.read().next();
    await expect(rig.background.cancel(live.id, "ada")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    live.stop(new Error("over"));
  });

  test("reaches a run in another gateway, also one that says nothing", async () => {
    const [one, two] = [await start({ limits: { maxBackground: 2 } }), await start({ limits: { maxBackground: 0 } })];
    const ids = [(await one.submit()).id, (await one.submit()).id];
    const calls = [(await stage.puppet.next()).start(), (await stage.puppet.next()).start().say("Half")];
    await until(await two.follow(ids[1]!), isDelta);
    for (const id of ids) expect((await two.background.cancel(id, "ada"))?.status).toBe("cancelled");
    await eventually(() => calls.every(({ signal }) => signal.aborted));
    for (const id of ids) expectWhole(await one.read(id), await two.get(id));
    await eventually(() => one.context.live.size === 0 && one.charged.length === 2);
  });
});

/** A store that takes a moment for everything, before it is done and after, as chance will have it. */
function hesitant(store: Store, chance: () => number): Store {
  const pause = async (): Promise<void> => {
    for (let turns = chance(); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const slow = new Set([
    "updateResponse",
    "appendEvents",
    "getResponse",
    "readEvents",
    "claimRun",
    "createResponse",
    "renewLeases",
  ]);
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name] as (...args: unknown[]) => unknown;
      if (!slow.has(name)) return method;
      return async (...args: unknown[]) => {
        await pause();
        const result = await method(...args);
        await pause();
        return result;
      };
    },
  });
}

describe("cancelling at any moment", () => {
  /** What happens in one run: how long the model takes for each word, and when who cancels. */
  const course = fc.record({
    words: fc.array(fc.nat(6), { maxLength: 8 }),
    cancels: fc.array(fc.record({ after: fc.nat(60), by: fc.nat(1) }), { minLength: 1, maxLength: 3 }),
    pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 40 }),
  });
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  test("there is one end, which everybody is told, and it stays", async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(course, async ({ words, cancels, pauses }) => {
        let at = 0;
        const store = hesitant(memoryStore(), () => pauses[(at += 1) % pauses.length]!);
        const puppet = new Puppet();
        const make = (maxBackground: number): Rig =>
          new Rig({ store, respond: puppet.respond, limits: { maxBackground }, pause: 0, poll: 60_000 });
        const rigs = [make(1), make(0)] as const;
        const { id } = await rigs[0].submit();
        const speak = async (): Promise<void> => {
          const call = (await puppet.next()).start();
          for (const [index, pause] of words.entries()) {
            await turns(pause);
            call.say(`word ${index} `);
          }
          call.finish();
        };
        const speaking = speak();
        const readers = rigs.map(async (rig) => all(await rig.follow(id)));
        const cancelled = await Promise.all(
          cancels.map(async ({ after, by }) => (await turns(after), rigs[by === 0 ? 0 : 1].background.cancel(id, "ada"))),
        );
        const response = (await rigs[0].get(id))!;
        ends.add(response.status);
        expect(["cancelled", "completed"]).toContain(response.status);
        for (const told of cancelled) expect(told).toEqual(response);
        for (const events of await Promise.all(readers)) expectWhole(events, response);
        const [call] = puppet.calls;
        if (call) await speaking;
        await Promise.all(rigs.map((rig) => rig.close()));
        const log = await all(await rigs[1].follow(id));
        expect(log.filter(isTerminal)).toHaveLength(1);
        expect(await rigs[0].get(id)).toEqual(response);
        await eventually(() => rigs[0].runs.length === puppet.calls.length);
        // What it took is counted when the store has said how it ended.
        await turns(20);
        expect(rigs[0].charged.length).toBe(call ? 1 : 0);
      }),
      { numRuns: runs(60, 3_000) },
    );
    // Chance must have tried both.
    expect([...ends].toSorted()).toEqual(["cancelled", "completed"]);
  });
});

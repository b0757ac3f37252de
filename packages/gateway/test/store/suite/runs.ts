import { describe, expect, test } from "vitest";
import { completed, events, holder, numbers, response, stored, type CreateSubject } from "./subject.ts";
import { withStore } from "./with-store.ts";

/** Event logs, those who watch them, and the runs that write them. */
export function runTests(create: CreateSubject): void {
  const use = withStore(create);

  describe("event logs", () => {
    test("give back what was added, in order, whatever the batches", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      for (const [from, to] of [
        [0, 1],
        [1, 4],
        [4, 4],
        [4, 10],
      ] as const)
        expect(await store.appendEvents(kept.id, events(from, to, "é\0"))).toBe(true);
      expect(await store.readEvents(kept.id, "ada", -1, 100)).toEqual(events(0, 10, "é\0"));
      expect(numbers(await store.readEvents(kept.id, "ada", 2, 3))).toEqual([3, 4, 5]);
      expect(numbers(await store.readEvents(kept.id, "ada", 8, 5))).toEqual([9]);
      expect(await store.readEvents(kept.id, "ada", 9, 5)).toEqual([]);
      expect(await store.readEvents(kept.id, "ada", 1_000_000, 5)).toEqual([]);
    });

    test("are left as they are by events that do not go on where they end", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      expect(await store.appendEvents(kept.id, events(1, 2))).toBe(false);
      expect(await store.appendEvents(kept.id, events(0, 3))).toBe(true);
      for (const from of [0, 1, 2, 4]) expect(await store.appendEvents(kept.id, events(from, from + 3, "other"))).toBe(false);
      expect(await store.readEvents(kept.id, "ada", -1, 100)).toEqual(events(0, 3));
    });

    test("take no events that skip a number", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      await expect(store.appendEvents(kept.id, [...events(0, 2), ...events(3, 4)])).rejects.toMatchObject({ code: "PROTOCOL" });
      expect(await store.readEvents(kept.id, "ada", -1, 100)).toEqual([]);
    });

    test("take one of many batches that want the same place", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      const added = await Promise.all(
        Array.from({ length: 10 }, (_, index) => store.appendEvents(kept.id, events(0, index + 1, `${index}`))),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      const log = await store.readEvents(kept.id, "ada", -1, 100);
      const winner = added.indexOf(true);
      expect(log).toEqual(events(0, winner + 1, `${winner}`));
    });

    test("end with a final state", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      await store.updateResponse(kept.id, completed(kept.id));
      expect(await store.appendEvents(kept.id, events(0, 1))).toBe(false);
      expect(await store.appendEvents("resp_unknown", events(0, 1))).toBe(false);
    });

    test("are bounded, but for the end itself", async () => {
      const batch = events(0, 4);
      const store = await use({ logBytes: JSON.stringify(batch).length });
      const kept = stored();
      await store.createResponse(kept);
      expect(await store.appendEvents(kept.id, batch)).toBe(true);
      await expect(store.appendEvents(kept.id, events(4, 5))).rejects.toMatchObject({ vendorCode: "event_log_full" });
      const end = completed(kept.id);
      expect(await store.updateResponse(kept.id, end, { events: events(4, 5) })).toBe(end);
      expect(await store.readEvents(kept.id, "ada", 3, 10)).toEqual(events(4, 5));
    });
  });

  describe("watching", () => {
    const changes = (watch: (changed: () => void) => () => void) => {
      let told = (): void => {};
      let count = 0;
      const stop = watch(() => {
        count += 1;
        told();
      });
      return { stop, count: () => count, next: () => new Promise<void>((resolve) => (told = resolve)) };
    };

    test("tells of events, of newer states and of the end", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      const watcher = changes((changed) => store.watch(kept.id, changed));
      for (const change of [
        () => store.appendEvents(kept.id, events(0, 1)),
        () => store.updateResponse(kept.id, completed(kept.id)),
        () => store.deleteResponse(kept.id, "ada"),
      ]) {
        const told = watcher.next();
        await change();
        await told;
      }
      watcher.stop();
      expect(watcher.count()).toBeGreaterThanOrEqual(3);
    });

    test("tells each of several, and nobody who has stopped", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      const [one, two] = [
        changes((changed) => store.watch(kept.id, changed)),
        changes((changed) => store.watch(kept.id, changed)),
      ];
      one.stop();
      one.stop();
      const told = two.next();
      const before = one.count();
      await store.appendEvents(kept.id, events(0, 1));
      await told;
      expect(one.count()).toBe(before);
      two.stop();
    });
  });

  describe("runs", () => {
    test("are taken in the order in which they were queued, each by one worker", async () => {
      const store = await use();
      const queued = [stored({ background: true }), stored({ background: true }), stored({ background: true })];
      for (const one of queued) await store.createResponse(one, "queued");
      await store.createResponse(stored());
      expect(await store.countWaiting()).toBe(3);
      expect(await store.claimRun(holder("a"))).toEqual({ response: queued[0], attempt: 1 });
      expect(await store.claimRun(holder("b"))).toEqual({ response: queued[1], attempt: 1 });
      expect(await store.claimRun(holder("a"))).toEqual({ response: queued[2], attempt: 1 });
      expect(await store.countWaiting()).toBe(0);
      expect(await store.claimRun(holder("a"))).toBeUndefined();
    });

    test("are each taken exactly once by many workers at once", async () => {
      const store = await use();
      const ids = Array.from({ length: 20 }, () => stored());
      await Promise.all(ids.map((one) => store.createResponse(one, "queued")));
      const claims = await Promise.all(Array.from({ length: 30 }, (_, index) => store.claimRun(holder(`w${index}`))));
      const taken = claims.flatMap((claim) => (claim ? [claim.response.id] : []));
      expect(new Set(taken).size).toBe(taken.length);
      // A worker that finds all that it looked at in others' hands comes again.
      for (let claim = await store.claimRun(holder("w")); claim; claim = await store.claimRun(holder("w")))
        taken.push(claim.response.id);
      expect(taken.toSorted()).toEqual(ids.map(({ id }) => id).toSorted());
    });

    test("are taken again when a lease has run out, and the attempts are counted", async () => {
      const store = await use();
      const [foreground, queued] = [stored(), stored({ background: true })];
      await store.createResponse(foreground, holder("dead", -1));
      expect(await store.claimRun(holder("a", -1))).toEqual({ response: foreground, attempt: 2 });
      expect((await store.claimRun(holder("b")))?.attempt).toBe(3);
      await store.createResponse(queued, "queued");
      expect((await store.claimRun(holder("a", -1)))?.attempt).toBe(1);
      expect(await store.claimRun(holder("b"))).toEqual({ response: queued, attempt: 2 });
      expect(await store.claimRun(holder("c"))).toBeUndefined();
    });

    test("come with the newest state of their response", async () => {
      const store = await use();
      const kept = stored({ response: response("x", { status: "queued" }) });
      await store.createResponse(kept, "queued");
      const running = response(kept.id);
      await store.updateResponse(kept.id, running);
      expect((await store.claimRun(holder("a")))?.response.response).toEqual(running);
    });

    test("stay with the worker that renews its lease", async () => {
      const store = await use();
      const [one, two] = [stored(), stored()];
      for (const each of [one, two]) await store.createResponse(each, holder("a", -1));
      expect(await store.renewLeases([one.id, "resp_unknown"], holder("a"))).toEqual([one.id]);
      expect((await store.claimRun(holder("b")))?.response.id).toBe(two.id);
      expect(await store.claimRun(holder("b"))).toBeUndefined();
      expect(await store.renewLeases([one.id, two.id], holder("a"))).toEqual([one.id]);
      expect(await store.renewLeases([], holder("a"))).toEqual([]);
    });

    test("that were lost take nothing from who lost them", async () => {
      const store = await use();
      const kept = stored({ background: true });
      await store.createResponse(kept, "queued");
      await store.claimRun(holder("slow", -1));
      expect(await store.appendEvents(kept.id, events(0, 1), "slow")).toBe(true);
      await store.claimRun(holder("quick"));
      expect(await store.appendEvents(kept.id, events(1, 2), "slow")).toBe(false);
      expect(await store.updateResponse(kept.id, completed(kept.id), { worker: "slow" })).toEqual(kept.response);
      expect(await store.requeueRun(kept.id, "slow")).toBe(false);
      expect(await store.appendEvents(kept.id, events(1, 2), "quick")).toBe(true);
      const end = completed(kept.id);
      expect(await store.updateResponse(kept.id, end, { worker: "quick", events: events(2, 3) })).toBe(end);
      expect(numbers(await store.readEvents(kept.id, "ada", -1, 10))).toEqual([0, 1, 2]);
    });

    test("can be cancelled by who does not hold them", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept, holder("a"));
      const cancelled = response(kept.id, { status: "cancelled" });
      expect(await store.updateResponse(kept.id, cancelled)).toBe(cancelled);
      expect(await store.updateResponse(kept.id, completed(kept.id), { worker: "a" })).toEqual(cancelled);
      expect(await store.renewLeases([kept.id], holder("a"))).toEqual([]);
    });

    test("are over with a final state", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept, "queued");
      await store.updateResponse(kept.id, completed(kept.id));
      expect(await store.claimRun(holder("a"))).toBeUndefined();
    });

    test("go back to the queue from who holds them", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept, "queued");
      await store.claimRun(holder("a"));
      expect(await store.requeueRun(kept.id, "b")).toBe(false);
      expect(await store.claimRun(holder("b"))).toBeUndefined();
      expect(await store.requeueRun(kept.id, "a")).toBe(true);
      expect(await store.requeueRun(kept.id, "a")).toBe(false);
      expect(await store.claimRun(holder("b"))).toEqual({ response: kept, attempt: 2 });
    });
  });
}

import { describe, expect, test } from "vitest";
import {
  completed,
  conversation,
  events,
  holder,
  hour,
  key,
  message,
  numbers,
  response,
  stored,
  type CreateSubject,
} from "./subject.ts";
import { withStore } from "./with-store.ts";

/** Keys, and what goes when its time is over. */
export function keyTests(create: CreateSubject): void {
  const use = withStore(create);

  describe("keys", () => {
    test("are found by their hash alone", async () => {
      const store = await use();
      const [one, two] = [key({ created_at: 2, expires_at: 3, name: "é\0" }), key({ created_at: 1 })];
      await store.createKey(one);
      await store.createKey(two);
      expect(await store.findKey(one.hash)).toEqual(one);
      expect(await store.findKey(one.id)).toBeUndefined();
      expect(await store.findKey("a\0b")).toBeUndefined();
      expect(await store.listKeys()).toEqual([two, one]);
    });

    test("refuse an id or a hash that is taken", async () => {
      const store = await use();
      const one = key();
      await store.createKey(one);
      await expect(store.createKey(key({ id: one.id }))).rejects.toThrow("already");
      await expect(store.createKey(key({ hash: one.hash }))).rejects.toThrow("already");
      expect(await store.listKeys()).toEqual([one]);
    });

    test("are revoked, and stay on the list", async () => {
      const store = await use();
      const one = key();
      await store.createKey(one);
      expect(await store.revokeKey(one.id)).toBe(true);
      expect(await store.revokeKey("key_unknown")).toBe(false);
      expect(await store.findKey(one.hash)).toEqual({ ...one, revoked: true });
      expect(await store.listKeys()).toEqual([{ ...one, revoked: true }]);
    });

    test("add up what is spent by many at once", async () => {
      const store = await use();
      const one = key({ spent: 1 });
      await store.createKey(one);
      const sums = await Promise.all(Array.from({ length: 20 }, () => store.addSpending(one.id, 0.25)));
      expect(sums.toSorted((a, b) => a! - b!)).toEqual(Array.from({ length: 20 }, (_, index) => 1.25 + index / 4));
      expect((await store.findKey(one.hash))?.spent).toBe(6);
      expect(await store.addSpending("key_unknown", 1)).toBeUndefined();
    });

    test("spend nothing that is not a number", async () => {
      const store = await use();
      const one = key();
      await store.createKey(one);
      for (const dollars of [NaN, Infinity])
        await expect(store.addSpending(one.id, dollars)).rejects.toMatchObject({ code: "BAD_REQUEST" });
      expect((await store.findKey(one.hash))?.spent).toBe(0);
    });
  });

  describe("pruning", () => {
    const madeAt = (seconds: number) => {
      const { id } = stored();
      return stored({ id, response: { ...completed(id), created_at: seconds } });
    };

    test("deletes what was made before a moment, with its log, and counts it", async () => {
      const store = await use();
      const [old, young] = [madeAt(1_000), madeAt(2_000)];
      await store.createResponse({ ...old, response: response(old.id, { created_at: 1_000 }) });
      await store.appendEvents(old.id, events(0, 2));
      await store.updateResponse(old.id, old.response);
      await store.createResponse(young);
      expect(await store.prune(1_999_999)).toBe(1);
      expect(await store.prune(1_999_999)).toBe(0);
      expect(await store.getResponse(old.id, "ada")).toBeUndefined();
      expect(await store.readEvents(old.id, "ada", -1, 10)).toEqual([]);
      expect(await store.getResponse(young.id, "ada")).toEqual(young);
    });

    test("leaves what still runs", async () => {
      const store = await use();
      const run = stored();
      await store.createResponse(run, holder("a"));
      await store.appendEvents(run.id, events(0, 2));
      expect(await store.prune(Date.now() + hour)).toBe(0);
      expect(numbers(await store.readEvents(run.id, "ada", -1, 10))).toEqual([0, 1]);
      await store.updateResponse(run.id, completed(run.id));
      expect(await store.prune(Date.now() + hour)).toBe(1);
    });

    test("can delete logs before the responses that they belong to", async () => {
      const store = await use();
      const [done, running] = [stored(), stored()];
      for (const { id } of [done, running]) {
        await store.createResponse(stored({ id }), holder("a"));
        await store.appendEvents(id, events(0, 2));
      }
      const end = completed(done.id);
      await store.updateResponse(done.id, end, { events: events(2, 3) });
      expect(await store.prune(0, Date.now() + hour)).toBe(0);
      expect(await store.readEvents(done.id, "ada", -1, 10)).toEqual([]);
      expect((await store.getResponse(done.id, "ada"))?.response).toEqual(end);
      expect(numbers(await store.readEvents(running.id, "ada", -1, 10))).toEqual([0, 1]);
    });

    test("deletes conversations by when they were last added to", async () => {
      const store = await use();
      const talk = conversation({ created_at: 1_000 });
      await store.createConversation(talk, [message("one")]);
      expect(await store.prune(Date.now() - hour)).toBe(0);
      expect(await store.prune(Date.now() + hour)).toBe(1);
      expect(await store.getConversation(talk.id, "ada")).toBeUndefined();
    });

    test("deletes more than one step's worth", async () => {
      const store = await use();
      const many = Array.from({ length: 1_100 }, () => stored());
      await Promise.all(many.map((one) => store.createResponse(one)));
      expect(await store.prune(Date.now())).toBe(1_100);
    });
  });
}

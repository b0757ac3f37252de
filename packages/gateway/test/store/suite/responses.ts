import { describe, expect, test } from "vitest";
import {
  completed,
  conversation,
  events,
  holder,
  message,
  newId,
  numbers,
  response,
  stored,
  type CreateSubject,
} from "./subject.ts";
import { withStore } from "./with-store.ts";

/** Keeping, changing and deleting responses. */
export function responseTests(create: CreateSubject): void {
  const use = withStore(create);

  describe("responses", () => {
    test("gives back what it was given", async () => {
      const store = await use();
      const kept = stored({
        conversation: "conv_x",
        background: true,
        previous: "resp_before",
        input: [message("a\0b é \u{1F600} \ud800")],
      });
      await store.createResponse(kept);
      expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
    });

    test("keeps fields in their order", async () => {
      const store = await use();
      const kept = stored({ response: completed("resp_order") });
      await store.createResponse({ ...kept, id: "resp_order" });
      expect(JSON.stringify((await store.getResponse("resp_order", "ada"))?.response)).toBe(JSON.stringify(kept.response));
    });

    test("is not changed by what happens to the objects later", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      kept.input.push(message("later"));
      kept.response.status = "failed";
      const found = await store.getResponse(kept.id, "ada");
      expect(found?.input).toHaveLength(1);
      expect(found?.response.status).toBe("in_progress");
    });

    test("refuses an id that is taken, whoever took it, and keeps the first", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      await expect(store.createResponse({ ...kept, owner: "bob" })).rejects.toThrow("already");
      expect(await store.getResponse(kept.id, "bob")).toBeUndefined();
      expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
    });

    test("lets a refused write hurt nobody else's of the same moment", async () => {
      const store = await use();
      const [one, two] = [stored(), stored()];
      await store.createResponse(one);
      const results = await Promise.allSettled([store.createResponse(one), store.createResponse(two), store.createResponse(one)]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
      expect(await store.getResponse(two.id, "ada")).toEqual(two);
    });

    test.each(["", "a\0b", "half \ud83d", "x".repeat(257)])(
      "refuses to keep the id %j, and finds nothing under it",
      async (id) => {
        const store = await use();
        await expect(store.createResponse(stored({ id }))).rejects.toMatchObject({ code: "BAD_REQUEST" });
        await expect(store.createResponse(stored({ previous: id }))).rejects.toMatchObject({ code: "BAD_REQUEST" });
        await store.createResponse(stored({ id: "a" }));
        expect(await store.getResponse(id, "ada")).toBeUndefined();
        expect(await store.getChain(id, "ada", 10)).toBeUndefined();
        expect(await store.deleteResponse(id, "ada")).toBe(false);
        expect(await store.updateResponse(id, response("a"))).toBeUndefined();
        expect(await store.appendEvents(id, events(0, 1))).toBe(false);
        expect(await store.readEvents(id, "ada", -1, 10)).toEqual([]);
      },
    );

    test("treats another owner's as what is not there", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      await store.appendEvents(kept.id, events(0, 2));
      expect(await store.getResponse(kept.id, "bob")).toBeUndefined();
      expect(await store.getChain(kept.id, "bob", 10)).toBeUndefined();
      expect(await store.readEvents(kept.id, "bob", -1, 10)).toEqual([]);
      expect(await store.deleteResponse(kept.id, "bob")).toBe(false);
      expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
    });

    test("deletes a response with its log, once", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept, "queued");
      await store.appendEvents(kept.id, events(0, 2));
      expect(await store.deleteResponse(kept.id, "ada")).toBe(true);
      expect(await store.deleteResponse(kept.id, "ada")).toBe(false);
      expect(await store.getResponse(kept.id, "ada")).toBeUndefined();
      expect(await store.readEvents(kept.id, "ada", -1, 10)).toEqual([]);
      expect(await store.claimRun(holder("w"))).toBeUndefined();
      expect(await store.appendEvents(kept.id, events(2, 3))).toBe(false);
      expect(await store.updateResponse(kept.id, completed(kept.id))).toBeUndefined();
    });
  });

  describe("newer states of a response", () => {
    test("takes the place of the older", async () => {
      const store = await use();
      const kept = stored({ response: { ...response("x"), status: "queued" } });
      await store.createResponse(kept);
      const running = response(kept.id);
      expect(await store.updateResponse(kept.id, running)).toBe(running);
      const end = completed(kept.id);
      expect(await store.updateResponse(kept.id, end)).toBe(end);
      expect(await store.getResponse(kept.id, "ada")).toEqual({ ...kept, response: end });
    });

    test.each(["completed", "incomplete", "failed", "cancelled"] as const)("never follows one that is %s", async (status) => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      const first = { ...completed(kept.id), status };
      await store.updateResponse(kept.id, first);
      for (const later of ["completed", "cancelled", "in_progress"] as const)
        expect(await store.updateResponse(kept.id, { ...completed(kept.id, "late"), status: later })).toEqual(first);
      expect((await store.getResponse(kept.id, "ada"))?.response).toEqual(first);
    });

    test("lets exactly one of many ends at once win, and tells all which", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      const ends = Array.from({ length: 12 }, (_, index) => completed(kept.id, `end ${index}`));
      const stands = await Promise.all(ends.map((end) => store.updateResponse(kept.id, end)));
      const winner = (await store.getResponse(kept.id, "ada"))?.response;
      expect(stands).toEqual(ends.map(() => winner));
      expect(ends.filter((end, index) => stands[index] === end)).toHaveLength(1);
    });

    test("brings the end of the log and the items of the conversation with it", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, [message("first", "m1")]);
      const kept = stored({ conversation: talk.id });
      await store.createResponse(kept);
      await store.appendEvents(kept.id, events(0, 2));
      const end = completed(kept.id);
      const items = [message("second", "m2"), ...end.output];
      expect(await store.updateResponse(kept.id, end, { events: events(2, 4), items })).toBe(end);
      expect(numbers(await store.readEvents(kept.id, "ada", -1, 10))).toEqual([0, 1, 2, 3]);
      const page = await store.listItems(talk.id, "ada", { limit: 10, order: "asc" });
      expect(page?.items.map(({ id }) => id)).toEqual(["m1", "m2", `msg_of_${kept.id}`]);
    });

    test("brings nothing when it comes too late", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, []);
      const kept = stored({ conversation: talk.id });
      await store.createResponse(kept);
      await store.updateResponse(kept.id, response(kept.id, { status: "cancelled" }));
      await store.updateResponse(kept.id, completed(kept.id), { events: events(0, 1), items: [message("late")] });
      expect(await store.readEvents(kept.id, "ada", -1, 10)).toEqual([]);
      expect(await store.listItems(talk.id, "ada", { limit: 10, order: "asc" })).toEqual({ items: [], more: false });
    });

    test("is not taken with events that do not go on where the log ends", async () => {
      const store = await use();
      const kept = stored();
      await store.createResponse(kept);
      await store.appendEvents(kept.id, events(0, 3));
      expect(await store.updateResponse(kept.id, completed(kept.id), { events: events(2, 4) })).toEqual(kept.response);
      expect(numbers(await store.readEvents(kept.id, "ada", -1, 10))).toEqual([0, 1, 2]);
    });

    test("is taken though the conversation is gone, or another owner's", async () => {
      const store = await use();
      const others = conversation({ owner: "bob" });
      await store.createConversation(others, []);
      for (const id of ["conv_gone", others.id]) {
        const kept = stored({ conversation: id });
        await store.createResponse(kept);
        const end = completed(kept.id);
        expect(await store.updateResponse(kept.id, end, { items: [message("x")] })).toBe(end);
      }
      expect((await store.listItems(others.id, "bob", { limit: 10, order: "asc" }))?.items).toEqual([]);
    });

    test("is refused as a whole where the conversation is full", async () => {
      const store = await use({ conversationItems: 2 });
      const talk = conversation();
      await store.createConversation(talk, [message("one")]);
      const kept = stored({ conversation: talk.id });
      await store.createResponse(kept);
      const update = store.updateResponse(kept.id, completed(kept.id), {
        items: [message("two"), message("three")],
        events: events(0, 1),
      });
      await expect(update).rejects.toMatchObject({ vendorCode: "conversation_full" });
      expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
      expect(await store.readEvents(kept.id, "ada", -1, 10)).toEqual([]);
    });
  });

  describe("chains", () => {
    const chain = async (length: number, limits = {}) => {
      const store = await use(limits);
      const ids = Array.from({ length }, () => newId("resp"));
      for (const [index, id] of ids.entries())
        await store.createResponse(stored({ id, previous: ids[index - 1] ?? null, response: completed(id) }));
      return { store, ids };
    };

    test("come oldest first, with what was asked and what was answered", async () => {
      const { store, ids } = await chain(3);
      const turns = await store.getChain(ids[2]!, "ada", 10);
      expect(turns?.map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, "completed"]));
      expect(turns?.[1]?.input).toEqual((await store.getResponse(ids[1]!, "ada"))?.input);
      expect(turns?.[1]?.output).toEqual(completed(ids[1]!).output);
    });

    test("follow one branch", async () => {
      const { store, ids } = await chain(3);
      const branch = stored({ previous: ids[0]! });
      await store.createResponse(branch);
      expect((await store.getChain(branch.id, "ada", 10))?.map(({ id }) => id)).toEqual([ids[0], branch.id]);
    });

    test("may be as long as the limit, and no longer", async () => {
      const { store, ids } = await chain(5);
      expect(await store.getChain(ids[4]!, "ada", 5)).toHaveLength(5);
      await expect(store.getChain(ids[4]!, "ada", 4)).rejects.toMatchObject({
        code: "BAD_REQUEST",
        vendorCode: "chain_too_long",
      });
    });

    test("may be as large as the limit, and no larger", async () => {
      const sizeOf = (list: unknown[]): number => JSON.stringify(list).length;
      const { store, ids } = await chain(3, { chainBytes: 1 });
      const turns = await Promise.all(ids.map((id) => store.getResponse(id, "ada")));
      const bytes = turns.reduce((sum, turn) => sum + sizeOf(turn!.input) + sizeOf(turn!.response.output), 0);
      await expect(store.getChain(ids[0]!, "ada", 5)).rejects.toMatchObject({ vendorCode: "chain_too_long" });
      for (const [chainBytes, length] of [
        [bytes, 3],
        [bytes - 1, undefined],
      ] as const) {
        const other = await use({ chainBytes });
        for (const turn of turns) await other.createResponse(turn!);
        const found = await other.getChain(ids[2]!, "ada", 5).catch(() => undefined);
        expect(found?.length).toBe(length);
      }
    });

    test("end where a link was deleted, and where it is another owner's", async () => {
      const { store, ids } = await chain(3);
      const stolen = stored({ owner: "bob", previous: ids[1]! });
      await store.createResponse(stolen);
      expect(await store.getChain(stolen.id, "bob", 10)).toBeUndefined();
      await store.deleteResponse(ids[1]!, "ada");
      expect(await store.getChain(ids[2]!, "ada", 10)).toBeUndefined();
      expect(await store.getChain(ids[0]!, "ada", 10)).toHaveLength(1);
    });

    test("that bite their own tail are refused", async () => {
      const store = await use();
      const [one, two] = [newId("resp"), newId("resp")];
      await store.createResponse(stored({ id: one, previous: two }));
      await store.createResponse(stored({ id: two, previous: one }));
      await expect(store.getChain(two, "ada", 1_000)).rejects.toMatchObject({ vendorCode: "chain_too_long" });
    });
  });
}

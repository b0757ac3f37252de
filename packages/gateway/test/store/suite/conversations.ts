import type { InputItem } from "antiphon";
import { describe, expect, test } from "vitest";
import { conversation, message, type CreateSubject } from "./subject.ts";
import { withStore } from "./with-store.ts";

/** Conversations and their items. */
export function conversationTests(create: CreateSubject): void {
  const use = withStore(create);
  const ids = (page: { items: InputItem[] } | undefined) => page?.items.map(({ id }) => id);
  const all = { limit: 1_000, order: "asc" } as const;

  describe("conversations", () => {
    test("give back what they were given", async () => {
      const store = await use();
      const talk = conversation({ metadata: { topic: "é\0" } });
      await store.createConversation(talk, [message("one", "m1"), message("two\0", "m2")]);
      expect(await store.getConversation(talk.id, "ada")).toEqual(talk);
      expect(await store.listItems(talk.id, "ada", all)).toEqual({
        items: [message("one", "m1"), message("two\0", "m2")],
        more: false,
      });
      expect(await store.getItem(talk.id, "ada", "m2")).toEqual(message("two\0", "m2"));
      expect(await store.getItem(talk.id, "ada", "m3")).toBeUndefined();
    });

    test("refuse an id that is taken", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, [message("one")]);
      await expect(store.createConversation({ ...talk, owner: "bob" }, [message("two")])).rejects.toThrow("already");
      expect((await store.listItems(talk.id, "ada", all))?.items).toHaveLength(1);
    });

    test("change their metadata", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, []);
      const changed = { ...talk, metadata: { topic: "news" } };
      expect(await store.updateConversation(talk.id, "ada", changed.metadata)).toEqual(changed);
      expect(await store.getConversation(talk.id, "ada")).toEqual(changed);
      expect(await store.updateConversation("conv_unknown", "ada", {})).toBeUndefined();
    });

    test("are deleted with their items, once, and can be begun anew", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, [message("one")]);
      expect(await store.deleteConversation(talk.id, "ada")).toBe(true);
      expect(await store.deleteConversation(talk.id, "ada")).toBe(false);
      expect(await store.getConversation(talk.id, "ada")).toBeUndefined();
      expect(await store.addItems(talk.id, "ada", [message("two")])).toBe(false);
      await store.createConversation(talk, []);
      expect(await store.listItems(talk.id, "ada", all)).toEqual({ items: [], more: false });
    });

    test("of another owner are treated as what is not there", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, [message("one", "m1")]);
      expect(await store.getConversation(talk.id, "bob")).toBeUndefined();
      expect(await store.updateConversation(talk.id, "bob", {})).toBeUndefined();
      expect(await store.deleteConversation(talk.id, "bob")).toBe(false);
      expect(await store.addItems(talk.id, "bob", [message("two")])).toBe(false);
      expect(await store.getItem(talk.id, "bob", "m1")).toBeUndefined();
      expect(await store.listItems(talk.id, "bob", all)).toBeUndefined();
      expect(await store.deleteItem(talk.id, "bob", "m1")).toBe(false);
      expect(await store.getConversation(talk.id, "ada")).toEqual(talk);
      expect(ids(await store.listItems(talk.id, "ada", all))).toEqual(["m1"]);
    });

    test.each(["", "a\0b", "half \ud83d", "x".repeat(257)])(
      "keep nothing under the id %j, and find nothing under it",
      async (id) => {
        const store = await use();
        const talk = conversation();
        await expect(store.createConversation(conversation({ id }), [])).rejects.toMatchObject({ code: "BAD_REQUEST" });
        await expect(store.createConversation(talk, [message("x", id)])).rejects.toMatchObject({ code: "BAD_REQUEST" });
        expect(await store.getConversation(talk.id, "ada")).toBeUndefined();
        await store.createConversation(talk, []);
        await expect(store.addItems(talk.id, "ada", [message("fine"), message("x", id)])).rejects.toMatchObject({
          code: "BAD_REQUEST",
        });
        expect(await store.getConversation(id, "ada")).toBeUndefined();
        expect(await store.updateConversation(id, "ada", {})).toBeUndefined();
        expect(await store.deleteConversation(id, "ada")).toBe(false);
        expect(await store.addItems(id, "ada", [])).toBe(false);
        expect(await store.listItems(id, "ada", all)).toBeUndefined();
        expect(await store.getItem(talk.id, "ada", id)).toBeUndefined();
        expect(await store.deleteItem(talk.id, "ada", id)).toBe(false);
        await expect(store.listItems(talk.id, "ada", { ...all, after: id })).rejects.toMatchObject({ param: "after" });
        expect(await store.listItems(talk.id, "ada", all)).toEqual({ items: [], more: false });
      },
    );
  });

  describe("items of a conversation", () => {
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => message(`text ${from + at}`, `m${from + at}`));

    test("are listed in pages, in both orders", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, numbered(0, 3));
      expect(await store.addItems(talk.id, "ada", numbered(3, 7))).toBe(true);
      const page = (order: "asc" | "desc", limit: number, after?: string) =>
        store.listItems(talk.id, "ada", { order, limit, after });
      expect(ids(await page("asc", 3))).toEqual(["m0", "m1", "m2"]);
      expect(await page("asc", 3, "m2")).toEqual({ items: numbered(3, 6), more: true });
      expect(await page("asc", 4, "m2")).toEqual({ items: numbered(3, 7), more: false });
      expect(await page("desc", 3)).toEqual({ items: numbered(4, 7).toReversed(), more: true });
      expect(await page("desc", 9, "m2")).toEqual({ items: numbered(0, 2).toReversed(), more: false });
      expect(await page("asc", 3, "m6")).toEqual({ items: [], more: false });
      expect(await page("desc", 3, "m0")).toEqual({ items: [], more: false });
    });

    test("cannot be listed after one that is not there", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, numbered(0, 3));
      await expect(store.listItems(talk.id, "ada", { ...all, after: "m9" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        param: "after",
      });
    });

    test("stay as they are when an item with the same id comes", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, [message("one", "m1")]);
      await store.addItems(talk.id, "ada", [
        message("two", "m2"),
        message("another one", "m1"),
        message("two again", "m2"),
        message("three", "m3"),
      ]);
      const kept = [message("one", "m1"), message("two", "m2"), message("three", "m3")];
      expect((await store.listItems(talk.id, "ada", all))?.items).toEqual(kept);
    });

    test("are deleted one by one", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, numbered(0, 3));
      expect(await store.deleteItem(talk.id, "ada", "m1")).toBe(true);
      expect(await store.deleteItem(talk.id, "ada", "m1")).toBe(false);
      await store.addItems(talk.id, "ada", numbered(3, 4));
      expect(ids(await store.listItems(talk.id, "ada", all))).toEqual(["m0", "m2", "m3"]);
    });

    test("have the same ids in several conversations", async () => {
      const store = await use();
      const [one, two] = [conversation(), conversation()];
      await store.createConversation(one, [message("one", "m")]);
      await store.createConversation(two, [message("two", "m")]);
      await store.deleteItem(one.id, "ada", "m");
      expect(await store.getItem(two.id, "ada", "m")).toEqual(message("two", "m"));
    });

    test("added at once by many all stay, each batch together", async () => {
      const store = await use();
      const talk = conversation();
      await store.createConversation(talk, []);
      const batches = Array.from({ length: 12 }, (_, index) => numbered(index * 3, index * 3 + 3));
      await Promise.all(batches.map((batch) => store.addItems(talk.id, "ada", batch)));
      const found = ids(await store.listItems(talk.id, "ada", all)) ?? [];
      const order = batches.map((batch) => found.indexOf(batch[0]?.id));
      expect(found).toHaveLength(36);
      expect(
        batches.map((batch, index) => found.slice(order[index], order[index]! + 3).join() === batch.map(({ id }) => id).join()),
      ).not.toContain(false);
    });

    test("are bounded in number and in size, and refused as a whole", async () => {
      for (const limits of [{ conversationItems: 3 }, { conversationBytes: JSON.stringify(numbered(0, 3)).length }]) {
        const store = await use(limits);
        const talk = conversation();
        await store.createConversation(talk, numbered(0, 2));
        await expect(store.addItems(talk.id, "ada", numbered(2, 5))).rejects.toMatchObject({ vendorCode: "conversation_full" });
        expect(ids(await store.listItems(talk.id, "ada", all))).toEqual(["m0", "m1"]);
        expect(await store.addItems(talk.id, "ada", numbered(2, 3))).toBe(true);
        await expect(store.createConversation(conversation(), numbered(0, 5))).rejects.toMatchObject({
          vendorCode: "conversation_full",
        });
      }
    });
  });
}

import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { testStore } from "./store-suite.ts";
import { completed, conversation, holder, message, stored } from "./suite/subject.ts";

testStore(
  "memoryStore",
  async (limits) => {
    const store = memoryStore({ limits });
    return { store, close: () => store.close() };
  },
  { shared: false },
);

describe("memoryStore", () => {
  const large = () => {
    const { id } = stored();
    return stored({ id, response: completed(id), input: [message("x".repeat(10_000))] });
  };

  test("drops what has not been written to for the longest time, but nothing that runs", async () => {
    const store = memoryStore({ maxBytes: 50_000 });
    const running = large();
    await store.createResponse({ ...running, response: { ...running.response, status: "in_progress" } }, holder("a"));
    const talk = conversation();
    await store.createConversation(talk, [message("x".repeat(10_000))]);
    const others = Array.from({ length: 8 }, large);
    for (const [index, one] of others.entries()) {
      await store.createResponse(one);
      if (index === 1) await store.addItems(talk.id, "ada", [message("y")]);
    }
    const kept = await Promise.all(others.map(async ({ id }) => (await store.getResponse(id, "ada")) !== undefined));
    expect(kept).toEqual([false, false, false, false, false, true, true, true]);
    expect(await store.getConversation(talk.id, "ada")).toBeUndefined();
    expect(await store.getResponse(running.id, "ada")).toBeDefined();
  });

  test("forgets the size of what was deleted", async () => {
    const store = memoryStore({ maxBytes: 50_000 });
    const first = large();
    await store.createResponse(first);
    for (let round = 0; round < 10; round += 1) {
      const one = large();
      await store.createResponse(one);
      await store.deleteResponse(one.id, "ada");
    }
    expect(await store.getResponse(first.id, "ada")).toBeDefined();
  });
});

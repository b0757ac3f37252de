import fc from "fast-check";
import { AntiphonError } from "antiphon";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../../src/store/memory.ts";
import type { Store } from "../../../src/store/store.ts";
import { completed, conversation, events, hour, key, message, response, stored, type CreateSubject } from "./subject.ts";

type Step = (store: Store) => Promise<unknown>;

const limits = { chainBytes: 3_000, conversationItems: 12, conversationBytes: 1_500, logBytes: 1_200 };

const owner = fc.constantFrom("ada", "ada", "ada", "bob");
const responseId = fc.constantFrom("r1", "r2", "r3", "r4");
const talkId = fc.constantFrom("c1", "c2");
const itemId = fc.constantFrom("i1", "i2", "i3", "i4", "i5");
const worker = fc.constantFrom("w1", "w2");
const status = fc.constantFrom("queued", "in_progress", "in_progress", "completed", "failed", "cancelled" as const);
const batch = fc.tuple(fc.nat(4), fc.nat(3)).map(([from, count]) => events(from, from + count));
const itemList = fc.array(itemId, { maxLength: 3 }).map((ids) => ids.map((id) => message(`text of ${id}`, id)));
// A lease that is over at once or not before the test is: what happens does not depend on the clock.
const lease = fc.record({ worker, leaseMs: fc.constantFrom(-1, hour) });
const orNot = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** One step in the life of a store. */
const step: fc.Arbitrary<{ name: string; run: Step }> = fc.oneof(
  fc
    .record({
      id: responseId,
      owner,
      previous: fc.option(responseId),
      conversation: fc.option(talkId),
      run: orNot(fc.oneof(fc.constant("queued" as const), lease)),
    })
    .map(({ run, ...about }) => ({
      name: `create ${JSON.stringify({ ...about, run })}`,
      run: (store: Store) =>
        store.createResponse(stored({ ...about, input: [message("question", "q")], response: response(about.id) }), run),
    })),
  fc
    .record({ id: responseId, status, worker: orNot(worker), events: orNot(batch), items: orNot(itemList) })
    .map(({ id, status, ...along }) => ({
      name: `update ${id} ${status} ${JSON.stringify(along)}`,
      run: (store: Store) => store.updateResponse(id, { ...completed(id), status }, along),
    })),
  fc.tuple(responseId, batch, orNot(worker)).map(([id, list, by]) => ({
    name: `append ${id} ${list[0]?.sequence_number}+${list.length} ${by}`,
    run: (store: Store) => store.appendEvents(id, list, by),
  })),
  fc
    .tuple(responseId, owner)
    .map(([id, owner]) => ({ name: `delete ${id} ${owner}`, run: (store: Store) => store.deleteResponse(id, owner) })),
  fc.tuple(responseId, owner, fc.integer({ min: 1, max: 4 })).map(([id, owner, limit]) => ({
    name: `chain ${id} ${owner} ${limit}`,
    run: (store: Store) => store.getChain(id, owner, limit),
  })),
  // Which of several runs is taken depends on microseconds; what was taken does not.
  fc
    .tuple(worker, responseId)
    .map(([by, id]) => ({ name: `requeue ${id} ${by}`, run: (store: Store) => store.requeueRun(id, by) })),
  lease.map((holder) => ({
    name: `renew ${JSON.stringify(holder)}`,
    run: (store: Store) => store.renewLeases(["r1", "r2", "r3", "r4"], holder),
  })),
  fc.tuple(talkId, owner, itemList).map(([id, owner, items]) => ({
    name: `talk ${id} ${owner} ${items.length}`,
    run: (store: Store) => store.createConversation(conversation({ id, owner }), items),
  })),
  fc.tuple(talkId, owner, itemList).map(([id, owner, items]) => ({
    name: `add ${id} ${owner} ${items.map((item) => item.id)}`,
    run: (store: Store) => store.addItems(id, owner, items),
  })),
  fc.tuple(talkId, owner, itemId).map(([id, owner, item]) => ({
    name: `remove ${id} ${owner} ${item}`,
    run: (store: Store) => store.deleteItem(id, owner, item),
  })),
  fc
    .record({
      id: talkId,
      owner,
      after: orNot(itemId),
      limit: fc.integer({ min: 1, max: 4 }),
      order: fc.constantFrom("asc", "desc" as const),
    })
    .map(({ id, owner, ...page }) => ({
      name: `list ${id} ${owner} ${JSON.stringify(page)}`,
      run: (store: Store) => store.listItems(id, owner, page),
    })),
  fc
    .tuple(talkId, owner)
    .map(([id, owner]) => ({ name: `end ${id} ${owner}`, run: (store: Store) => store.deleteConversation(id, owner) })),
  fc
    .constantFrom("k1", "k2")
    .map((id) => ({ name: `key ${id}`, run: (store: Store) => store.createKey(key({ id, hash: "h1" })) })),
  fc.constantFrom("k1", "k2").map((id) => ({ name: `spend ${id}`, run: (store: Store) => store.addSpending(id, 0.5) })),
);

const answer = async (store: Store, run: Step): Promise<unknown> => {
  try {
    return await run(store);
  } catch (thrown) {
    return thrown instanceof AntiphonError ? `${thrown.code} ${thrown.vendorCode} ${thrown.param}` : thrown;
  }
};

/** All that can be seen of a store. */
const everything = async (store: Store): Promise<unknown> => ({
  responses: await Promise.all(["r1", "r2", "r3", "r4"].map((id) => store.getResponse(id, "ada"))),
  logs: await Promise.all(["r1", "r2", "r3", "r4"].map((id) => store.readEvents(id, "ada", -1, 100))),
  talks: await Promise.all(["c1", "c2"].map((id) => store.getConversation(id, "ada"))),
  items: await Promise.all(["c1", "c2"].map((id) => store.listItems(id, "ada", { limit: 100, order: "asc" }))),
  keys: await store.listKeys(),
});

/** Whatever is done to a store, it answers as the simplest one does. */
export function agreementTests(create: CreateSubject, runs: number): void {
  describe("whatever is done to it", () => {
    test("answers as a store in memory does", async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const subject = await create(limits);
        const model = memoryStore({ limits });
        try {
          for (const { name, run } of steps)
            expect([name, await answer(subject.store, run)]).toEqual([name, await answer(model, run)]);
          expect(await everything(subject.store)).toEqual(await everything(model));
        } finally {
          await subject.close();
        }
      });
      await fc.assert(property, { numRuns: runs });
    });
  });
}

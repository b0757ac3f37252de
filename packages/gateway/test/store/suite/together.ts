import { describe, expect, test } from "vitest";
import { completed, conversation, events, holder, key, message, numbers, stored, type CreateSubject } from "./subject.ts";
import { withSubject } from "./with-store.ts";

/** Tests two gateways on the same data, for stores that several processes can open. */
export function togetherTests(create: CreateSubject): void {
  const use = withSubject(create);
  const both = async () => {
    const { store, again } = await use();
    if (!again) throw new Error("There is no second way to this store.");
    return [store, await again()] as const;
  };

  describe("two at once", () => {
    test("see at once what the other was told is kept", async () => {
      const [one, two] = await both();
      const kept = stored();
      await one.createResponse(kept);
      expect(await two.getResponse(kept.id, "ada")).toEqual(kept);
      const end = completed(kept.id);
      await two.updateResponse(kept.id, end);
      expect((await one.getChain(kept.id, "ada", 10))?.[0]?.output).toEqual(end.output);
    });

    test("take each run exactly once", async () => {
      const [one, two] = await both();
      const runs = Array.from({ length: 40 }, () => stored());
      await Promise.all(runs.map((run, index) => (index % 2 ? one : two).createResponse(run, "queued")));
      const work = async (store: typeof one, worker: string): Promise<string[]> => {
        const taken: string[] = [];
        for (let claim = await store.claimRun(holder(worker)); claim; claim = await store.claimRun(holder(worker)))
          taken.push(claim.response.id);
        return taken;
      };
      const taken = await Promise.all([work(one, "a"), work(two, "b"), work(one, "c"), work(two, "d")]);
      expect(taken.flat().toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    });

    test("let one end win", async () => {
      const [one, two] = await both();
      for (let round = 0; round < 10; round += 1) {
        const kept = stored();
        await one.createResponse(kept);
        const ends = [completed(kept.id, "one"), { ...completed(kept.id, "two"), status: "cancelled" as const }];
        const stands = await Promise.all([one.updateResponse(kept.id, ends[0]!), two.updateResponse(kept.id, ends[1]!)]);
        expect(stands[0]).toEqual(stands[1]);
        expect((await one.getResponse(kept.id, "ada"))?.response).toEqual(stands[0]);
      }
    });

    test("write one log in order", async () => {
      const [one, two] = await both();
      const kept = stored();
      await one.createResponse(kept);
      const write = async (store: typeof one, text: string): Promise<number[]> => {
        const own: number[] = [];
        for (let at = 0; at < 60; at = (numbers(await store.readEvents(kept.id, "ada", at - 1, 100)).at(-1) ?? at - 1) + 1)
          if (await store.appendEvents(kept.id, events(at, at + 2, text))) own.push(at, at + 1);
        return own;
      };
      const owns = await Promise.all([write(one, "one"), write(two, "two")]);
      const log = await one.readEvents(kept.id, "ada", -1, 1_000);
      expect(numbers(log)).toEqual(log.map((_, index) => index));
      expect(owns.flat().toSorted((a, b) => a - b)).toEqual(numbers(log));
      const texts = log.map((event) => ("delta" in event ? String(event.delta).split(" ")[0] : ""));
      expect(owns[0].every((number) => texts[number] === "one")).toBe(true);
    });

    test("append nothing after the other ended the response", async () => {
      const [one, two] = await both();
      for (let round = 0; round < 10; round += 1) {
        const kept = stored();
        await one.createResponse(kept);
        const [, ...added] = await Promise.all([
          two.updateResponse(kept.id, completed(kept.id)),
          one.appendEvents(kept.id, events(0, 1)),
        ]);
        expect(await one.appendEvents(kept.id, events(added[0] ? 1 : 0, 3))).toBe(false);
        expect(numbers(await two.readEvents(kept.id, "ada", -1, 10))).toEqual(added[0] ? [0] : []);
      }
    });

    test("add to one conversation and to one sum", async () => {
      const [one, two] = await both();
      const [talk, paid] = [conversation(), key()];
      await one.createConversation(talk, []);
      await two.createKey(paid);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => index).flatMap((index) => [
          (index % 2 ? one : two).addItems(talk.id, "ada", [message("x", `a${index}`), message("x", `b${index}`)]),
          (index % 2 ? two : one).addSpending(paid.id, 0.5),
        ]),
      );
      const found = (await one.listItems(talk.id, "ada", { limit: 100, order: "asc" }))?.items.map(({ id }) => id ?? "") ?? [];
      expect(found).toHaveLength(40);
      expect(found.filter((id, at) => id.startsWith("a") && found[at + 1] === id.replace("a", "b"))).toHaveLength(20);
      expect((await one.findKey(paid.hash))?.spent).toBe(10);
    });

    test("are told of each other's changes", async () => {
      const [one, two] = await both();
      const kept = stored();
      await one.createResponse(kept);
      for (const change of [
        () => one.appendEvents(kept.id, events(0, 1)),
        () => one.updateResponse(kept.id, completed(kept.id)),
        () => one.deleteResponse(kept.id, "ada"),
      ]) {
        const told = new Promise<void>((resolve) => {
          const stop = two.watch(kept.id, () => {
            stop();
            resolve();
          });
        });
        await change();
        await told;
      }
      expect(await two.getResponse(kept.id, "ada")).toBeUndefined();
    });
  });
}

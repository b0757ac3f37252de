import { describe, expect, test } from "vitest";
import { batchesOf, fromBatches, lazily, type Respond } from "../../src/core/respond.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";

const event = (sequence_number: number): ResponseEvent => ({ type: "keepalive", sequence_number });

/** Batches that come one at a time, each a while after it was asked for, and how many were asked for at once. */
function slowly(batches: ResponseEvent[][]): { batches: AsyncIterator<ResponseEvent[]>; most: () => number } {
  let [asked, most, at] = [0, 0, 0];
  const next = async (): Promise<IteratorResult<ResponseEvent[]>> => {
    asked += 1;
    most = Math.max(most, asked);
    await new Promise((resolve) => setTimeout(resolve, 1));
    asked -= 1;
    const value = batches[at++];
    return value ? { done: false, value } : { done: true, value: undefined };
  };
  return { batches: { next }, most: () => most };
}

describe("a stream that is asked for many events at once", () => {
  test("gives each of them once and in order, and asks for one batch at a time", async () => {
    const source = slowly([[event(0), event(1)], [], [event(2)], [event(3), event(4), event(5)]]);
    const events = fromBatches(() => source.batches)[Symbol.asyncIterator]();
    const read = await Promise.all(Array.from({ length: 8 }, () => events.next()));
    expect(read.map(({ value }) => value?.sequence_number)).toEqual([0, 1, 2, 3, 4, 5, undefined, undefined]);
    expect(read.map(({ done }) => done)).toEqual([...Array.from({ length: 6 }, () => false), true, true]);
    expect(source.most()).toBe(1);
  });

  test("fails for the one whose turn it was, and ends for the others", async () => {
    async function* broken(): AsyncGenerator<ResponseEvent[], undefined> {
      yield [event(0)];
      throw new Error("lost");
    }
    const events = fromBatches(broken)[Symbol.asyncIterator]();
    const read = await Promise.allSettled([events.next(), events.next(), events.next()]);
    expect(read).toMatchObject([
      { status: "fulfilled", value: { done: false } },
      { status: "rejected", reason: { message: "lost" } },
      { status: "fulfilled", value: { done: true } },
    ]);
  });
});

test("a model that could not be loaded is loaded when it is asked again, and then only once", async () => {
  let loads = 0;
  const respond: Respond = lazily(async () => {
    loads += 1;
    if (loads === 1) throw new Error("no network");
    return scripted(["One.", "Two."]);
  });
  const first = (): Promise<unknown> => batchesOf(respond({ input: "Hello" })).next();
  await expect(first()).rejects.toThrow("no network");
  await expect(first()).resolves.toMatchObject({ done: false });
  await expect(first()).resolves.toMatchObject({ done: false });
  expect(loads).toBe(2);
});

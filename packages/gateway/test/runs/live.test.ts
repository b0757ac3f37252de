import { AntiphonError, type ResponseEvent } from "antiphon";
import { describe, expect, test } from "vitest";
import { Live, weightOf } from "../../src/runs/live.ts";
import { framesOf } from "../../src/runs/recent.ts";
import { completed, events, response } from "../store/suite/subject.ts";
import { all } from "./support/rig.ts";

const liveOf = (maxLogBytes = 1_000_000, maxBacklogBytes = 1_000_000): Live =>
  new Live({ id: "resp_1", owner: "ada", response: response("resp_1"), maxLogBytes, maxBacklogBytes });

const last = (number: number): ResponseEvent => ({
  type: "response.completed",
  sequence_number: number,
  response: completed("resp_1"),
});

describe("a running response", () => {
  test("tells every reader everything, whenever it comes", async () => {
    const live = liveOf();
    const first = all(live.read());
    live.push(events(0, 2));
    const second = all(live.read());
    live.push(events(2, 4));
    await new Promise((resolve) => setImmediate(resolve));
    live.push([last(4)]);
    const whole = [...events(0, 4), last(4)];
    expect(await Promise.all([first, second, all(live.read())])).toEqual([whole, whole, whole]);
    expect([live.ended, live.isWhole, live.response]).toEqual([true, true, completed("resp_1")]);
  });

  test("throws to its readers what it ended with, after all that came before", async () => {
    const live = liveOf();
    const reader = live.read();
    live.push(events(0, 1));
    live.end(new AntiphonError("SERVER_ERROR", "Broken."));
    expect((await reader.next()).value).toEqual(events(0, 1));
    await expect(reader.next()).rejects.toThrow("Broken.");
    expect((await reader.next()).done).toBe(true);
  });

  test("keeps no more than it may, and cuts off who is too far behind", async () => {
    const live = liveOf(0, 5_000);
    const slow = live.read();
    const fast = live.read();
    const text = "x".repeat(1_000);
    for (let from = 0; from < 20; from += 1) {
      live.push(events(from, from + 1, text));
      expect((await fast.next()).value).toEqual(events(from, from + 1, text));
    }
    expect(weightOf([...live.log()].flat())).toBeLessThan(7_000);
    await expect(slow.next()).rejects.toMatchObject({ code: "SERVER_OVERLOADED" });
    expect(live.isWhole).toBe(false);
    live.push([last(20)]);
    expect(await all(fast)).toEqual([last(20)]);
  });

  test("tells those who come late what is on the reel, and all that follows, without gap or duplicate", async () => {
    const live = liveOf();
    const teller = live.read();
    const tape = live.record(teller);
    const late: Promise<ResponseEvent[]>[] = [all(live.read())];
    for (let from = 0; from < 6; from += 1) {
      live.push(events(from, from + 1, "Grüße"));
      late.push(all(live.read()));
      const { value } = await teller.next();
      late.push(all(live.read()));
      for (const frames of framesOf([value])) tape.write(Buffer.from(frames));
      tape.told();
      late.push(all(live.read()));
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect([...live.log()]).toEqual([]);
    expect(live.isWhole).toBe(true);
    live.push([last(6)]);
    const whole = [...events(0, 6, "Grüße"), last(6)];
    for (const read of late) expect(await read).toEqual(whole);
    expect([...live.log()]).toEqual([[last(6)]]);
  });

  test("loses nothing of what is on a long reel, which is packed", async () => {
    const live = liveOf(8_000_000, 8_000_000);
    const teller = live.read();
    const tape = live.record(teller);
    for (let from = 0; from < 400; from += 1) {
      live.push(events(from * 25, from * 25 + 25, "Grüße"));
      const { value } = await teller.next();
      for (const frames of framesOf([value])) tape.write(Buffer.from(frames));
      tape.told();
    }
    const size = live.told.reduce((sum, { length }) => sum + length, 0);
    expect(size).toBeGreaterThan(1_000_000);
    live.push([last(10_000)]);
    expect(await all(live.read())).toEqual([...events(0, 10_000, "Grüße"), last(10_000)]);
  });

  test("lets the reel go where the log has become too large", async () => {
    const live = liveOf(3_000, 1_000_000);
    const teller = live.read();
    const tape = live.record(teller);
    for (let from = 0; from < 6; from += 1) {
      live.push(events(from, from + 1, "x".repeat(1_000)));
      const { value } = await teller.next();
      for (const frames of framesOf([value])) tape.write(Buffer.from(frames));
      tape.told();
    }
    expect([live.isWhole, live.told]).toEqual([false, []]);
  });

  test("holds nothing for readers that have left", async () => {
    const live = liveOf(0, 1_000_000);
    const reader = live.read();
    const pending = reader.next();
    await reader.return?.();
    expect((await pending).done).toBe(true);
    for (let from = 0; from < 100; from += 1) live.push(events(from, from + 1, "x".repeat(1_000)));
    expect([...live.log()]).toEqual([]);
    const late = live.read();
    live.push([last(100)]);
    expect(await all(late)).toEqual([last(100)]);
  });
});

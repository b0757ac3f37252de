import type { ResponseEvent } from "antiphon";
import { describe, expect, test } from "vitest";
import { streamReply } from "../../src/http/write-stream.ts";
import { faces } from "../../src/http/faces.ts";
import { Heartbeat } from "../../src/http/heartbeat.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { all, eventually, expectWhole, isDelta, Rig, typesOf, until } from "./support/rig.ts";
import { Puppet } from "./support/puppet.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

onEveryStore("following a run", (make) => {
  const stage = stageOn(make);
  const { start } = stage;

  test("gives everybody the same, here and elsewhere, from any moment on", async () => {
    const [here, there] = [await start(), await start({ limits: { maxBackground: 0 } })];
    const { id } = await here.submit();
    const readers: Promise<ResponseEvent[]>[] = [];
    const join = (): void => {
      for (const rig of [here, there]) readers.push(rig.read(id));
    };
    join();
    const call = (await stage.puppet.next()).start();
    join();
    for (let index = 0; index < 10; index += 1) {
      call.say(`word ${index} `);
      join();
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    call.finish();
    join();
    const [first, ...others] = await Promise.all(readers);
    join();
    expectWhole(first!, await here.get(id));
    for (const events of [...others, ...(await Promise.all(readers.slice(-2)))]) expect(events).toEqual(first);
  });

  test("can be taken up after every single event, while it runs and when it is over", async () => {
    const rig = await start({ limits: { maxBackground: 1 } });
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start();
    const frames = async (after: number, count = Infinity): Promise<string[]> => {
      const leaving = new AbortController();
      const telling = { face: faces.strict, request: {}, after, heartbeat: new Heartbeat(0) };
      const reply = await streamReply(await rig.follow(id, leaving.signal), telling);
      const texts: string[] = [];
      const write = (text: string | Uint8Array): void => {
        texts.push(...String(text).split("\n\n").filter(Boolean));
        if (texts.length >= count) leaving.abort();
      };
      const { signal } = leaving;
      await reply.stream!({
        write,
        drained: () => undefined,
        get closed() {
          return signal.aborted;
        },
      });
      return texts;
    };
    call.say("one ", "two ");
    const seen: string[] = [];
    // A client that loses the connection after every event.
    while (seen.length < 7) seen.push((await frames(seen.length - 1, 1))[0]!);
    call.say("three ", "four").finish();
    while (seen.at(-1) !== "data: [DONE]") seen.push((await frames(seen.length - 1, 1))[0]!);
    expect(await frames(-1)).toEqual(seen);
    for (let after = 0; after < seen.length - 1; after += 1) expect(await frames(after)).toEqual(seen.slice(after + 1));
    expect(await frames(1_000)).toEqual(["data: [DONE]"]);
  });

  test("is told of no log where there is none: somebody else's, a client's own, one that was pruned", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Hi");
    expect(await rig.background.follow(id, "bob")).toBeUndefined();
    expect(await rig.background.follow("resp_none", "ada")).toBeUndefined();
    const { live } = await rig.foreground();
    const other = (await stage.puppet.next()).start();
    await live.read().next();
    expect(await rig.background.follow(live.id, "ada")).toBeUndefined();
    other.finish();
    call.finish();
    await rig.end(id);
    await rig.store.prune(0, Number.MAX_SAFE_INTEGER);
    expect(await rig.background.follow(id, "ada")).toBeUndefined();
    expect(await rig.get(id)).toMatchObject({ status: "completed" });
  });

  test("ends when the reader says so, also while nothing happens", async () => {
    const rig = await start();
    const idle = await start({ limits: { maxBackground: 0 } });
    const { id } = await rig.submit();
    (await stage.puppet.next()).start();
    const readers = [rig, idle].map(async (one) => {
      const leaving = new AbortController();
      const batches = await one.follow(id, leaving.signal);
      const seen = await until(batches, ({ type }) => type === "response.in_progress");
      const next = batches.next();
      leaving.abort();
      return [typesOf(seen).length, (await next).done];
    });
    expect(await Promise.all(readers)).toEqual([
      [3, true],
      [3, true],
    ]);
  });
});

describe("a reader that is slow", () => {
  test("misses nothing where it begins to read when the run has forgotten its beginning", async () => {
    const puppet = new Puppet();
    const rig = new Rig({ store: memoryStore(), respond: puppet.respond, pause: 0 });
    const { id } = await rig.submit();
    const call = (await puppet.next()).start().say("Begin");
    await until(await rig.follow(id), isDelta);
    const late = await rig.follow(id);
    for (let index = 0; index < 100; index += 1) call.say("x".repeat(10_000));
    call.finish();
    const whole = await rig.read(id);
    expect(await all(late)).toEqual(whole);
    expectWhole(whole, await rig.get(id));
    await rig.close();
  });

  test("holds up neither the run nor the others, and still gets everything", async () => {
    const puppet = new Puppet();
    const rig = new Rig({ store: memoryStore(), respond: puppet.respond, pause: 0 });
    const { id } = await rig.submit();
    const call = (await puppet.next()).start();
    const slow = await rig.follow(id);
    const seen = await until(slow, ({ type }) => type === "response.in_progress");
    const fast = rig.read(id);
    const word = "x".repeat(10_000);
    for (let index = 0; index < 300; index += 1) {
      call.say(word);
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    call.finish();
    const whole = await fast;
    // More went by than is held for anybody.
    expect(whole.filter(isDelta)).toHaveLength(300);
    seen.push(...(await all(slow)));
    expect(seen).toEqual(whole);
    expectWhole(seen, await rig.get(id));
    await rig.close();
    await eventually(() => rig.context.live.size === 0);
  });
});

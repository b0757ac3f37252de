import { text, type ResponseEvent, type ResponseResource } from "antiphon";
import { expect, test } from "vitest";
import { begin } from "../../src/runs/log-fold.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually, expectWhole, isDelta, typesOf, until } from "./support/rig.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

const dead = { worker: "dead", leaseMs: 0 };

/** The opening of a run as its first worker wrote it. */
const opening = (response: ResponseResource): ResponseEvent[] => begin({ ...response, status: "in_progress" });

const half = (response: ResponseResource): ResponseEvent[] => [
  ...opening(response),
  {
    type: "response.output_item.added",
    sequence_number: 3,
    output_index: 0,
    item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] },
  },
  {
    type: "response.content_part.added",
    sequence_number: 4,
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    part: { type: "output_text", text: "", annotations: [], logprobs: [] },
  },
  { type: "response.output_text.delta", sequence_number: 5, item_id: "msg_1", output_index: 0, content_index: 0, delta: "Half" },
];

onEveryStore("a run whose worker is gone", (make) => {
  const stage = stageOn(make);
  const { start } = stage;
  /** A response that a worker has begun and left, with what it had written. */
  const leftBehind = async (write: (response: ResponseResource) => ResponseEvent[]): Promise<ResponseResource> => {
    const idle = await start({ limits: { maxBackground: 0 } });
    const response = await idle.submit();
    await idle.store.claimRun(dead);
    await idle.store.updateResponse(response.id, { ...response, status: "in_progress" }, { events: write(response) });
    return response;
  };

  test("is run again where it had not begun to write", async () => {
    const { id } = await leftBehind(() => []);
    const rig = await start();
    (await stage.puppet.next()).start().say("Whole").finish();
    expectWhole(await rig.read(id), await rig.get(id));
    expect(await rig.get(id)).toMatchObject({ status: "completed" });
    expect(stage.puppet.calls).toHaveLength(1);
  });

  test("is run again where it had shown nothing of an answer, and those who follow see one stream", async () => {
    const { id } = await leftBehind(opening);
    const idle = stage.rigs[0]!;
    const batches = await idle.follow(id);
    const seen = await until(batches, ({ type }) => type === "response.in_progress");
    const rig = await start();
    (await stage.puppet.next()).start().say("Whole").finish();
    for await (const batch of batches) seen.push(...batch);
    expectWhole(seen, await rig.get(id));
    expect(typesOf(seen).filter((type) => type === "response.created" || type === "response.in_progress")).toHaveLength(2);
    expect(await rig.read(id)).toEqual(seen);
  });

  test("fails where it had shown something, with all that it had shown, and the model is not asked again", async () => {
    const { id } = await leftBehind(half);
    const batches = await stage.rigs[0]!.follow(id);
    const seen = await until(batches, isDelta);
    const rig = await start();
    for await (const batch of batches) seen.push(...batch);
    const response = await rig.get(id);
    expectWhole(seen, response);
    expect(response).toMatchObject({ status: "failed", error: { code: "interrupted" }, output: [{ status: "incomplete" }] });
    expect(text(response!)).toBe("Half");
    expect(stage.puppet.calls).toHaveLength(0);
    await eventually(() => rig.charged.length === 1);
    expect(rig.charged).toMatchObject([{ key: "key_ada", took: { usage: { estimated: true } } }]);
  });

  test("fails where its client had waited for it", async () => {
    const idle = await start({ limits: { maxBackground: 0 } });
    const { stored } = await idle.job({ background: false, stream: true });
    await idle.store.createResponse(stored, dead);
    const rig = await start();
    await eventually(async () => (await rig.get(stored.id))?.status === "failed");
    expect(await rig.get(stored.id)).toMatchObject({ error: { code: "interrupted" }, output: [] });
    expect(stage.puppet.calls).toHaveLength(0);
  });

  test("is given up where it takes every worker with it", async () => {
    const idle = await start({ limits: { maxBackground: 0 } });
    const { id } = await idle.submit();
    for (let attempt = 0; attempt < 10; attempt += 1) await idle.store.claimRun(dead);
    const rig = await start();
    expect(await rig.end(id)).toMatchObject({ status: "failed", error: { code: "interrupted" }, usage: null });
    expect(stage.puppet.calls).toHaveLength(0);
  });

  test("is taken over from a worker that lost touch, which then stops and writes nothing more", async () => {
    const store = await stage.data.open();
    // Prolongs nothing, as one that cannot reach the store.
    const deaf: Store = { ...store, renewLeases: () => Promise.reject(new Error("unreachable")) };
    const first = await start({ store: deaf, leaseMs: 100, limits: { maxBackground: 1 } });
    const { id } = await first.submit();
    const lost = (await stage.puppet.next()).start();
    // It may not take the run a second time itself.
    deaf.claimRun = async () => undefined;
    const second = await start();
    const next = (await stage.puppet.next()).start();
    lost.say("Lost");
    await eventually(() => lost.signal.aborted);
    next.say("Found").finish();
    const response = await second.end(id);
    expect(text(response)).toBe("Found");
    expectWhole(await first.read(id), response);
    expect([first.charged.length, second.charged.length]).toEqual([0, 1]);
  });

  test("is still at work where it was only the lease that ran out, and is not begun a second time", async () => {
    const store = await stage.data.open();
    const deaf: Store = { ...store, renewLeases: () => Promise.reject(new Error("unreachable")) };
    let claims = 0;
    deaf.claimRun = async (holder) => {
      const claimed = await store.claimRun(holder);
      if (claimed) claims += 1;
      return claimed;
    };
    const rig = await start({ store: deaf, leaseMs: 50 });
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Once");
    await eventually(() => claims > 1);
    call.finish();
    expect(await rig.end(id)).toMatchObject({ status: "completed" });
    expect(stage.puppet.calls).toHaveLength(1);
  });
});

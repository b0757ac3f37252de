import { AntiphonError, text } from "antiphon";
import { expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { all, eventually, expectWhole, isDelta, typesOf, until } from "./support/rig.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

onEveryStore("a gateway that closes", (make) => {
  const stage = stageOn(make);
  const { start } = stage;

  test("puts back what has shown nothing, and another gateway does it, for those who have followed all the time", async () => {
    const first = await start();
    const { id } = await first.submit();
    const parked = (await stage.puppet.next()).start();
    const watching = await start({ limits: { maxBackground: 0 } });
    const batches = await watching.follow(id);
    const seen = await until(batches, ({ type }) => type === "response.in_progress");
    await first.close();
    expect(parked.signal.aborted).toBe(true);
    expect((await first.get(id))?.status).toBe("queued");
    const second = await start();
    (await stage.puppet.next()).start().say("Done").finish();
    for await (const batch of batches) seen.push(...batch);
    expectWhole(seen, await second.get(id));
    expect(typesOf(seen).filter((type) => type === "response.in_progress")).toHaveLength(1);
    await eventually(() => second.charged.length === 1);
    expect(first.charged).toEqual([]);
  });

  test("lets what has begun to speak finish", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Nearly");
    await until(await rig.follow(id), isDelta);
    const closed = rig.close(20_000);
    call.say(" there").finish();
    await closed;
    expect(text((await rig.get(id))!)).toBe("Nearly there");
    expect(rig.charged).toHaveLength(1);
  });

  test.each(["ends well", "fails"])("counts what %s meanwhile once, and does not call it interrupted", async (how) => {
    const rig = await start();
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Nearly");
    await until(await rig.follow(id), isDelta);
    const closed = rig.close(20_000);
    if (how === "fails") call.fail(new AntiphonError("SERVER_ERROR", "No more."));
    else call.finish();
    await closed;
    expect(rig.charged).toHaveLength(1);
    expect(rig.logs).toEqual([]);
  });

  test("ends what takes too long, with all that it has said", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start().say("Half");
    const batches = await rig.follow(id);
    const seen = await until(batches, isDelta);
    call.say(" and", " more");
    // So that the run has heard it; written is it not yet.
    await new Promise((resolve) => setTimeout(resolve, 10));
    await rig.close(1);
    const response = await rig.get(id);
    expect(response).toMatchObject({ status: "failed", error: { code: "interrupted" } });
    expect(text(response!)).toBe("Half and more");
    expect(call.signal.aborted).toBe(true);
    seen.push(...(await all(batches)));
    expectWhole(seen, response);
    expect(rig.charged).toHaveLength(1);
  });

  test("takes no more runs, and leaves those that come for others", async () => {
    const rig = await start();
    await rig.close();
    const { id } = await rig.submit();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await rig.get(id))?.status).toBe("queued");
    expect(stage.puppet.calls).toHaveLength(0);
  });

  test("leaves nothing at work, whenever it closes", async () => {
    const store = await stage.data.open();
    const rig = await start({ store, limits: { maxBackground: 5 } });
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1) ids.push((await rig.submit()).id);
    const calls = await Promise.all(Array.from({ length: 5 }, () => stage.puppet.next()));
    calls[0]!.start().say("One").finish();
    calls[1]!.start().say("Two");
    calls[2]!.start();
    await rig.close(5);
    const statuses = await Promise.all(ids.map(async (id) => (await rig.get(id))?.status));
    expect(statuses).not.toContain("in_progress");
    const open = statuses.filter((status) => status === "queued").length;
    const claimed: string[] = [];
    for (let run = await claim(store); run; run = await claim(store)) claimed.push(run);
    expect(claimed).toHaveLength(open);
  });
});

const claim = async (store: Store): Promise<string | undefined> =>
  (await store.claimRun({ worker: "next", leaseMs: 60_000 }))?.response.id;

import { AntiphonError, text } from "antiphon";
import { expect, test } from "vitest";
import { all, eventually, expectWhole, isDelta, typesOf, until } from "./support/rig.ts";
import { usage } from "./support/puppet.ts";
import { onEveryStore } from "./support/stores.ts";
import { stageOn } from "./support/stage.ts";

onEveryStore("a background run", (make) => {
  const stage = stageOn(make);
  const { start } = stage;

  test("waits, works and ends, and each is kept before it is shown", async () => {
    const rig = await start();
    const { id, status, created_at } = await rig.submit({ metadata: { a: "b" } });
    expect(status).toBe("queued");
    const call = await stage.puppet.next();
    expect(await rig.get(id)).toMatchObject({ status: "in_progress", output: [] });
    const batches = await rig.follow(id);
    call.start().say("Hello", " you");
    const begun = await until(batches, isDelta);
    expect(typesOf(begun).slice(0, 3)).toEqual(["response.created", "response.queued", "response.in_progress"]);
    call.finish();
    const rest: typeof begun = [];
    for await (const batch of batches) {
      rest.push(...batch);
      if (batch.some(({ type }) => type === "response.completed"))
        expect(await rig.store.getChain(id, "ada", 10)).toHaveLength(1);
    }
    const response = await rig.get(id);
    expect(response).toMatchObject({ id, created_at, status: "completed", background: true, metadata: { a: "b" } });
    expect(text(response!)).toBe("Hello you");
    expectWhole([...begun, ...rest], response);
    expect(await rig.read(id)).toEqual([...begun, ...rest]);
  });

  test("asks the model with all that the request brought, and nothing that is the gateway's own", async () => {
    const rig = await start();
    const first = await rig.submit({ input: "One" });
    (await stage.puppet.next()).start().say("Two").finish();
    await rig.end(first.id);
    await rig.submit({ input: "Three", previous_response_id: first.id, metadata: { a: "b" }, temperature: 0.5 });
    const { request } = await stage.puppet.next();
    expect(request).toMatchObject({ model: "puppet-1", store: false, stream: true, temperature: 0.5 });
    expect(Object.keys(request).filter((key) => /background|previous|metadata|antiphon/.test(key))).toEqual([]);
    expect(JSON.stringify(request.input)).toMatch(/One.*Two.*Three/);
  });

  test("fails with the model's words where that refuses, and where it breaks off keeps what was said", async () => {
    const rig = await start();
    const { id: refused } = await rig.submit();
    (await stage.puppet.next()).fail(new AntiphonError("RATE_LIMIT", "Slow down.", { vendorCode: "rate_limit_exceeded" }), true);
    const events = await rig.read(refused);
    const response = await rig.get(refused);
    expectWhole(events, response);
    expect(response).toMatchObject({
      status: "failed",
      usage: null,
      error: { code: "rate_limit_exceeded", message: "Slow down." },
    });

    const { id: broken } = await rig.submit();
    (await stage.puppet.next()).start().say("Half").fail(new AntiphonError("TRUNCATED", "It broke."));
    expectWhole(await rig.read(broken), await rig.get(broken));
    expect(await rig.get(broken)).toMatchObject({
      status: "failed",
      output: [{ status: "incomplete", content: [{ text: "Half" }] }],
    });
  });

  test("fails, and takes nobody with it, where the model throws in the middle of its answer", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    (await stage.puppet.next()).start().say("Half").fail(new AntiphonError("PROTOCOL", "What is that?"), true);
    expectWhole(await rig.read(id), await rig.get(id));
    expect(await rig.get(id)).toMatchObject({
      status: "failed",
      error: { code: "protocol" },
      output: [{ content: [{ text: "Half" }] }],
    });
  });

  test("waits for its turn where too many are at work, and says so", async () => {
    const rig = await start({ limits: { maxBackground: 2 } });
    const ids = [await rig.submit(), await rig.submit(), await rig.submit()].map(({ id }) => id);
    const calls = [await stage.puppet.next(), await stage.puppet.next()];
    const third = await rig.follow(ids[2]!);
    expect(typesOf((await third.next()).value ?? [])).toEqual(["response.created", "response.queued"]);
    expect((await rig.get(ids[2]!))?.status).toBe("queued");
    expect(stage.puppet.calls).toHaveLength(2);
    calls[0]!.start().finish();
    (await stage.puppet.next()).start().say("Last").finish();
    expect(typesOf(await all(third))[0]).toBe("response.in_progress");
    expect((await rig.get(ids[2]!))?.status).toBe("completed");
  });

  test("adds to its conversation when it completes", async () => {
    const rig = await start();
    await rig.store.createConversation({ id: "conv_1", owner: "ada", created_at: 1, metadata: {} }, []);
    const { id } = await rig.submit({ input: "Hello", conversation: "conv_1" });
    (await stage.puppet.next()).start().say("Hi").finish();
    await rig.end(id);
    const page = await rig.store.listItems("conv_1", "ada", { limit: 10, order: "asc" });
    expect(page?.items.map((item) => "role" in item && item.role)).toEqual(["user", "assistant"]);
  });

  test("goes on from a previous response that is deleted meanwhile as one that failed", async () => {
    const rig = await start({ limits: { maxBackground: 1 } });
    const before = await rig.submit();
    (await stage.puppet.next()).start().finish();
    await rig.end(before.id);
    await rig.submit();
    const busy = await stage.puppet.next();
    const { id } = await rig.submit({ previous_response_id: before.id });
    await rig.store.deleteResponse(before.id, "ada");
    busy.start().finish();
    expect(await rig.end(id)).toMatchObject({ status: "failed", error: { code: "previous_response_not_found" } });
  });

  test("stops when it is deleted, and whoever follows is told that nothing comes", async () => {
    const rig = await start({ leaseMs: 300 });
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start();
    const batches = await rig.follow(id);
    await until(batches, ({ type }) => type === "response.in_progress");
    await rig.store.deleteResponse(id, "ada");
    await expect(all(batches)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(call.signal.aborted).toBe(true);
    await eventually(() => rig.context.live.size === 0);
  });

  test("fails when its log takes no more", async () => {
    const rig = await start({}, { logBytes: 20_000 });
    const { id } = await rig.submit();
    const call = (await stage.puppet.next()).start();
    for (let index = 0; index < 40 && !call.signal.aborted; index += 1) {
      call.say("x".repeat(1_000));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const events = await rig.read(id);
    expectWhole(events, await rig.get(id));
    expect(await rig.get(id)).toMatchObject({ status: "failed", error: { code: "event_log_full" } });
  });

  test("counts what it took for the key that asked, once", async () => {
    const rig = await start();
    const { id } = await rig.submit();
    (await stage.puppet.next()).start().say("Hi").finish();
    await rig.end(id);
    await eventually(() => rig.runs.length === 1);
    expect(rig.charged).toEqual([{ key: "key_ada", took: { usage: usage(10, 5), cost: 0.015 } }]);
    expect(rig.runs).toMatchObject([{ id, status: "completed", background: true, requestId: "req_1" }]);
  });
});

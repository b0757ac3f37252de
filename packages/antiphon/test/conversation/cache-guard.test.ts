import { describe, expect, test } from "vitest";
import { cacheGuard } from "../../src/conversation/cache-guard.ts";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { fromBatches, type Respond } from "../../src/core/respond.ts";
import { assistant, functionTool, user } from "../../src/model/construct.ts";
import type { CreateResponse, InputItem, ResponseEvent } from "../../src/model/index.ts";
import { abortLaw } from "../../src/testing/abort-law.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";

const named = (name: string, description = ""): ReturnType<typeof functionTool> =>
  functionTool(name, description, { type: "object" });

/** A guarded model that answers anything, and what it was sent and told. */
function guarded(key?: string) {
  const model = scripted(Array.from({ length: 50 }, () => "Fine."));
  const guard = cacheGuard(key === undefined ? {} : { key });
  const respond = guard(model);
  const events: ResponseEvent[] = [];
  const ask = async (request: CreateResponse): Promise<ResponseEvent[]> => {
    const from = events.length;
    for await (const event of respond(request)) events.push(event);
    return events.slice(from).filter(({ type }) => type === "antiphon:prefix_changed");
  };
  return { model, guard, ask, events };
}

describe("the request", () => {
  test("is named by the conversation, unless the caller names it", async () => {
    const { ask, model } = guarded("conversation-1");
    await ask({ input: "a" });
    await ask({ input: "a", prompt_cache_key: "mine" });
    expect(model.requests.map(({ prompt_cache_key }) => prompt_cache_key)).toEqual(["conversation-1", "mine"]);
  });

  test("has a key that providers take, and another for another conversation", async () => {
    const long = "x".repeat(100);
    const [one, other] = [guarded(`${long}1`), guarded(`${long}2`)];
    await one.ask({ input: "a" });
    await other.ask({ input: "a" });
    const keys = [one, other].map(({ model }) => model.requests[0]?.prompt_cache_key ?? "");
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key.length).toBeLessThanOrEqual(64);
  });

  test("keeps the order in which tools were first seen", async () => {
    const { ask, model } = guarded();
    const [a, b, c, d] = [named("a"), named("b"), named("c"), named("d")];
    await ask({ input: "x", tools: [b, a] });
    await ask({ input: "x", tools: [a, b, c] });
    await ask({ input: "x", tools: [d, c, a] });
    const orders = model.requests.map(({ tools }) => tools?.map((tool) => ("name" in tool ? tool.name : "")).join(""));
    expect(orders).toEqual(["ba", "bac", "acd"]);
  });

  test("passes as it is where the caller wants no cache", async () => {
    const { ask, model, guard } = guarded("key");
    await ask({ input: [user("a")], instructions: "A" });
    expect(await ask({ input: "Summarise this.", instructions: "B", prompt_cache_key: null })).toEqual([]);
    expect(model.requests[1]?.prompt_cache_key).toBeNull();
    expect(await ask({ input: [user("a"), assistant("Fine."), user("b")], instructions: "A" })).toEqual([]);
    expect(guard.stats().requests).toBe(2);
  });
});

describe("the event", () => {
  const history: InputItem[] = [user("one"), assistant("two")];

  test("does not come while a conversation only grows", async () => {
    const { ask } = guarded();
    const tools = [named("a")];
    expect(await ask({ input: [history[0]!], instructions: "A", tools })).toEqual([]);
    expect(await ask({ input: [...history, user("three")], instructions: "A", tools })).toEqual([]);
    // Equal copies are as good as the same objects.
    expect(
      await ask({ input: structuredClone([...history, user("three"), user("four")]), instructions: "A", tools: [named("a")] }),
    ).toEqual([]);
  });

  test.each<[string, CreateResponse, object]>([
    ["instructions", { instructions: "B" }, { at: 2, path: "instructions" }],
    [
      "a changed tool",
      { tools: [named("a"), named("b", "New.")] },
      { at: 1, path: "tools[1]", reason: 'The tool "b" was changed.' },
    ],
    [
      "a new tool",
      { tools: [named("a"), named("b"), named("c")] },
      { at: 2, path: "tools[2]", reason: 'The tool "c" was added.' },
    ],
    ["a tool that is gone", { tools: [named("a")] }, { at: 1, path: "tools[1]", reason: 'The tool "b" was removed.' }],
    ["the first tool gone", { tools: [named("b")] }, { at: 0, path: "tools[0]", reason: 'The tool "a" was removed.' }],
    ["a changed item", { input: [user("One"), assistant("two"), user("3")] }, { at: 3, path: "input[0]" }],
    ["a later item", { input: [history[0]!, assistant("2"), user("3")] }, { at: 4, path: "input[1]" }],
    [
      "missing items",
      { input: [history[0]!] },
      { at: 4, path: "input[1]", reason: "Items of the previous request are missing." },
    ],
  ])("names what differs first: %s", async (_, change, expected) => {
    const { ask, guard } = guarded();
    const request: CreateResponse = { instructions: "A", tools: [named("a"), named("b")], input: history };
    await ask(request);
    expect(await ask({ ...request, ...change })).toMatchObject([expected]);
    expect(guard.stats()).toMatchObject({ changes: 1, lastChange: expected });
  });

  test("compares only what is sent again where the provider has the rest", async () => {
    const { ask } = guarded();
    await ask({ instructions: "A", input: history });
    expect(await ask({ instructions: "A", input: [user("new")], previous_response_id: "r" })).toEqual([]);
    expect(await ask({ instructions: "B", input: [user("newer")], previous_response_id: "r" })).toMatchObject([
      { path: "instructions" },
    ]);
    expect(await ask({ instructions: "B", input: history })).toEqual([]);
  });

  test("forgets a request that was refused", async () => {
    const model = scripted(["Fine.", new AntiphonError("BAD_REQUEST", "No."), "Fine."]);
    const guard = cacheGuard();
    const respond = guard(model);
    await collect(respond({ input: history, instructions: "A" }));
    await collect(respond({ input: history, instructions: "B" })).catch(() => {});
    await collect(respond({ input: history, instructions: "A" }));
    expect(guard.stats().changes).toBe(1);
  });

  test("leaves the stream lawful, and the provider is left when its reader leaves", async () => {
    const { ask, events } = guarded();
    await ask({ input: [user("a")] });
    events.length = 0;
    await ask({ input: [user("b")] });
    expect(events[0]?.type).toBe("antiphon:prefix_changed");
    expect(lifecycleLaw(events)).toBeUndefined();
    expect(foldLaw(events)).toBeUndefined();
    const finding = await abortLaw(
      () => {
        let open = true;
        const watched: Respond = (request, call) =>
          fromBatches(async function* () {
            call?.signal?.addEventListener("abort", () => (open = false));
            try {
              for await (const event of offline()(request, call)) yield [event];
            } finally {
              open = false;
            }
          });
        return { respond: cacheGuard({ key: "k" })(watched), closed: () => !open };
      },
      { input: "[[say:one two three]]" },
      [1, 2, 5],
    );
    expect(finding).toBeUndefined();
  });
});

describe("losses", () => {
  /** A wire that has no cache keys. */
  const keyless = (losses: object[]): Respond => {
    const inner = offline();
    return (request, options) =>
      fromBatches(async function* () {
        yield [{ type: "antiphon:loss", sequence_number: 0, losses }];
        for await (const event of inner(request, options)) yield [event];
      });
  };
  const key = { path: "prompt_cache_key", reason: "None here." };
  const seed = { path: "seed", reason: "None here." };
  const lossesOf = async (respond: Respond, request: CreateResponse): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const event of respond(request)) if (event.type === "antiphon:loss") found.push(...(event["losses"] as unknown[]));
    return found;
  };

  test("of a key that the caller did not give are not the caller's business", async () => {
    expect(await lossesOf(cacheGuard({ key: "k" })(keyless([key])), { input: "a" })).toEqual([]);
    expect(await lossesOf(cacheGuard({ key: "k" })(keyless([key, seed])), { input: "a" })).toEqual([seed]);
    expect(await lossesOf(cacheGuard({ key: "k" })(keyless([key])), { input: "a", prompt_cache_key: "mine" })).toEqual([key]);
  });
});

describe("stats", () => {
  test("tell what part of the input came from the cache", async () => {
    const guard = cacheGuard();
    const usage = (input_tokens: number, cached_tokens: number) => ({
      input_tokens,
      output_tokens: 1,
      total_tokens: input_tokens + 1,
      input_tokens_details: { cached_tokens },
      output_tokens_details: { reasoning_tokens: 0 },
    });
    const plain = await collect(offline()({ input: "a" }));
    const respond = guard(
      scripted([
        { ...plain, usage: usage(100, 0) },
        { ...plain, usage: usage(300, 200) },
      ]),
    );
    expect(guard.stats().hitShare).toBe(0);
    await collect(respond({ input: [user("a")] }));
    await collect(respond({ input: [user("a"), user("b")] }));
    expect(guard.stats()).toEqual({ requests: 2, inputTokens: 400, cachedTokens: 200, hitShare: 0.5, changes: 0 });
  });

  test("cost no more for a long past than for a short one: each item is looked at once", async () => {
    const { ask } = guarded();
    let read = 0;
    const counted = (text: string): InputItem =>
      Object.defineProperty(user(text), "content", { enumerable: true, get: () => ((read += 1), text) });
    const items = [counted("first")];
    for (let turn = 0; turn < 20; turn += 1) {
      items.push(counted(`turn ${turn}`));
      await ask({ input: [...items] });
    }
    // The scripted model's copy of the request reads each item too, once for each time that it is sent.
    const copied = Array.from({ length: 20 }, (_, turn) => turn + 2).reduce((sum, count) => sum + count, 0);
    expect(read - copied).toBe(21);
  });
});

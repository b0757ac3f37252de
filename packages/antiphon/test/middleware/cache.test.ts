import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { fromBatches, type Respond } from "../../src/core/respond.ts";
import { text } from "../../src/core/views.ts";
import { cache } from "../../src/middleware/cache.ts";
import { memoryCache, type CacheStore } from "../../src/middleware/memory-cache.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { clock, eventsOf, held, ofType, settled, watched } from "./models.ts";

describe("an answer that was given before", () => {
  test("is given again without asking, as a lawful stream that says so", async () => {
    const model = watched(offline());
    const respond = cache()(model.respond);
    const first = await collect(respond({ input: "What is 6 * 7?" }));
    const events = await eventsOf(respond({ input: "What is 6 * 7?" }));
    expect(model.opened).toBe(1);
    expect(ofType(events, "antiphon:cached")).toMatchObject([{ shared: false }]);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ response: first });
  });

  test("is found whatever the order of keys, and whatever only concerns how it is sent", async () => {
    const model = watched(offline());
    const respond = cache()(model.respond);
    await collect(respond({ input: "Hi", temperature: 0, text: { format: { type: "text" }, verbosity: "low" } }));
    await collect(
      respond({ text: { verbosity: "low", format: { type: "text" } }, temperature: 0, input: "Hi", stream: true, top_p: null }),
    );
    expect(model.opened).toBe(1);
  });

  test("is not found where anything that matters differs", async () => {
    const model = watched(offline());
    const respond = cache()(model.respond);
    const requests: CreateResponse[] = [{ input: "Hi" }, { input: "Hi", model: "b" }, { input: "Hi", seed: 1 }, { input: "hi" }];
    for (const request of requests) await collect(respond(request));
    await collect(respond({ input: "Hi" }, { headers: { authorization: "another account" } }));
    expect(model.opened).toBe(5);
  });

  test("expires", async () => {
    const time = clock();
    const model = watched(offline());
    const respond = cache({ store: memoryCache({ now: time.now }), scope: "test", ttl: 1_000 })(model.respond);
    await collect(respond({ input: "Hi" }));
    await time.pass(999);
    await collect(respond({ input: "Hi" }));
    await time.pass(1);
    await collect(respond({ input: "Hi" }));
    expect(model.opened).toBe(2);
  });

  test("can be asked for anew, and the new one is kept", async () => {
    let fresh = false;
    const model = scripted(["old", "new"]);
    const respond = cache({ refresh: () => fresh })(model);
    const ask = async (): Promise<string> => text(await collect(respond({ input: "Hi" })));
    expect(await ask()).toBe("old");
    fresh = true;
    expect(await ask()).toBe("new");
    fresh = false;
    expect(await ask()).toBe("new");
  });

  test("tells again what could not be said on the wire", async () => {
    const lossy: Respond = (request, call) => ({
      async *[Symbol.asyncIterator]() {
        yield { type: "antiphon:loss", sequence_number: 0, losses: [{ path: "seed", reason: "no such field" }] };
        yield* offline()(request, call);
      },
    });
    const respond = cache()(lossy);
    await collect(respond({ input: "Hi" }));
    expect(ofType(await eventsOf(respond({ input: "Hi" })), "antiphon:loss")).toHaveLength(1);
  });
});

describe("what is not kept", () => {
  test("are answers that did not complete, and errors", async () => {
    for (const input of ["[[stop]]", "[[fail:server_error]]", "[[truncate]]", "[[error:server_error]]"]) {
      const model = watched(offline());
      const respond = cache()(model.respond);
      await collect(respond({ input })).catch(() => {});
      await collect(respond({ input })).catch(() => {});
      expect([input, model.opened]).toEqual([input, 2]);
    }
  });

  test("are answers that live on the server, unless the caller says so", async () => {
    const tied: CreateResponse[] = [
      { store: true },
      { background: true },
      { previous_response_id: "resp_1" },
      { conversation: "conv_1" },
    ];
    for (const fields of tied) {
      const model = scripted(["one", "two"]);
      const respond = cache()(model);
      await collect(respond({ input: "Hi", ...fields }));
      await collect(respond({ input: "Hi", ...fields }));
      expect(model.requests).toHaveLength(2);
    }
    const model = scripted(["one", "two"]);
    const respond = cache({ when: () => true })(model);
    await collect(respond({ input: "Hi", store: true }));
    expect(text(await collect(respond({ input: "Hi", store: true })))).toBe("one");
  });

  test("is the answer of another model behind the same store", async () => {
    const store = memoryCache();
    const a = cache({ store, scope: "a" })(scripted(["from a"]));
    const b = cache({ store, scope: "b" })(scripted(["from b"]));
    expect([text(await collect(a({ input: "Hi" }))), text(await collect(b({ input: "Hi" })))]).toEqual(["from a", "from b"]);
  });
});

describe("equal requests at the same time", () => {
  test("share one call, and each reads all of it", async () => {
    const gate = held(offline());
    const model = watched(gate.respond);
    const respond = cache()(model.respond);
    const streams = Promise.all([1, 2, 3].map(() => eventsOf(respond({ input: "[[long:40]]" }))));
    await gate.reached();
    gate.release();
    const [first, ...others] = await streams;
    expect(model).toMatchObject({ opened: 1, closed: 1 });
    expect(lifecycleLaw(first!) ?? foldLaw(first!)).toBeUndefined();
    for (const other of others) {
      expect(ofType(other, "antiphon:cached")).toMatchObject([{ shared: true }]);
      expect(other.slice(1)).toEqual(first);
    }
  });

  test("can be left and stopped one by one, and the last to go closes the call", async () => {
    const model = watched(offline({ delay: 2 }));
    const respond = cache()(model.respond);
    const controller = new AbortController();
    const stopped = eventsOf(respond({ input: "[[long:400]]" }, { signal: controller.signal }));
    const left = respond({ input: "[[long:400]]" })[Symbol.asyncIterator]();
    for (let count = 0; count < 9; count += 1) await left.next();
    controller.abort();
    const events = await stopped;
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "cancelled" } },
    });
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expect(model.closed).toBe(0);
    expect(await left.next()).toMatchObject({ done: false });
    await left.return!();
    expect(model.closed).toBe(1);
    await collect(respond({ input: "[[long:4]]" }));
  });

  test("share an error too, and it is thrown to each", async () => {
    const gate = held(scripted([new AntiphonError("SERVER_ERROR", "No."), "fine"]));
    const respond = cache()(gate.respond);
    const both = Promise.allSettled([collect(respond({ input: "Hi" })), collect(respond({ input: "Hi" }))]);
    await gate.reached();
    gate.release();
    expect(await both).toMatchObject([{ reason: { code: "SERVER_ERROR" } }, { reason: { code: "SERVER_ERROR" } }]);
    const again = collect(respond({ input: "Hi" }));
    await gate.reached();
    gate.release();
    expect(text(await again)).toBe("fine");
  });

  test("do not find a failed call again, even if another reader never went on", async () => {
    const broken: Respond = (request) =>
      fromBatches(async function* () {
        yield (await eventsOf(scripted(["Hi"])(request))).slice(0, 1);
        throw new AntiphonError("SERVER_ERROR", "Down.");
      });
    let asked = 0;
    const respond = cache()((request, call) => ((asked += 1) === 1 ? broken : scripted(["Hello"]))(request, call));
    const [first, second] = [respond({ input: "Hi" }), respond({ input: "Hi" })].map((stream) => stream[Symbol.asyncIterator]());
    await first!.next();
    await second!.next();
    await expect(first!.next()).rejects.toThrow("Down.");
    expect(text(await collect(respond({ input: "Hi" })))).toBe("Hello");
  });

  test("do not find a finished call again, even if its reader never went on", async () => {
    const time = clock();
    const model = scripted(["one", "two"]);
    const respond = cache({ store: memoryCache({ now: time.now }), scope: "", ttl: 10 })(model);
    const batches = respond({ input: "Hi" }).batches!();
    for (let next = await batches.next(); next.value?.at(-1)?.type !== "response.completed"; next = await batches.next());
    await time.pass(10);
    expect(text(await collect(respond({ input: "Hi" })))).toBe("two");
  });

  test("a caller whose signal has fired gets an error, not an answer", async () => {
    const respond = cache()(offline());
    await expect(collect(respond({ input: "Hi" }, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("a store", () => {
  test("in memory keeps within its bytes, and drops first what was not used for longest", async () => {
    const store = memoryCache({ maxBytes: 60 });
    const has = (key: string): boolean => store.get(key) !== undefined;
    await store.set("a", "123456789", 0);
    await store.set("b", "123456789", 0);
    await store.set("c", "123456789", 0);
    expect([has("a"), has("b"), has("c")]).toEqual([true, true, true]);
    await store.get("a");
    await store.set("d", "123456789", 0);
    expect([has("b"), has("a"), has("c"), has("d")]).toEqual([false, true, true, true]);
    await store.set("e", "x".repeat(100), 0);
    expect([has("e"), has("a")]).toEqual([false, true]);
  });

  test("that fails costs a call, never an answer", async () => {
    const broken: CacheStore = {
      get: () => Promise.reject(new Error("The disk is gone.")),
      set: () => Promise.reject(new Error("The disk is full.")),
    };
    const events = await eventsOf(cache({ store: broken, scope: "" })(offline())({ input: "Hi" }));
    expect(ofType(events, "antiphon:cache_failed")).toMatchObject([
      { operation: "get", message: "The disk is gone." },
      { operation: "set", message: "The disk is full." },
    ]);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("that never answers is not waited for when the caller stops", async () => {
    const controller = new AbortController();
    const store: CacheStore = { get: () => new Promise(() => {}), set: () => {} };
    const answer = collect(cache({ store, scope: "" })(offline())({ input: "Hi" }, { signal: controller.signal }));
    await settled();
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("takes keys of the caller's making", async () => {
    const keys: string[] = [];
    const inner = memoryCache();
    const store: CacheStore = { get: (key) => (keys.push(key), inner.get(key)), set: inner.set };
    const model = watched(offline());
    const respond = cache({ store, scope: "s", key: ({ user }) => user ?? "nobody" })(model.respond);
    await collect(respond({ input: "Hi", user: "ann" }));
    await collect(respond({ input: "Ho", user: "ann" }));
    expect([keys, model.opened]).toEqual([["s:ann", "s:ann"], 1]);
  });
});

test("a stream that ends without an answer is not kept and does not hang", async () => {
  const silent: Respond = () => fromBatches(() => ({ next: () => Promise.resolve({ done: true, value: undefined }) }));
  await expect(collect(cache()(silent)({ input: "Hi" }))).rejects.toMatchObject({ code: "TRUNCATED" });
});

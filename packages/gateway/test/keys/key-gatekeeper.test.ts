import { AntiphonError } from "antiphon";
import { describe, expect, test } from "vitest";
import { KeyGatekeeper, type KeyChecks } from "../../src/keys/key-gatekeeper.ts";
import { newKey, type KeyOptions } from "../../src/keys/new-key.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { bearer, Clock, headers, keyIn, usageOf } from "./support.ts";

/** A store that counts how often it is asked for a key. */
function counting(store: Store): Store & { asked: number } {
  const counted = {
    ...store,
    asked: 0,
    findKey: (hash: string) => {
      counted.asked += 1;
      return store.findKey(hash);
    },
  };
  return counted;
}

async function setUp(options: Partial<KeyOptions> = {}, checks: KeyChecks = {}) {
  const clock = new Clock();
  const store = counting(memoryStore());
  const made = await keyIn(store, clock, options);
  const gatekeeper = new KeyGatekeeper(store, { now: clock.now, ...checks });
  const enter = () => gatekeeper.authenticate(bearer(made.secret));
  const ask = async (model = "m") => gatekeeper.admit(await enter(), model);
  return { clock, store, gatekeeper, enter, ask, ...made };
}

const refusal = (code: string, status: number, more: object = {}): object =>
  expect.objectContaining({ code, status, message: expect.not.stringMatching(/ak-\w/), ...more });

describe("authentication", () => {
  test("says whose key it is", async () => {
    const { enter, key } = await setUp({ owner: "ada" });
    expect(await enter()).toEqual({ owner: "ada", key: key.id });
  });

  test("refuses no key, two keys, unknown keys and what is no key", async () => {
    const { gatekeeper, secret } = await setUp();
    const other = newKey({ name: "other" }).secret;
    const refused = refusal("AUTH_ERROR", 401, { vendorCode: "invalid_api_key" });
    for (const fields of [
      {},
      { authorization: secret },
      { authorization: `Bearer ${other}` },
      { authorization: `Bearer ${secret}`, "x-api-key": other },
      { "api-key": `${secret}, ${secret}` },
      { "x-api-key": "sk-something" },
      { "x-api-key": "ak-".padEnd(10_000, "x") },
    ] as Record<string, string>[])
      await expect(gatekeeper.authenticate(headers(fields))).rejects.toEqual(refused);
  });

  test("asks the store once in a while, and once for many at the same time", async () => {
    const { enter, store, clock } = await setUp({}, { trust: 5_000 });
    await Promise.all(Array.from({ length: 50 }, enter));
    expect(store.asked).toBe(1);
    clock.pass(4_999);
    await enter();
    expect(store.asked).toBe(1);
    clock.pass(1);
    await enter();
    expect(store.asked).toBe(2);
  });

  test("asks the store once in a while about a key that it does not know, and never about what is no key", async () => {
    const { gatekeeper, store, clock, secret } = await setUp({}, { trust: 5_000 });
    const { secret: other, key } = newKey({ name: "later" });
    for (let count = 0; count < 5; count += 1)
      await expect(gatekeeper.authenticate(bearer(other))).rejects.toThrow("does not know the key");
    await expect(gatekeeper.authenticate(bearer(`${secret.slice(0, -1)}!`))).rejects.toThrow("does not know the key");
    await expect(gatekeeper.authenticate(bearer(`ak-${"x".repeat(49)}`))).rejects.toThrow("does not know the key");
    expect(store.asked).toBe(1);
    await store.createKey(key);
    clock.pass(5_000);
    expect((await gatekeeper.authenticate(bearer(other))).key).toBe(key.id);
  });

  test("keeps out a revoked key within the time of trust, at the door and behind it", async () => {
    const { enter, gatekeeper, store, key, clock } = await setUp({}, { trust: 5_000 });
    const caller = await enter();
    await store.revokeKey(key.id);
    clock.pass(4_999);
    await gatekeeper.admit(caller, "m");
    clock.pass(1);
    const refused = refusal("AUTH_ERROR", 401, {
      message: "The key was revoked. Ask the operator of this gateway for a new one.",
    });
    await expect(gatekeeper.admit(caller, "m")).rejects.toEqual(refused);
    await expect(enter()).rejects.toEqual(refused);
  });

  test("keeps it out no later when the clock is set back", async () => {
    const { enter, store, key, clock } = await setUp({}, { trust: 5_000 });
    await enter();
    await store.revokeKey(key.id);
    clock.pass(-3_600_000);
    await expect(enter()).rejects.toThrow("revoked");
  });

  test("counts the time of trust from the question, not from a late answer", async () => {
    const { clock, store, secret, key } = await setUp();
    let answer = (): void => {};
    const slow: Store = {
      ...store,
      findKey: async (hash) => {
        const found = await store.findKey(hash);
        await new Promise<void>((resolve) => (answer = resolve));
        return found;
      },
    };
    const gatekeeper = new KeyGatekeeper(slow, { now: clock.now, trust: 5_000 });
    const entering = gatekeeper.authenticate(bearer(secret));
    await new Promise(setImmediate);
    await store.revokeKey(key.id);
    clock.pass(5_000);
    answer();
    await entering;
    const again = gatekeeper.authenticate(bearer(secret));
    await new Promise(setImmediate);
    answer();
    await expect(again).rejects.toThrow("revoked");
  });

  test("keeps out an expired key from that very moment", async () => {
    const { enter, clock, key } = await setUp({ expiresAt: new Clock().time + 2_000 });
    const caller = await enter();
    clock.pass(1_999);
    expect(await enter()).toBe(caller);
    clock.pass(1);
    await expect(enter()).rejects.toEqual(
      refusal("AUTH_ERROR", 401, { message: "The key has expired. Ask the operator of this gateway for a new one." }),
    );
    expect(key.expires_at).toBe(clock.time);
  });

  test("lets nobody in while the store fails, and goes on when it does not", async () => {
    const { store, clock, secret } = await setUp();
    let broken = false;
    const failing: Store = {
      ...store,
      findKey: async (hash) => {
        if (broken) throw new AntiphonError("SERVER_ERROR", "The store failed.");
        return store.findKey(hash);
      },
    };
    const gatekeeper = new KeyGatekeeper(failing, { now: clock.now, trust: 5_000 });
    await gatekeeper.authenticate(bearer(secret));
    broken = true;
    clock.pass(5_000);
    await expect(gatekeeper.authenticate(bearer(secret))).rejects.toThrow("The store failed.");
    broken = false;
    expect(await gatekeeper.authenticate(bearer(secret))).toBeDefined();
  });
});

describe("admission", () => {
  test("is for the models of the key", async () => {
    const { ask, gatekeeper, enter } = await setUp({ models: ["gpt-*", "offline"] });
    await ask("gpt-5");
    await ask("offline");
    await expect(ask("claude")).rejects.toEqual(refusal("PERMISSION", 403, { param: "model" }));
    const caller = await enter();
    expect(["gpt-5", "claude"].map((model) => gatekeeper.allows(caller, model))).toEqual([true, false]);
  });

  test("is for callers that came through the door, not for copies of them", async () => {
    const { gatekeeper, enter } = await setUp();
    const copy = { ...(await enter()) };
    await expect(gatekeeper.admit(copy, "m")).rejects.toEqual(refusal("AUTH_ERROR", 401));
    expect(() => gatekeeper.allows({ owner: "local", key: undefined }, "m")).toThrow(AntiphonError);
  });

  test("is bounded in requests per minute, and says when to come back", async () => {
    const { ask, clock } = await setUp({ requestsPerMinute: 2 });
    expect((await ask()).headers).toMatchObject({ "x-ratelimit-remaining-requests": "1" });
    await ask();
    const refused = refusal("RATE_LIMIT", 429, { retryAfter: 30_000, vendorCode: "rate_limit_exceeded" });
    await expect(ask()).rejects.toEqual(refused);
    clock.pass(30_000);
    await ask();
    await expect(ask()).rejects.toEqual(refused);
  });

  test("counts no request that it refuses", async () => {
    const { ask, clock } = await setUp({ requestsPerMinute: 1, models: ["m"] });
    await expect(ask("other")).rejects.toThrow("does not allow the model");
    await ask();
    for (let count = 0; count < 10; count += 1) await expect(ask()).rejects.toMatchObject({ code: "RATE_LIMIT" });
    clock.pass(60_000);
    await ask();
  });

  test("is bounded in tokens per minute, counted when they are spent", async () => {
    const { ask, clock } = await setUp({ tokensPerMinute: 1_000 });
    const first = await ask();
    expect(first.headers).toMatchObject({ "x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "1000" });
    first.settle({ usage: usageOf(1_500), cost: undefined });
    await expect(ask()).rejects.toEqual(
      refusal("TOKEN_RATE_LIMIT", 429, { retryAfter: 30_060, vendorCode: "rate_limit_exceeded" }),
    );
    clock.pass(30_060);
    expect((await ask()).headers).toMatchObject({ "x-ratelimit-remaining-tokens": "1" });
  });

  test("settles once, and takes no nonsense for an amount", async () => {
    const { ask, gatekeeper, store, key } = await setUp({ tokensPerMinute: 10, budget: 10 });
    const admission = await ask();
    admission.settle({ usage: usageOf(4), cost: 1 });
    admission.settle({ usage: usageOf(4), cost: 1 });
    for (const amount of [NaN, Infinity, -5]) (await ask()).settle({ usage: usageOf(amount), cost: amount });
    (await ask()).settle({ usage: null, cost: undefined });
    expect((await ask()).headers).toMatchObject({ "x-ratelimit-remaining-tokens": "6" });
    await gatekeeper.flush();
    expect((await store.findKey(key.hash))?.spent).toBe(1);
  });

  test("counts what a run took that was let in elsewhere, whether the key is in use here or not", async () => {
    const { ask, gatekeeper, store, key, clock } = await setUp({ tokensPerMinute: 10, budget: 3 });
    const other = await keyIn(store, clock);
    await ask();
    gatekeeper.charge(key.id, { usage: usageOf(4), cost: 1 });
    gatekeeper.charge(other.key.id, { usage: usageOf(4), cost: 2 });
    gatekeeper.charge("key_gone", { usage: null, cost: 1 });
    expect((await ask()).headers).toMatchObject({ "x-ratelimit-remaining-tokens": "6" });
    await gatekeeper.flush();
    expect(new Set((await store.listKeys()).map(({ spent }) => spent))).toEqual(new Set([1, 2]));
    gatekeeper.charge(key.id, { usage: null, cost: 2 });
    await expect(ask()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  test("has no headers where the key has no limits", async () => {
    expect((await (await setUp()).ask()).headers).toBeUndefined();
  });

  test("counts two keys apart", async () => {
    const { ask, gatekeeper, store, clock } = await setUp({ requestsPerMinute: 1 });
    const { secret } = await keyIn(store, clock, { requestsPerMinute: 1 });
    await ask();
    await gatekeeper.admit(await gatekeeper.authenticate(bearer(secret)), "m");
    await expect(ask()).rejects.toMatchObject({ code: "RATE_LIMIT" });
  });
});

import { AntiphonError } from "antiphon";
import { describe, expect, test } from "vitest";
import { hashOf, isKeyLike, isWhole, newKey, type KeyOptions } from "../../src/keys/new-key.ts";
import { memoryStore } from "../../src/store/memory.ts";

describe("a new key", () => {
  test("can be told from any other text, and is never the same", () => {
    const secrets = Array.from({ length: 200 }, () => newKey({ name: "a" }).secret);
    expect(secrets.every((secret) => /^ak-[\w-]{49}$/.test(secret) && isKeyLike(secret) && isWhole(secret))).toBe(true);
    expect(new Set(secrets).size).toBe(200);
  });

  test("is kept as a hash alone", async () => {
    const store = memoryStore();
    const { secret, key } = newKey({ name: "a" });
    await store.createKey(key);
    expect(JSON.stringify(await store.listKeys())).not.toContain(secret.slice(3, 20));
    expect(await store.findKey(hashOf(secret))).toEqual(key);
  });

  test("owns what it makes alone, unless an owner is named", () => {
    const alone = newKey({ name: "a" }).key;
    expect(alone.owner).toBe(alone.id);
    expect(newKey({ name: "a", owner: "team" }).key.owner).toBe("team");
  });

  test("is seen to be incomplete when a character is missing, added or changed", () => {
    const { secret } = newKey({ name: "a" });
    const other = secret[20] === "A" ? "B" : "A";
    expect(isKeyLike(secret.slice(0, -1))).toBe(false);
    expect(isKeyLike(`${secret}x`)).toBe(false);
    expect(isWhole(`${secret.slice(0, 20)}${other}${secret.slice(21)}`)).toBe(false);
  });

  test.each<[string, Partial<KeyOptions>]>([
    ["name", { name: " " }],
    ["name", { name: "a".repeat(101) }],
    ["models", { models: ["gpt-5", ""] }],
    ["requestsPerMinute", { requestsPerMinute: 0 }],
    ["requestsPerMinute", { requestsPerMinute: 1.5 }],
    ["tokensPerMinute", { tokensPerMinute: NaN }],
    ["budget", { budget: -1 }],
    ["budget", { budget: Infinity }],
    ["expiresAt", { expiresAt: 5 }],
  ])("refuses a bad %s: %j", (param, options) => {
    const making = (): unknown => newKey({ name: "a", ...options }, 10);
    expect(making).toThrow(AntiphonError);
    expect(making).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param }));
  });
});

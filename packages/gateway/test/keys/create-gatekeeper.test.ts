import { describe, expect, test } from "vitest";
import { createGatekeeper, hasKeys } from "../../src/keys/create-gatekeeper.ts";
import { openGatekeeper } from "../../src/keys/open-gatekeeper.ts";
import { bindingOf } from "../../src/keys/binding.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { cors } from "../../src/security/cors.ts";
import { bearer, Clock, headers, keyIn } from "./support.ts";

describe("a gateway without keys", () => {
  test("lets in everybody as the local user, whatever they send for a key", async () => {
    const gatekeeper = openGatekeeper();
    const caller = await gatekeeper.authenticate(bearer("sk-anything"));
    expect(caller).toEqual({ owner: "local", key: undefined });
    expect(gatekeeper.allows(caller, "any")).toBe(true);
    const admission = await gatekeeper.admit(caller, "any");
    admission.settle({ usage: null, cost: 1 });
    expect(admission.headers).toBeUndefined();
  });

  test.each(["localhost", "LOCALHOST:8787", "127.0.0.1:8787", "127.9.9.9", "[::1]:8787", "app.localhost:80"])(
    "answers to %s",
    async (host) => {
      expect(await openGatekeeper().authenticate(headers({ host }))).toMatchObject({ owner: "local" });
    },
  );

  test.each([
    "evil.example",
    "evil.example:8787",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "10.0.0.1",
    "[fe80::1]:80",
    "",
  ])("does not answer to %j, which a page may have pointed at this machine", async (host) => {
    await expect(openGatekeeper().authenticate(headers({ host }))).rejects.toMatchObject({ code: "PERMISSION", status: 403 });
  });

  test("answers to other names that are configured", async () => {
    const named = openGatekeeper({ hosts: ["Host.Docker.internal"] });
    await named.authenticate(headers({ host: "host.docker.internal:8787" }));
    await expect(named.authenticate(headers({ host: "other.internal" }))).rejects.toThrow("local host names");
    await openGatekeeper({ hosts: ["*"] }).authenticate(headers({ host: "anything.example" }));
  });

  test("is not for the pages of others, unless they are configured", async () => {
    const page = (origin: string) => headers({ host: "localhost:8787", origin });
    const gatekeeper = openGatekeeper({ allowsOrigin: cors({ origins: ["https://app.example"] }).allows });
    for (const origin of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:5173", "https://app.example"])
      await gatekeeper.authenticate(page(origin));
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost@evil.example"])
      await expect(gatekeeper.authenticate(page(origin))).rejects.toMatchObject({ code: "PERMISSION", status: 403 });
  });
});

describe("the first key", () => {
  test("shuts the door of a gateway that runs, for good", async () => {
    const clock = new Clock();
    const store = memoryStore();
    const gatekeeper = await createGatekeeper(store, { now: clock.now, trust: 5_000 });
    expect(gatekeeper.needsKey).toBe(false);
    const local = await gatekeeper.authenticate(headers({}));
    await gatekeeper.admit(local, "m");
    const { secret, key } = await keyIn(store, clock);
    clock.pass(5_000);
    await expect(gatekeeper.authenticate(headers({}))).rejects.toMatchObject({ code: "AUTH_ERROR" });
    expect(gatekeeper.needsKey).toBe(true);
    await expect(gatekeeper.admit(local, "m")).rejects.toMatchObject({ code: "AUTH_ERROR" });
    const caller = await gatekeeper.authenticate(bearer(secret));
    expect(gatekeeper.allows(caller, "m")).toBe(true);
    await store.revokeKey(key.id);
    clock.pass(5_000);
    await expect(gatekeeper.authenticate(headers({}))).rejects.toMatchObject({ code: "AUTH_ERROR" });
    expect(await hasKeys(store)).toBe(true);
  });

  test("is looked for once in a while, not with every request", async () => {
    const clock = new Clock();
    const store = memoryStore();
    let looks = 0;
    const counted = { ...store, listKeys: () => ((looks += 1), store.listKeys()) };
    const gatekeeper = await createGatekeeper(counted, { now: clock.now, trust: 5_000 });
    for (let count = 0; count < 100; count += 1) await gatekeeper.authenticate(headers({}));
    expect(looks).toBe(1);
    clock.pass(5_000);
    await Promise.all(Array.from({ length: 100 }, () => gatekeeper.authenticate(headers({}))));
    expect(looks).toBe(2);
  });
});

describe("where a gateway listens", () => {
  test.each([undefined, "127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])("without keys on %s, and says so", (host) => {
    const binding = bindingOf({ host, hasKeys: false });
    expect(binding).toEqual({ host: host ?? "127.0.0.1", note: expect.stringContaining("No keys exist") });
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "gateway.example", "", "127.1"])("without keys not on %j", (host) => {
    expect(() => bindingOf({ host, hasKeys: false })).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringContaining("antiphon keys create") }),
    );
  });

  test("anywhere with keys, or where that was asked for in so many words", () => {
    expect(bindingOf({ host: "0.0.0.0", hasKeys: true })).toEqual({ host: "0.0.0.0", note: undefined });
    expect(bindingOf({ host: "::", hasKeys: false, allowOpen: true })).toEqual({
      host: "::",
      note: expect.stringContaining("anyone who can reach"),
    });
  });
});

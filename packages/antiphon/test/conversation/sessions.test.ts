import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import type { LogRecord, SessionStore } from "../../src/conversation/log-records.ts";
import { fileSessions } from "../../src/node/file-sessions.ts";
import { testSessionStore } from "../../src/testing/session-store-suite.ts";

describe("memorySessions", () => {
  for (const { name, check } of testSessionStore(() => ({ store: memorySessions() })))
    test(name, async () => expect(await check()).toBeUndefined());
});

describe("fileSessions", () => {
  const create = async () => {
    const directory = await mkdtemp(join(tmpdir(), "antiphon-sessions-"));
    return {
      store: fileSessions(join(directory, "new", "folder")),
      reopen: () => fileSessions(join(directory, "new", "folder")),
      close: () => rm(directory, { recursive: true }),
    };
  };
  for (const { name, check } of testSessionStore(create)) test(name, async () => expect(await check()).toBeUndefined());
});

describe("testSessionStore", () => {
  /** What the suite finds wrong with a store that is spoilt in one way. */
  const findings = async (spoil: (store: SessionStore) => Partial<SessionStore>): Promise<string[]> => {
    const cases = testSessionStore(() => {
      const store = memorySessions();
      return { store: { ...store, ...spoil(store) } };
    });
    const found = await Promise.all(cases.map(async ({ name, check }) => ((await check().catch(String)) ? [name] : [])));
    return found.flat();
  };

  test("finds a store that does not look where an append belongs", async () => {
    const lax = await findings(() => {
      const kept = new Map<string, LogRecord[]>();
      return {
        load: async (id) => (kept.has(id) ? { version: 1, id, records: [...(kept.get(id) ?? [])] } : undefined),
        append: async (id, _, records) => void kept.set(id, [...(kept.get(id) ?? []), ...records]),
      };
    });
    expect(lax).toContain("rejects an append that is not at the end");
    expect(lax).toContain("accepts one of two concurrent writers and rejects the other");
    expect(lax).toContain("accepts exactly one of many concurrent writers at each position");
    expect(lax).toContain("stores the records of one append together");
  });

  test("finds a store that loses, mixes up or hides sessions", async () => {
    expect(await findings((store) => ({ load: (id) => store.load(id.toLowerCase()) }))).toContain(
      "separates sessions, whatever their ids",
    );
    expect(await findings(() => ({ list: async () => [] }))).toContain("deletes a session, and can create it again");
    expect(await findings(() => ({ delete: async () => {} }))).toContain("deletes a session, and can create it again");
  });
});

import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "../../src/store/sqlite/migrations.ts";
import { openDatabase } from "../../src/store/sqlite/open-database.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { testStore } from "./store-suite.ts";
import { completed, conversation, events, message, stored } from "./suite/subject.ts";

testStore("sqliteStore with a file", async (limits) => {
  const folder = await mkdtemp(join(tmpdir(), "antiphon-sqlite-"));
  const open: Store[] = [];
  const again = async (): Promise<Store> => {
    const store = await sqliteStore(join(folder, "store.db"), { limits, pollMs: 20 });
    open.push(store);
    return store;
  };
  const close = async (): Promise<void> => {
    for (const store of open) await store.close();
    await rm(folder, { recursive: true });
  };
  return { store: await again(), again, close };
});

testStore(
  "sqliteStore in memory",
  async (limits) => {
    const store = await sqliteStore(":memory:", { limits });
    return { store, close: () => store.close() };
  },
  { shared: false },
);

describe("sqliteStore", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "antiphon-sqlite-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const pathOf = (name: string): string => join(folder, name);

  test("keeps everything from one opening to the next", async () => {
    const first = await sqliteStore(pathOf("a.db"));
    const kept = stored();
    await first.createResponse(kept, "queued");
    await first.appendEvents(kept.id, events(0, 2));
    await first.close();
    const second = await sqliteStore(pathOf("a.db"));
    expect(await second.getResponse(kept.id, "ada")).toEqual(kept);
    expect(await second.readEvents(kept.id, "ada", -1, 10)).toEqual(events(0, 2));
    expect((await second.claimRun({ worker: "a", leaseMs: 1 }))?.response).toEqual(kept);
    await second.close();
  });

  test("makes a file that only its owner may read, and the folders on the way", async () => {
    const store = await sqliteStore(pathOf("new/folder/a.db"));
    await store.createResponse(stored());
    for (const ending of ["", "-wal", "-shm"]) expect((await stat(pathOf(`new/folder/a.db${ending}`))).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test("takes over what an earlier version kept, with its runs", async () => {
    const database = openDatabase(pathOf("a.db"), "normal", 0);
    migrate(database, pathOf("a.db"), 1);
    const [ended, held] = [stored(), stored({ background: true })];
    const insert = database.prepare(
      `INSERT INTO responses (key, id, owner, background, status, created_at, input, output, request, response)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const [index, { id, owner, background, response, input, request }] of [ended, held].entries()) {
      const texts = [input, response.output, request, { ...response, output: [] }].map((value) => JSON.stringify(value));
      insert.run(index + 1, id, owner, background ? 1 : 0, response.status, 0, ...texts);
    }
    database.prepare("INSERT INTO runs (response_key, worker, due, attempts) VALUES (2, 'gone', 5, 2)").run();
    database.close();
    const store = await sqliteStore(pathOf("a.db"));
    expect(await store.getResponse(ended.id, "ada")).toEqual(ended);
    expect(await store.claimRun({ worker: "a", leaseMs: 60_000 })).toEqual({ response: held, attempt: 3 });
    expect(await store.claimRun({ worker: "a", leaseMs: 60_000 })).toBeUndefined();
    expect(await store.prune(1)).toBe(1);
    expect(await store.getResponse(held.id, "ada")).toEqual(held);
    await store.close();
  });

  test("refuses a file that a newer version made, and says so", async () => {
    await (await sqliteStore(pathOf("a.db"))).close();
    const database = openDatabase(pathOf("a.db"), "normal", 0);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await expect(sqliteStore(pathOf("a.db"))).rejects.toMatchObject({ code: "UNSUPPORTED", vendorCode: "store_too_new" });
  });

  test("leaves another program's database alone", async () => {
    const database = openDatabase(pathOf("a.db"), "normal", 0);
    database.exec("CREATE TABLE theirs (a)");
    database.close();
    await expect(sqliteStore(pathOf("a.db"))).rejects.toMatchObject({ vendorCode: "store_foreign" });
  });

  test("says that a file is no database, or cannot be opened", async () => {
    await writeFile(pathOf("a.db"), "This is no database. ".repeat(1_000));
    await expect(sqliteStore(pathOf("a.db"))).rejects.toMatchObject({ code: "SERVER_ERROR", vendorCode: "store_failed" });
    await expect(sqliteStore(folder)).rejects.toMatchObject({ code: "SERVER_ERROR", vendorCode: "store_failed" });
  });

  test("finishes what was asked for before it closes, and refuses everything after", async () => {
    const store = await sqliteStore(pathOf("a.db"));
    const kept = stored();
    const writing = store.createResponse(kept);
    await store.close();
    await store.close();
    await writing;
    await expect(store.createResponse(stored())).rejects.toMatchObject({ vendorCode: "store_closed" });
    await expect(store.getResponse(kept.id, "ada")).rejects.toMatchObject({ vendorCode: "store_closed" });
    const again = await sqliteStore(pathOf("a.db"));
    expect(await again.getResponse(kept.id, "ada")).toEqual(kept);
    await again.close();
  });

  test("tells all who wrote in the same moment when the database is locked, and goes on after", async () => {
    const store = await sqliteStore(pathOf("a.db"), { busyMs: 10 });
    const other = openDatabase(pathOf("a.db"), "normal", 0);
    other.exec("BEGIN IMMEDIATE");
    const [one, two] = [stored(), stored()];
    const results = await Promise.allSettled([one, two].map((each) => store.createResponse(each, "queued")));
    expect(results.map((result) => result.status === "rejected" && String(result.reason))).toEqual(
      Array.from({ length: 2 }, () => "AntiphonError: The store failed: database is locked"),
    );
    expect(await store.getResponse(one.id, "ada")).toBeUndefined();
    other.exec("ROLLBACK");
    other.close();
    await store.createResponse(one);
    expect(await store.getResponse(one.id, "ada")).toEqual(one);
    await store.close();
  });

  test("undoes the whole moment when the database itself fails in it", async () => {
    const store = await sqliteStore(pathOf("a.db"));
    const kept = stored();
    await store.createResponse(kept);
    const other = openDatabase(pathOf("a.db"), "normal", 0);
    other.exec("CREATE TRIGGER broken BEFORE INSERT ON items BEGIN SELECT raise(FAIL, 'disk on fire'); END");
    other.close();
    const talk = conversation();
    const results = await Promise.allSettled([
      store.updateResponse(kept.id, completed(kept.id)),
      store.createConversation(talk, [message("x")]),
    ]);
    expect(results.map((result) => result.status === "rejected" && result.reason)).toMatchObject(
      Array.from({ length: 2 }, () => ({ code: "SERVER_ERROR", message: "The store failed: disk on fire" })),
    );
    expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
    expect(await store.getConversation(talk.id, "ada")).toBeUndefined();
    await store.close();
  });

  test("ends a lease when its own clock says so", async () => {
    let time = 1_000;
    const store = await sqliteStore(":memory:", { now: () => time });
    await store.createResponse(stored(), { worker: "a", leaseMs: 500 });
    for (const [now, found] of [
      [1_499, false],
      [1_500, true],
    ] as const) {
      time = now;
      expect((await store.claimRun({ worker: "b", leaseMs: 1 })) !== undefined).toBe(found);
    }
    await store.close();
  });
});

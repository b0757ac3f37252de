import { existsSync } from "node:fs";
import { stat, symlink } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { migrate } from "../../../src/store/sqlite/migrations.ts";
import { openDatabase } from "../../../src/store/sqlite/open-database.ts";
import type { Store } from "../../../src/store/store.ts";
import { completed, conversation, events, holder, message, response, stored } from "../suite/subject.ts";
import { aheadOf, inDatabase, leaveBehind, withFiles } from "./crash.ts";

describe("what is written ahead of the database", () => {
  const { path, open } = withFiles();
  // It comes into the database by itself only where a test lets time pass.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("is there after a crash though the database never saw it", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const [begun, ended, plain] = [stored(), stored(), stored({ response: completed("x") })];
    await Promise.all([begun, ended].map((each) => store.createResponse(each, holder("w", 0))));
    await store.updateResponse(ended.id, completed(ended.id), { worker: "w" });
    await store.createResponse(plain);
    expect(inDatabase(file)).toEqual([]);
    leaveBehind(file, copy);
    const again = await open(copy);
    expect(await again.getResponse(begun.id, "ada")).toEqual(begun);
    expect(await again.getResponse(ended.id, "ada")).toEqual({ ...ended, response: completed(ended.id) });
    expect(await again.getResponse(plain.id, "ada")).toEqual(plain);
    expect(await again.claimRun(holder("next"))).toEqual({ response: begun, attempt: 2 });
    expect(await again.claimRun(holder("next"))).toBeUndefined();
    expect(aheadOf(copy)).toBe("");
  });

  test("has the end of a run whose beginning is in the database", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const kept = Array.from({ length: 5 }, () => stored());
    for (const each of kept) await store.createResponse(each, holder("w", 0));
    await store.countWaiting();
    expect(inDatabase(file)).toHaveLength(5);
    const [first, other] = [kept[0]!, kept[1]!];
    const end = completed(first.id);
    expect(await store.updateResponse(first.id, end, { worker: "w" })).toBe(end);
    expect(aheadOf(file)).toContain(first.id);
    leaveBehind(file, copy);
    expect(await (await open(copy)).getResponse(first.id, "ada")).toEqual({ ...first, response: end });
    expect(await store.updateResponse(first.id, completed(first.id, "late"), { worker: "w" })).toEqual(end);
    expect(await store.updateResponse(other.id, completed(other.id), { worker: "lost" })).toEqual(other.response);
    expect((await store.getResponse(first.id, "ada"))?.response).toEqual(end);
  });

  test("is ended by nobody but its worker, and once", async () => {
    const store = await open(await path());
    const [kept, over] = [stored(), stored({ response: completed("x") })];
    await store.createResponse(kept, holder("w"));
    expect(await store.updateResponse(kept.id, completed(kept.id), { worker: "other" })).toEqual(kept.response);
    await store.createResponse(over, holder("w"));
    expect(await store.updateResponse(over.id, completed(over.id, "late"), { worker: "w" })).toEqual(over.response);
  });

  test("lets one of two ends of the same moment win", async () => {
    const store = await open(await path());
    const kept = stored();
    await store.createResponse(kept, holder("w"));
    const ends = [completed(kept.id, "one"), completed(kept.id, "two")];
    const stands = await Promise.all(ends.map((end) => store.updateResponse(kept.id, end, { worker: "w" })));
    expect(stands).toEqual([ends[0], ends[0]]);
    expect((await store.getResponse(kept.id, "ada"))?.response).toEqual(ends[0]);
  });

  test("loses a last line that is torn, and nothing before it", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const [one, two] = [stored(), stored()];
    await store.createResponse(one);
    await store.createResponse(two);
    leaveBehind(file, copy, aheadOf(file).slice(0, -2));
    const again = await open(copy);
    expect(await again.getResponse(one.id, "ada")).toEqual(one);
    expect(await again.getResponse(two.id, "ada")).toBeUndefined();
    await again.createResponse(two);
    expect(await again.getResponse(two.id, "ada")).toEqual(two);
  });

  test("does no harm when it is in the database already", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const [lost, ended, cancelled] = [stored(), stored(), stored()];
    for (const each of [lost, ended, cancelled]) await store.createResponse(each, holder("w", -1));
    for (const { id } of [ended, cancelled]) await store.updateResponse(id, completed(id), { worker: "w" });
    const ahead = aheadOf(file);
    expect((await store.claimRun(holder("next")))?.attempt).toBe(2);
    await store.appendEvents(lost.id, events(0, 2), "next");
    // As if the file had not been emptied when all of it was in the database.
    leaveBehind(file, copy, `${ahead}["ended",["${lost.id}","w","completed"],[],{}]\n`);
    const again = await open(copy);
    expect(await again.getResponse(lost.id, "ada")).toEqual(lost);
    expect(await again.appendEvents(lost.id, events(2, 3), "next")).toBe(true);
    expect((await again.getResponse(ended.id, "ada"))?.response).toEqual(completed(ended.id));
    expect(await again.claimRun(holder("other"))).toBeUndefined();
    expect(inDatabase(copy)).toEqual([lost.id, ended.id, cancelled.id]);
  });

  test("comes into the database by itself in a moment, in order", async () => {
    const file = await path();
    const store = await open(file);
    const kept = Array.from({ length: 20 }, () => stored());
    await Promise.all(kept.map((each) => store.createResponse(each, holder("w"))));
    expect(inDatabase(file)).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(inDatabase(file)).toEqual(kept.map(({ id }) => id));
    expect(aheadOf(file)).toBe("");
  });

  test("tries to come again where it could not", async () => {
    const file = await path();
    const store = await open(file, { busyMs: 0 });
    const kept = stored();
    await store.createResponse(kept, holder("w"));
    const other = openDatabase(file, "normal", 0);
    other.exec("BEGIN IMMEDIATE");
    vi.advanceTimersByTime(50);
    other.exec("ROLLBACK");
    other.close();
    expect(inDatabase(file)).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(inDatabase(file)).toEqual([kept.id]);
  });

  test("never grows large", async () => {
    const file = await path();
    const store = await open(file);
    const large = (): ReturnType<typeof stored> => stored({ input: [message("x".repeat(1024 * 1024))] });
    const sizes: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      await store.createResponse(large());
      sizes.push((await stat(`${file}-ahead`)).size);
    }
    expect(Math.max(...sizes)).toBeGreaterThan(1024 * 1024);
    expect(Math.max(...sizes)).toBeLessThan(6 * 1024 * 1024);
  });

  const following: Readonly<Record<string, (store: Store, id: string) => Promise<unknown>>> = {
    getResponse: (store, id) => store.getResponse(id, "ada"),
    getChain: (store, id) => store.getChain(id, "ada", 10),
    deleteResponse: (store, id) => store.deleteResponse(id, "ada"),
    appendEvents: (store, id) => store.appendEvents(id, events(0, 1)),
    updateResponse: (store, id) => store.updateResponse(id, response(id), { worker: "w" }),
    renewLeases: async (store, id) => (await store.renewLeases([id], holder("w")))[0],
    requeueRun: (store, id) => store.requeueRun(id, "w"),
    claimRun: (store) => store.claimRun(holder("next")),
    countWaiting: (store) => store.countWaiting(),
  };
  test.each(Object.entries(following))("is seen by %s", async (_, act) => {
    const store = await open(await path());
    const kept = stored();
    await store.createResponse(kept, holder("w", -1));
    expect(await act(store, kept.id)).toBeTruthy();
  });

  test("goes when the store is closed, and so does the file", async () => {
    const file = await path();
    const store = await open(file);
    const kept = stored();
    await store.createResponse(kept, holder("w"));
    expect((await stat(`${file}-ahead`)).mode & 0o777).toBe(0o600);
    await store.close();
    expect(inDatabase(file)).toEqual([kept.id]);
    expect(existsSync(`${file}-ahead`)).toBe(false);
  });

  test("stays where it is while the database is locked; who reads is told, and it comes later", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file, { busyMs: 10 });
    const other = openDatabase(file, "normal", 0);
    other.exec("BEGIN IMMEDIATE");
    const [kept, queued] = [stored(), stored()];
    await store.createResponse(kept, holder("w"));
    await expect(store.getResponse(kept.id, "ada")).rejects.toThrow("database is locked");
    await expect(store.createResponse(queued, "queued")).rejects.toThrow("database is locked");
    leaveBehind(file, copy);
    other.exec("ROLLBACK");
    other.close();
    expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
    expect(await store.getResponse(queued.id, "ada")).toBeUndefined();
    expect(await (await open(copy)).getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("stays in the file where it cannot be moved when the store is closed", async () => {
    const file = await path();
    const store = await open(file, { busyMs: 10 });
    const kept = stored();
    await store.createResponse(kept);
    const other = openDatabase(file, "normal", 0);
    other.exec("BEGIN IMMEDIATE");
    await expect(store.close()).rejects.toMatchObject({ vendorCode: "store_failed" });
    other.exec("ROLLBACK");
    other.close();
    expect(await (await open(file)).getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("stays when what comes with it into the database fails", async () => {
    const file = await path();
    const store = await open(file);
    const kept = stored();
    await store.createResponse(kept);
    const other = openDatabase(file, "normal", 0);
    other.exec("CREATE TRIGGER broken BEFORE INSERT ON items BEGIN SELECT raise(FAIL, 'disk on fire'); END");
    other.close();
    await expect(store.createConversation(conversation(), [message("x")])).rejects.toThrow("disk on fire");
    expect(inDatabase(file)).toEqual([]);
    expect(await store.getResponse(kept.id, "ada")).toEqual(kept);
  });

  test("refuses an id that is taken, wherever it is", async () => {
    const store = await open(await path());
    const ids = ["resp_5", "resp_3", "resp_é", "resp_\u{1F600}", "resp_\uffff"];
    const refused = (id: string) =>
      expect(store.createResponse(stored({ id }))).rejects.toMatchObject({ vendorCode: "id_taken" });
    for (const id of ids) {
      await store.createResponse(stored({ id }));
      for (const known of ids.slice(0, ids.indexOf(id) + 1)) await refused(known);
    }
    await store.countWaiting();
    for (const id of ids) await refused(id);
    await store.createResponse(stored({ id: "z" }), "queued");
    await refused("z");
    const both = await Promise.allSettled(["a", "b"].map((owner) => store.createResponse(stored({ id: "zz", owner }))));
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await refused("zz");
  });

  test("refuses an id that an earlier process took, also where SQLite has them in another order", async () => {
    const file = await path();
    const ids = ["resp_z", "resp_\u{1F600}", "resp_\uffff"];
    const first = await open(file);
    for (const id of ids) await first.createResponse(stored({ id }));
    await first.close();
    const second = await open(file);
    for (const id of ids) await expect(second.createResponse(stored({ id }))).rejects.toMatchObject({ vendorCode: "id_taken" });
  });

  const needsFull = existsSync("/dev/full") ? "" : " (skipped: needs /dev/full)";
  test.skipIf(needsFull)(`is refused where the file takes nothing, and then goes into the database${needsFull}`, async () => {
    const file = await path();
    await symlink("/dev/full", `${file}-ahead`);
    const store = await open(file);
    const [one, two] = [stored(), stored()];
    await expect(store.createResponse(one)).rejects.toMatchObject({ code: "SERVER_ERROR", vendorCode: "store_failed" });
    expect(await store.getResponse(one.id, "ada")).toBeUndefined();
    await store.createResponse(two);
    expect(inDatabase(file)).toEqual([two.id]);
    await store.createResponse(one);
    expect(await store.getResponse(one.id, "ada")).toEqual(one);
  });

  test("is not tried where every transaction waits for the disk", async () => {
    const [file, copy] = [await path(), await path()];
    const store = await open(file);
    const kept = stored();
    await store.createResponse(kept);
    leaveBehind(file, copy);
    const careful = await open(copy, { synchronous: "full" });
    expect(inDatabase(copy)).toEqual([kept.id]);
    const other = stored();
    await careful.createResponse(other, holder("w"));
    expect(inDatabase(copy)).toEqual([kept.id, other.id]);
    expect(existsSync(`${copy}-ahead`)).toBe(false);
    expect(await (await open(copy)).getResponse(other.id, "ada")).toEqual(other);
  });

  test("keeps a version away that would not look there", async () => {
    const file = await path();
    await (await open(file)).close();
    const database = openDatabase(file, "normal", 0);
    expect(() => migrate(database, file, 2)).toThrow("has the schema version 3");
    database.close();
  });
});

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openDatabase } from "../../../src/store/sqlite/open-database.ts";
import { sqliteStore, type SqliteOptions } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";

/** The files of a test, and the stores that it opened on them. */
export interface Files {
  /** Where a new database would be. */
  path(): Promise<string>;
  open(path: string, options?: SqliteOptions): Promise<Store>;
}

/** Gives each test files of its own; everything is closed and removed when it ends. */
export function withFiles(): Files {
  const folders: string[] = [];
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close().catch(() => {});
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  return {
    path: async () => {
      const folder = await mkdtemp(join(tmpdir(), "antiphon-ahead-"));
      folders.push(folder);
      return join(folder, "store.db");
    },
    open: async (path, options) => {
      const store = await sqliteStore(path, { pollMs: 10, ...options });
      stores.push(store);
      return store;
    },
  };
}

/**
 * Copies what the death of its process would leave of a database, or that with another text ahead of it. It reads all files in
 * one turn: the store moves what is ahead into the database a moment later, and half of a move is in no file.
 */
export function leaveBehind(from: string, to: string, ahead = aheadOf(from)): void {
  for (const ending of ["", "-wal"]) copyFileSync(`${from}${ending}`, `${to}${ending}`);
  writeFileSync(`${to}-ahead`, ahead);
}

/** Returns what is written ahead of the database. */
export const aheadOf = (path: string): string => readFileSync(`${path}-ahead`, "utf8");

/** The ids of the responses that are in the database itself. */
export function inDatabase(path: string): string[] {
  const database = openDatabase(path, "normal", 0);
  const rows = database.prepare<{ id: string }>("SELECT id FROM responses ORDER BY key").all();
  database.close();
  return rows.map(({ id }) => id);
}

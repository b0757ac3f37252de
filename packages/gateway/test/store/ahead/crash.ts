import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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

/** What the death of its process would leave of a database right now, or with another text ahead of it. */
export async function leaveBehind(from: string, to: string, ahead?: string): Promise<void> {
  for (const ending of ["", "-wal"]) await cp(`${from}${ending}`, `${to}${ending}`);
  await writeFile(`${to}-ahead`, ahead ?? (await aheadOf(from)));
}

/** What is written ahead of a database. */
export const aheadOf = (path: string): Promise<string> => readFile(`${path}-ahead`, "utf8");

/** The ids of the responses that are in the database itself. */
export function inDatabase(path: string): string[] {
  const database = openDatabase(path, "normal", 0);
  const rows = database.prepare<{ id: string }>("SELECT id FROM responses ORDER BY key").all();
  database.close();
  return rows.map(({ id }) => id);
}

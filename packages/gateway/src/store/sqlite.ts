import { storeFailed } from "./failures.ts";
import { storeLimits, type StoreLimits } from "./limits.ts";
import { conversations, itemAdder, items } from "./sqlite/conversations.ts";
import type { Engine } from "./sqlite/engine.ts";
import { events, logWriter } from "./sqlite/events.ts";
import { keys } from "./sqlite/keys.ts";
import { migrate } from "./sqlite/migrations.ts";
import { openDatabase, type Database } from "./sqlite/open-database.ts";
import { prune } from "./sqlite/prune.ts";
import { responses, updates } from "./sqlite/responses.ts";
import { runs } from "./sqlite/runs.ts";
import { Transactions } from "./sqlite/transactions.ts";
import type { Store } from "./store.ts";
import { Watchers } from "./watchers.ts";

export interface SqliteOptions {
  /**
   * `normal` keeps all that was acknowledged when the process ends in whatever way. When the machine loses power, the last moments may
   * be missing, but the file is whole. `full` waits for the disk with every transaction, so that nothing is missing then either; until
   * the disk is done, this process does nothing else.
   */
  synchronous?: "normal" | "full";
  /** How long to wait while another process writes. */
  busyMs?: number;
  /** How often to look whether another process changed something that is watched. */
  pollMs?: number;
  limits?: Partial<StoreLimits>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Keeps everything in one file of SQLite, or in memory.
 *
 * @example
 * const store = await sqliteStore("antiphon.db");
 */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const database = open(path, options);
  const transactions = new Transactions(database);
  const version = database.prepare<{ data_version: number }>("PRAGMA data_version");
  let seen = version.get()?.data_version;
  const changedElsewhere = (): boolean => seen !== (seen = version.get()?.data_version);
  const watchers = new Watchers(changedElsewhere, options.pollMs ?? 250);
  const engine: Engine = {
    database,
    transactions,
    watchers,
    limits: { ...storeLimits, ...options.limits },
    now: options.now ?? Date.now,
  };
  const log = logWriter(engine);
  const addItems = itemAdder(engine);
  let closed = false;
  return {
    ...responses(engine),
    ...updates(engine, log, addItems),
    ...events(engine, log),
    ...runs(engine),
    ...conversations(engine, addItems),
    ...items(engine, addItems),
    ...keys(engine),
    ...prune(engine),
    close: async () => {
      if (closed) return;
      closed = true;
      watchers.stop();
      transactions.close();
      database.close();
    },
  };
}

function open(path: string, { synchronous = "normal", busyMs = 5_000 }: SqliteOptions): Database {
  try {
    const database = openDatabase(path, synchronous, busyMs);
    try {
      migrate(database, path);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  } catch (thrown) {
    throw storeFailed(thrown);
  }
}

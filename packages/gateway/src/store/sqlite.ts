import { storeFailed } from "./failures.ts";
import { storeLimits, type StoreLimits } from "./limits.ts";
import { conversations, itemAdder, items } from "./sqlite/conversations.ts";
import type { Engine } from "./sqlite/engine.ts";
import { events, logWriter } from "./sqlite/events.ts";
import { keys } from "./sqlite/keys.ts";
import { migrate } from "./sqlite/migrations.ts";
import { openDatabase, type Database } from "./sqlite/open-database.ts";
import { takePlace } from "./sqlite/place.ts";
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
  /** How long to wait while another process writes, or until one that was alone with the file lets this one in. */
  busyMs?: number;
  /** How often to look whether another process changed something that is watched, or wants to use the file as well. */
  pollMs?: number;
  /**
   * Only keys are made, read or changed, beside whoever else uses the file. A process that is alone with it writes responses ahead of
   * the database, and stops that when another comes; this one does not count, and would not see all responses.
   */
  keysOnly?: boolean;
  limits?: Partial<StoreLimits>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export const defaultWaits = { busyMs: 5_000, pollMs: 250 };

/**
 * Keeps everything in one file of SQLite, or in memory.
 *
 * @example
 * const store = await sqliteStore("antiphon.db");
 */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const database = open(path, options);
  const transactions = new Transactions(database);
  const leave = await enter(path, options, { database, transactions });
  const version = database.prepare<{ data_version: number }>("PRAGMA data_version");
  let seen = version.get()?.data_version;
  const changedElsewhere = (): boolean => seen !== (seen = version.get()?.data_version);
  const watchers = new Watchers(changedElsewhere, options.pollMs ?? defaultWaits.pollMs);
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
      leaveAll(leave, database);
    },
  };
}

function open(path: string, { synchronous = "normal", busyMs = defaultWaits.busyMs }: SqliteOptions): Database {
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

/** Takes its place beside other processes, where there can be others. */
async function enter(
  path: string,
  options: SqliteOptions,
  parts: Pick<Engine, "database" | "transactions">,
): Promise<() => void> {
  const { synchronous = "normal", busyMs = defaultWaits.busyMs, pollMs = defaultWaits.pollMs, keysOnly = false } = options;
  if (keysOnly || path === ":memory:") return () => {};
  try {
    // Whoever is alone looks as seldom as this, as far as is known here.
    const waitMs = Math.max(busyMs, 4 * pollMs);
    return await takePlace(parts, path, { writesAhead: synchronous === "normal", waitMs, pollMs });
  } catch (thrown) {
    parts.database.close();
    throw storeFailed(thrown);
  }
}

function leaveAll(leave: () => void, database: Database): void {
  try {
    leave();
  } catch (thrown) {
    throw storeFailed(thrown);
  } finally {
    database.close();
  }
}

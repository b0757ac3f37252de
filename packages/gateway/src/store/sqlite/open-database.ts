import { closeSync, mkdirSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

export type SqlValue = string | number | null;

/** A prepared statement; rows are of the type that its maker says, since the tables are the maker's own. */
export interface Statement<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): Iterator<Row>;
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

/** The part of Node's SQLite that is needed. */
export interface Database {
  exec(sql: string): void;
  prepare<Row = unknown>(sql: string): Statement<Row>;
  close(): void;
}

interface SqliteModule {
  DatabaseSync: new (path: string) => Database;
}

/** Returns Node's own SQLite, or on Node 20 a package with the same interface. */
const sqliteModule = (): SqliteModule =>
  builtInSqlite() ?? (createRequire(import.meta.url)("@photostructure/sqlite") as SqliteModule);

/**
 * Loads `node:sqlite` without the warning that Node 22 prints for it: users of the command line would see it with every
 * command. Loading is synchronous, so no other warning is lost.
 */
function builtInSqlite(): SqliteModule | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    // The types of Node 20 have neither this name nor what it stands for.
    return process.getBuiltinModule?.("node:sqlite" as string) as SqliteModule | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Makes a file that nobody but its owner may read, where there is none. One that is there may hold locks, which closing it would end. */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}

/** A connection as SQLite makes it. */
export const connectTo = (path: string): Database => new (sqliteModule().DatabaseSync)(path);

/**
 * Opens a file, or makes one that nobody but its owner may read. The log is written ahead (WAL), so that reading never waits for
 * writing.
 */
export function openDatabase(path: string, synchronous: "normal" | "full", busyMs: number): Database {
  if (path !== ":memory:") {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    makeFile(path);
  }
  const database = connectTo(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    // The log is copied into the file when it has so many pages. Most of them are the same few, which are written over and over.
    database.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864");
    database.exec("PRAGMA foreign_keys = ON");
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

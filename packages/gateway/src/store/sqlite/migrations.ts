import { AntiphonError } from "antiphon";
import { tooNew } from "../failures.ts";
import type { Database } from "./open-database.ts";

/**
 * The steps from nothing to the present layout; `user_version` counts those that were taken. A step is never changed once released.
 * Rows are found by whole numbers, which are half as dear to index as ids; what is read most stands before what is large.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE responses (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    previous TEXT,
    conversation TEXT,
    background INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    request TEXT NOT NULL,
    response TEXT NOT NULL
  ) STRICT;
  CREATE INDEX responses_by_age ON responses (created_at);

  -- Apart from the responses, since leases are renewed often and rewriting a row costs as much as it is large.
  CREATE TABLE runs (
    response_key INTEGER PRIMARY KEY REFERENCES responses (key) ON DELETE CASCADE,
    worker TEXT,
    due INTEGER NOT NULL,
    attempts INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_due ON runs (due);

  CREATE TABLE events (
    key INTEGER PRIMARY KEY,
    response_key INTEGER NOT NULL REFERENCES responses (key) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    log_bytes INTEGER NOT NULL,
    batch TEXT NOT NULL,
    UNIQUE (response_key, first)
  ) STRICT;

  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE INDEX conversations_by_use ON conversations (used_at);

  CREATE TABLE items (
    key INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    item TEXT NOT NULL,
    UNIQUE (conversation, position),
    UNIQUE (conversation, id)
  ) STRICT;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    spent REAL NOT NULL,
    revoked INTEGER NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  `,
  // A run is a part of its response, so that its start and its end each write a few pages less; what is older comes before what is
  // newer without an index, too.
  `
  ALTER TABLE responses ADD COLUMN worker TEXT;
  ALTER TABLE responses ADD COLUMN due INTEGER;
  ALTER TABLE responses ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
  UPDATE responses SET (worker, due, attempts) = (SELECT worker, due, attempts FROM runs WHERE response_key = key)
    WHERE key IN (SELECT response_key FROM runs);
  DROP TABLE runs;
  DROP INDEX responses_by_age;
  CREATE INDEX runs_by_due ON responses (due) WHERE due IS NOT NULL;
  `,
  // The tables stay. Responses may be written ahead of them, and an earlier version would neither look there nor ask to be let in.
  "",
];

// "Anti", as a number in the file's head that tells whose file it is.
const applicationId = 0x416e7469;

/** Brings a file to the present layout, or to an earlier one; refuses one that is newer, or somebody else's. */
export function migrate(database: Database, path: string, to = steps.length): void {
  const numberOf = (sql: string): number => Number(Object.values(database.prepare<object>(sql).get() ?? {})[0]);
  const isOurs = (): boolean => numberOf("PRAGMA application_id") === applicationId;
  const version = (): number => numberOf("PRAGMA user_version");
  if (isOurs() && version() === to) return;
  // Other processes may open a new file in the same moment: only who holds the lock sees a whole state.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (!isOurs() && numberOf("SELECT count(*) FROM sqlite_schema") > 0)
      throw new AntiphonError("BAD_REQUEST", `${path} is the database of another program.`, { vendorCode: "store_foreign" });
    if (version() > to) throw tooNew(path, version(), to);
    for (const step of steps.slice(version(), to)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${to}`);
    database.exec("COMMIT");
  } catch (thrown) {
    database.exec("ROLLBACK");
    throw thrown;
  }
}

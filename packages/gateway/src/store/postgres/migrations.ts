import type pg from "pg";
import { tooNew } from "../failures.ts";
import type { PostgresDatabase } from "./database.ts";

/**
 * The steps from nothing to the present layout; a step is never changed once released. JSON is kept as text: it is never searched, comes
 * back as it was, and may hold characters that `jsonb` refuses. A response and its run are one row, so that one lock decides every
 * race; its large columns are kept apart by PostgreSQL itself, and not written again when the small ones change.
 */
const steps: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE TABLE ${schema}.responses (
    id text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    previous text COLLATE "C",
    conversation text COLLATE "C",
    background boolean NOT NULL,
    status text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    worker text COLLATE "C",
    due timestamptz,
    attempts integer NOT NULL,
    log_end integer NOT NULL DEFAULT -1,
    log_bytes bigint NOT NULL DEFAULT 0,
    input text NOT NULL,
    output text NOT NULL,
    request text NOT NULL,
    response text NOT NULL
  );
  CREATE INDEX responses_by_age ON ${schema}.responses (created_at);
  CREATE INDEX responses_by_due ON ${schema}.responses (due) WHERE due IS NOT NULL;

  CREATE TABLE ${schema}.events (
    response_id text COLLATE "C" NOT NULL REFERENCES ${schema}.responses (id) ON DELETE CASCADE,
    first integer NOT NULL,
    last integer NOT NULL,
    batch text NOT NULL,
    PRIMARY KEY (response_id, first)
  );

  CREATE TABLE ${schema}.conversations (
    id text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    items integer NOT NULL,
    bytes bigint NOT NULL,
    metadata text NOT NULL
  );
  CREATE INDEX conversations_by_use ON ${schema}.conversations (used_at);

  CREATE TABLE ${schema}.items (
    conversation text COLLATE "C" NOT NULL REFERENCES ${schema}.conversations (id) ON DELETE CASCADE,
    position integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    item text NOT NULL,
    PRIMARY KEY (conversation, position),
    UNIQUE (conversation, id)
  );

  CREATE TABLE ${schema}.keys (
    id text COLLATE "C" PRIMARY KEY,
    hash text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    spent double precision NOT NULL,
    revoked boolean NOT NULL,
    data text NOT NULL
  );
  `,
];

/** Brings a schema to the present layout, one gateway at a time; refuses one that is newer. */
export async function migrate(database: PostgresDatabase): Promise<void> {
  const { schema } = database;
  await database.transaction(async (client) => {
    // Held until the transaction ends, so that gateways that start together take no step twice.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`antiphon ${schema}`]);
    const version = await versionOf(client, schema);
    if (version > steps.length) throw tooNew(`The schema ${schema}`, version, steps.length);
    for (const [index, step] of steps.entries())
      if (index >= version) {
        await client.query(step(schema));
        await client.query(`INSERT INTO ${schema}.migrations (version) VALUES ($1)`, [index + 1]);
      }
  });
}

async function versionOf(client: pg.PoolClient, schema: string): Promise<number> {
  const { rows } = await client.query<{ known: string | null }>("SELECT to_regclass($1) AS known", [`${schema}.migrations`]);
  if (rows[0]?.known) {
    const found = await client.query<{ version: number | null }>(`SELECT max(version) AS version FROM ${schema}.migrations`);
    return found.rows[0]?.version ?? 0;
  }
  // A role that may not make schemas can use one that was made for it.
  await client.query(`
    DO $$ BEGIN
      IF to_regnamespace('${schema.replaceAll("'", "''")}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
    END $$`);
  await client.query(`
    CREATE TABLE ${schema}.migrations (version integer PRIMARY KEY, taken_at timestamptz NOT NULL DEFAULT clock_timestamp())`);
  return 0;
}

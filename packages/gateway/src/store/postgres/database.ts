import type pg from "pg";
import { storeClosed, storeFailed } from "../failures.ts";

export interface DatabaseOptions {
  /** How many connections there are at most. */
  connections: number;
  schema: string;
}

type SqlValue = string | number | boolean | null | readonly string[];

/** A prepared statement: gives its rows, of the type that its maker says, since the tables are the maker's own. */
export type Statement<Row> = (...values: SqlValue[]) => Promise<Row[]>;

/** Milliseconds until a connection to the database is made. */
export const databaseTimeout = 10_000;

// Whole numbers of eight bytes come as text, since not all of them are JavaScript's; ours are.
const eightBytes = 20;
const typesOf = (driver: typeof pg): pg.CustomTypesConfig => ({
  getTypeParser: (type: number, format?: "text" | "binary") =>
    type === eightBytes ? Number : driver.types.getTypeParser(type, format),
});

/** Loads the driver, whose memory only those should pay for who have such a database. Nothing is connected yet. */
export async function openDatabase(connectionString: string, options: DatabaseOptions): Promise<PostgresDatabase> {
  const { default: driver } = await import("pg");
  return new PostgresDatabase(driver, connectionString, options);
}

/** A pool of connections to one schema of a database. */
export class PostgresDatabase {
  /** In quotes, to stand before the name of a table. */
  readonly schema: string;
  readonly #driver: typeof pg;
  readonly #pool: pg.Pool;
  readonly #connectionString: string;
  #statements = 0;
  #closed = false;

  constructor(driver: typeof pg, connectionString: string, { connections, schema }: DatabaseOptions) {
    this.#driver = driver;
    this.schema = this.quoted(schema);
    this.#connectionString = connectionString;
    this.#pool = new driver.Pool({
      connectionString,
      types: typesOf(driver),
      max: connections,
      connectionTimeoutMillis: databaseTimeout,
      application_name: "antiphon",
      allowExitOnIdle: true,
    });
    // A connection that breaks while it rests is replaced; without somebody to listen, it would end the process.
    this.#pool.on("error", () => {});
  }

  /** A name as it may stand in a statement. */
  quoted(name: string): string {
    return this.#driver.escapeIdentifier(name);
  }

  /** Prepares a statement: once on each connection that it comes to. */
  prepare<Row = unknown>(text: string): Statement<Row> {
    this.#statements += 1;
    const name = `antiphon_${this.#statements}`;
    return async (...values) => {
      if (this.#closed) throw storeClosed();
      try {
        return (await this.#pool.query({ name, text, values })).rows as Row[];
      } catch (thrown) {
        throw storeFailed(thrown);
      }
    };
  }

  /** Does some work on one connection, in one transaction. */
  async transaction<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      client.release();
      return result;
    } catch (thrown) {
      // Closing the connection undoes the transaction, in whatever state it is.
      client.release(true);
      throw thrown;
    }
  }

  /** A connection of its own, not yet open, for who wants to be told of things. */
  newClient(): pg.Client {
    return new this.#driver.Client({
      connectionString: this.#connectionString,
      connectionTimeoutMillis: databaseTimeout,
      application_name: "antiphon watch",
      keepAlive: true,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }
}

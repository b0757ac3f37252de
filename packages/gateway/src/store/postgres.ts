import { storeFailed } from "./failures.ts";
import { storeLimits, type StoreLimits } from "./limits.ts";
import { conversations, items } from "./postgres/conversations.ts";
import { openDatabase } from "./postgres/database.ts";
import type { Engine } from "./postgres/engine.ts";
import { events } from "./postgres/events.ts";
import { keys } from "./postgres/keys.ts";
import { migrate } from "./postgres/migrations.ts";
import { Notifications } from "./postgres/notifications.ts";
import { prune } from "./postgres/prune.ts";
import { responses, updates } from "./postgres/responses.ts";
import { runs } from "./postgres/runs.ts";
import type { Store } from "./store.ts";
import { Watchers } from "./watchers.ts";

export interface PostgresOptions {
  /** Where the tables are. */
  schema?: string;
  /** How many connections there are at most, beside one that listens. */
  connections?: number;
  /** How often watchers look by themselves, in case a notification was lost. */
  pollMs?: number;
  limits?: Partial<StoreLimits>;
}

/**
 * Creates a store in PostgreSQL, which any number of gateways can share.
 *
 * @example
 * const store = await postgresStore("postgres://antiphon@localhost/antiphon");
 */
export async function postgresStore(connectionString: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = "antiphon", connections = 10, pollMs = 5_000 } = options;
  const database = await openDatabase(connectionString, { connections, schema });
  try {
    await migrate(database);
  } catch (thrown) {
    await database.close();
    throw storeFailed(thrown);
  }
  const watchers = new Watchers(() => true, pollMs);
  const notifications = new Notifications(database, watchers, schema);
  const engine: Engine = { database, watchers, notifications, limits: { ...storeLimits, ...options.limits } };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    watchers.stop();
    await notifications.close();
    await database.close();
  };
  return {
    ...responses(engine),
    ...updates(engine),
    ...events(engine),
    ...runs(engine),
    ...conversations(engine),
    ...items(engine),
    ...keys(engine),
    ...prune(engine),
    close: () => (closing ??= close()),
  };
}

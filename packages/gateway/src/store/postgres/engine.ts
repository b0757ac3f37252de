import type { StoreLimits } from "../limits.ts";
import type { Watchers } from "../watchers.ts";
import type { PostgresDatabase } from "./database.ts";
import type { Notifications } from "./notifications.ts";

/** What the parts of the store share. */
export interface Engine {
  database: PostgresDatabase;
  watchers: Watchers;
  notifications: Notifications;
  limits: StoreLimits;
}

/** The database's clock in milliseconds: gateways may disagree about the time. */
export const nowMs = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** A moment that is so many milliseconds away. */
export const inMs = (value: string): string => `clock_timestamp() + ${value}::float8 * interval '1 millisecond'`;

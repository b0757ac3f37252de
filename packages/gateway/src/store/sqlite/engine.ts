import type { StoreLimits } from "../limits.ts";
import type { Watchers } from "../watchers.ts";
import type { Database } from "./open-database.ts";
import type { Transactions } from "./transactions.ts";

/** What the parts of the store share. */
export interface Engine {
  database: Database;
  transactions: Transactions;
  watchers: Watchers;
  limits: StoreLimits;
  now(): number;
}

import type { LogRecord } from "../conversation/log-records.ts";
import type { Log } from "../conversation/log.ts";
import { namedCalls } from "./loop/journal.ts";
import type { Journal } from "./loop/run-options.ts";

/**
 * A journal for all turns of a conversation. Providers may count calls anew in each response, so a call is known by its place too:
 * by the last record that a model made, which stays the same until the calls are answered, and is never another's after an undo.
 */
export function placed(journal: Journal, log: Log): Journal {
  const made = (record: LogRecord): boolean => record.type === "entry" && record.entry.origin !== undefined;
  return namedCalls(journal, (call_id) => `${log.id}/${log.records.findLastIndex(made)}/${call_id}`);
}

import type { SessionStore } from "./log-records.ts";
import { Log } from "./log.ts";

interface Saved {
  /** How many records the store has. */
  count: number;
  /** The last write, so that the next one waits for it. */
  last: Promise<void>;
}

// Where a conversation stands in a store is of no interest to the conversation itself, and ends with either of the two.
const places = new WeakMap<SessionStore, WeakMap<Log, Saved>>();

function placeOf(log: Log, store: SessionStore): Saved {
  const logs = places.get(store) ?? new WeakMap<Log, Saved>();
  places.set(store, logs);
  const saved = logs.get(log) ?? { count: 0, last: Promise.resolve() };
  logs.set(log, saved);
  return saved;
}

/**
 * Writes the new entries of a log to a store. Resolves when all are durable. What could not be written is tried again
 * next time.
 */
export function saveLog(log: Log, store: SessionStore): Promise<void> {
  const saved = placeOf(log, store);
  const write = async (): Promise<void> => {
    const at = saved.count;
    const records = log.records.slice(at);
    if (records.length === 0) return;
    await store.append(log.id, at, records);
    saved.count = at + records.length;
  };
  const writing = saved.last.then(write);
  saved.last = writing.catch(() => {});
  return writing;
}

/**
 * Loads the conversation with an id from a store, or creates it.
 *
 * @example
 * const log = await openLog(sessions, "support-4711");
 */
export async function openLog(store: SessionStore, id: string): Promise<Log> {
  const json = await store.load(id);
  const log = json ? Log.from(json) : new Log(id);
  placeOf(log, store).count = log.records.length;
  return log;
}

import { AntiphonError } from "../core/error.ts";
import type { LogRecord, SessionStore } from "./log-records.ts";

/** The error of an append that came too late: somebody else wrote to the session. */
export const sessionConflict = (id: string, at: number, found: number | undefined): AntiphonError =>
  new AntiphonError(
    "BAD_REQUEST",
    `Another writer changed the session "${id}": it has ${found ?? "other"} records instead of ${at}. Load it again to continue.`,
    { vendorCode: "session_conflict", param: "at" },
  );

/**
 * Creates a session store in memory, which lasts as long as the process.
 *
 * @example
 * const chat = agent.chat({ store: memorySessions() });
 */
export function memorySessions(): SessionStore {
  // Each append as text, so that nobody's later change to a record reaches what is kept.
  const sessions = new Map<string, { count: number; appends: string[] }>();
  return {
    load: async (id) => {
      const session = sessions.get(id);
      if (!session) return undefined;
      const records = session.appends.flatMap((append) => JSON.parse(append) as LogRecord[]);
      return { version: 1, id, records };
    },
    append: async (id, at, records) => {
      const session = sessions.get(id) ?? { count: 0, appends: [] };
      if (session.count !== at) throw sessionConflict(id, at, session.count);
      if (records.length === 0) return;
      session.appends.push(JSON.stringify(records));
      session.count += records.length;
      sessions.set(id, session);
    },
    delete: async (id) => void sessions.delete(id),
    list: async () => [...sessions.keys()],
  };
}

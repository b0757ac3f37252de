import { logFull } from "../failures.ts";
import { batchText, eventsWithin, isStorableId } from "../limits.ts";
import type { Store } from "../store.ts";
import { openList } from "../texts.ts";
import type { Engine } from "./engine.ts";
import { comesTooLate, stateReader } from "./state.ts";

type Events = Pick<Store, "appendEvents" | "readEvents" | "watch">;

export function events({ database, watchers, notifications, limits }: Engine): Events {
  const { schema } = database;
  // The row of the response says where the log ends: who waited for its lock sees what was added meanwhile.
  const append = database.prepare(
    `WITH log AS (
       UPDATE ${schema}.responses SET log_end = $3, log_bytes = log_bytes + $4::bigint
       WHERE id = $1 AND status IN ${openList} AND log_end = $2::integer - 1 AND log_bytes + $4::bigint <= $6
         AND ($7::text IS NULL OR worker = $7)
       RETURNING id
     )
     INSERT INTO ${schema}.events (response_id, first, last, batch) SELECT id, $2, $3, $5 FROM log RETURNING 1`,
  );
  const read = database.prepare<{ batch: string }>(
    `SELECT e.batch FROM ${schema}.responses r JOIN ${schema}.events e ON e.response_id = r.id
     WHERE r.id = $1 AND r.owner = $2 AND e.last > $3::bigint AND e.first <= $4::bigint ORDER BY e.first`,
  );
  const readState = stateReader(database);
  return {
    appendEvents: async (id, events, worker) => {
      const batch = batchText(events);
      if (!batch) return true;
      if (!isStorableId(id)) return false;
      const { first, last, bytes, text } = batch;
      const added = await append(id, first, last, bytes, text, limits.logBytes, worker ?? null);
      if (added.length > 0) {
        notifications.changed(id);
        return true;
      }
      const [state] = await readState(id);
      if (state && !comesTooLate(state, worker, batch)) throw logFull(id);
      return false;
    },
    readEvents: async (id, owner, after, limit) =>
      isStorableId(id) ? eventsWithin(await read(id, owner, after, after + limit), after, limit) : [],
    watch: (id, changed) => {
      notifications.listen();
      return watchers.add(id, changed);
    },
  };
}

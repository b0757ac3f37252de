import { logFull } from "../failures.ts";
import { batchText, eventsWithin, isStorableId, type BatchText } from "../limits.ts";
import type { Store } from "../store.ts";
import { openList } from "../texts.ts";
import type { Engine } from "./engine.ts";

/** Where the log of a response ends, and how much it holds. */
interface End {
  last: number;
  log_bytes: number;
}

/** Writes to the log of a response, inside a transaction. */
export interface LogWriter {
  endOf(response: number): End;
  append(response: number, end: End, batch: BatchText): void;
}

export function logWriter({ database }: Engine): LogWriter {
  const end = database.prepare<End>("SELECT last, log_bytes FROM events WHERE response_key = ? ORDER BY first DESC LIMIT 1");
  const insert = database.prepare("INSERT INTO events (response_key, first, last, log_bytes, batch) VALUES (?, ?, ?, ?, ?)");
  return {
    endOf: (response) => end.get(response) ?? { last: -1, log_bytes: 0 },
    append: (response, { log_bytes }, { first, last, text, bytes }) => {
      insert.run(response, first, last, log_bytes + bytes, text);
    },
  };
}

type Events = Pick<Store, "appendEvents" | "readEvents" | "watch">;

export function events({ database, transactions, watchers, limits }: Engine, log: LogWriter): Events {
  const find = database.prepare<{ key: number; worker: string | null }>(
    `SELECT key, worker FROM responses WHERE id = ? AND status IN ${openList}`,
  );
  const read = database.prepare<{ batch: string }>(
    `SELECT batch FROM events JOIN responses ON responses.key = response_key
     WHERE id = ? AND owner = ? AND last > ? AND first <= ? ORDER BY first`,
  );
  const append = (id: string, batch: BatchText, worker: string | undefined): boolean => {
    const found = find.get(id);
    if (!found || (worker !== undefined && found.worker !== worker)) return false;
    const end = log.endOf(found.key);
    if (end.last !== batch.first - 1) return false;
    if (end.log_bytes + batch.bytes > limits.logBytes) throw logFull(id);
    log.append(found.key, end, batch);
    return true;
  };
  return {
    appendEvents: async (id, events, worker) => {
      const batch = batchText(events);
      if (!batch) return true;
      const added = isStorableId(id) && (await transactions.write(() => append(id, batch, worker)));
      if (added) watchers.tell(id);
      return added;
    },
    readEvents: (id, owner, after, limit) =>
      transactions.read(() => (isStorableId(id) ? eventsWithin(read.all(id, owner, after, after + limit), after, limit) : [])),
    watch: (id, changed) => watchers.add(id, changed),
  };
}

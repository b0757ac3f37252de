import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../store.ts";
import { openList } from "../texts.ts";
import type { Engine } from "./engine.ts";

// Deleting holds up all else that this process does, so it goes in small steps.
const step = 200;

export function prune({ database, transactions }: Engine): Pick<Store, "prune"> {
  const oldest = database.prepare<{ last: number | null; old: number }>(
    `SELECT max(key) AS last, count(*) FILTER (WHERE created_at < ?) AS old
     FROM (SELECT key, created_at FROM responses WHERE key > ? ORDER BY key LIMIT ${step})`,
  );
  const responses = database.prepare("DELETE FROM responses WHERE key > ? AND key <= ? AND created_at < ? AND due IS NULL");
  const conversations = database.prepare(
    `DELETE FROM conversations WHERE key IN (SELECT key FROM conversations WHERE used_at < ? LIMIT ${step})`,
  );
  const logs = database.prepare(
    `DELETE FROM events WHERE key IN (SELECT events.key FROM events CROSS JOIN responses ON responses.key = response_key
       WHERE responses.created_at < ? AND status NOT IN ${openList} LIMIT ${step})`,
  );
  /** Those made first have the lowest keys: it ends where none of a few is old. */
  const allResponses = async (before: number): Promise<number> => {
    let sum = 0;
    for (let after = 0, last: number | null = 0; last !== null; await nextTurn())
      await transactions.write(() => {
        const found = oldest.get(before, after);
        last = found?.old ? found.last : null;
        if (last === null) return;
        sum += Number(responses.run(after, last, before).changes);
        after = last;
      });
    return sum;
  };
  const all = async (statement: typeof logs, before: number): Promise<number> => {
    let sum = 0;
    for (let went = step; went > 0; sum += went) {
      went = await transactions.write(() => Number(statement.run(before).changes));
      await nextTurn();
    }
    return sum;
  };
  return {
    prune: async (before, logsBefore = before) => {
      const went = (await allResponses(before)) + (await all(conversations, before));
      if (logsBefore > before) await all(logs, logsBefore);
      return went;
    },
  };
}

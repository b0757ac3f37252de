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
  /** Deletes the old ones of the next few; gives where those end, and nothing where none of them is old. */
  const sweep = (before: number, after: number): { last: number; went: number } | undefined => {
    const { last, old } = oldest.get(before, after) ?? { last: null, old: 0 };
    return last === null || old === 0 ? undefined : { last, went: Number(responses.run(after, last, before).changes) };
  };
  /** Those made first have the lowest keys: the first few that are all newer are the end. */
  const allResponses = async (before: number): Promise<number> => {
    let sum = 0;
    let swept = await transactions.write(() => sweep(before, 0));
    while (swept) {
      const { last, went } = swept;
      sum += went;
      await nextTurn();
      swept = await transactions.write(() => sweep(before, last));
    }
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

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../store.ts";
import { openList } from "../texts.ts";
import type { Engine } from "./engine.ts";

// Deleting holds up all else that this process does, so it goes in small steps.
const step = 200;

export function prune({ database, transactions }: Engine): Pick<Store, "prune"> {
  const responses = database.prepare(
    `DELETE FROM responses WHERE key IN (SELECT key FROM responses WHERE created_at < ?
       AND NOT EXISTS (SELECT 1 FROM runs WHERE response_key = responses.key) LIMIT ${step})`,
  );
  const conversations = database.prepare(
    `DELETE FROM conversations WHERE key IN (SELECT key FROM conversations WHERE used_at < ? LIMIT ${step})`,
  );
  const logs = database.prepare(
    `DELETE FROM events WHERE key IN (SELECT events.key FROM events CROSS JOIN responses ON responses.key = response_key
       WHERE responses.created_at < ? AND status NOT IN ${openList} LIMIT ${step})`,
  );
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
      const went = (await all(responses, before)) + (await all(conversations, before));
      if (logsBefore > before) await all(logs, logsBefore);
      return went;
    },
  };
}

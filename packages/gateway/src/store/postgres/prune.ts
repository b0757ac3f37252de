import type { Store } from "../store.ts";
import { openList } from "../texts.ts";
import type { Statement } from "./database.ts";
import type { Engine } from "./engine.ts";

// Small steps hold no lock for long; what another gateway deletes at the same time is skipped.
const step = 500;

export function prune({ database }: Engine): Pick<Store, "prune"> {
  const { schema } = database;
  const oldest = (table: string, where: string): string =>
    `DELETE FROM ${schema}.${table} WHERE id IN (
       SELECT id FROM ${schema}.${table} WHERE ${where} LIMIT ${step} FOR UPDATE SKIP LOCKED) RETURNING 1`;
  const responses = database.prepare(oldest("responses", "created_at < $1 AND due IS NULL"));
  const conversations = database.prepare(oldest("conversations", "used_at < $1"));
  const logs = database.prepare(
    `DELETE FROM ${schema}.events WHERE (response_id, first) IN (
       SELECT e.response_id, e.first FROM ${schema}.events e JOIN ${schema}.responses r ON r.id = e.response_id
       WHERE r.created_at < $1 AND r.status NOT IN ${openList} LIMIT ${step}) RETURNING 1`,
  );
  const all = async (statement: Statement<unknown>, before: number): Promise<number> => {
    let sum = 0;
    for (let went = step; went === step; sum += went) went = (await statement(before)).length;
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

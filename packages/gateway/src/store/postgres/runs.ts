import type { Store } from "../store.ts";
import { storedFrom, type ResponseRow } from "../texts.ts";
import { inMs, type Engine } from "./engine.ts";

type Runs = Pick<Store, "claimRun" | "renewLeases" | "requeueRun" | "countWaiting">;

export function runs({ database, notifications }: Engine): Runs {
  const table = `${database.schema}.responses`;
  // A queued run is due since it was queued; a lease, when it ends.
  const claim = database.prepare<ResponseRow & { attempts: number }>(
    `UPDATE ${table} SET worker = $1, due = ${inMs("$2")}, attempts = attempts + 1
     WHERE id = (SELECT id FROM ${table} WHERE due <= clock_timestamp() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
  );
  const renew = database.prepare<{ id: string }>(
    `UPDATE ${table} SET due = ${inMs("$3")} WHERE id = ANY ($1) AND worker = $2 RETURNING id`,
  );
  const waiting = database.prepare<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE due <= clock_timestamp()`,
  );
  const requeue = database.prepare(
    `UPDATE ${table} SET due = clock_timestamp(), worker = NULL WHERE id = $1 AND worker = $2 RETURNING 1`,
  );
  return {
    claimRun: async ({ worker, leaseMs }) => {
      const [row] = await claim(worker, leaseMs);
      return row && { response: storedFrom(row), attempt: row.attempts };
    },
    renewLeases: async (ids, { worker, leaseMs }) => {
      const held = new Set((await renew(ids, worker, leaseMs)).map(({ id }) => id));
      return ids.filter((id) => held.has(id));
    },
    requeueRun: async (id, worker) => {
      const requeued = (await requeue(id, worker)).length > 0;
      if (requeued) notifications.changed(id);
      return requeued;
    },
    countWaiting: async () => (await waiting())[0]?.count ?? 0,
  };
}

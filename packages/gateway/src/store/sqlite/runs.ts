import type { ClaimedRun, Holder, Store } from "../store.ts";
import { storedFrom, type ResponseRow } from "../texts.ts";
import type { Engine } from "./engine.ts";

type Runs = Pick<Store, "claimRun" | "renewLeases" | "requeueRun" | "countWaiting">;

export function runs({ database, transactions, watchers, now }: Engine): Runs {
  // A queued run is due since it was queued; a lease, when it ends.
  const next = database.prepare<{ key: number }>("SELECT key FROM responses WHERE due <= ? ORDER BY due, key LIMIT 1");
  const hold = database.prepare<ResponseRow & { attempts: number }>(
    "UPDATE responses SET worker = ?, due = ?, attempts = attempts + 1 WHERE key = ? RETURNING *",
  );
  const renew = database.prepare("UPDATE responses SET due = ? WHERE worker = ? AND id = ?");
  const waiting = database.prepare<{ count: number }>("SELECT count(*) AS count FROM responses WHERE due <= ?");
  const requeue = database.prepare("UPDATE responses SET due = ?, worker = NULL WHERE worker = ? AND id = ?");

  const claim = ({ worker, leaseMs }: Holder): ClaimedRun | undefined => {
    const run = next.get(now());
    const row = run && hold.get(worker, now() + leaseMs, run.key);
    return row && { response: storedFrom(row), attempt: row.attempts };
  };
  return {
    // Idle workers ask often, and a look that finds nothing need not hold up who writes.
    claimRun: async (holder) =>
      (await transactions.read(() => next.get(now()))) ? transactions.write(() => claim(holder)) : undefined,
    renewLeases: (ids, { worker, leaseMs }) =>
      transactions.write(() => ids.filter((id) => Number(renew.run(now() + leaseMs, worker, id).changes) > 0)),
    requeueRun: async (id, worker) => {
      const requeued = await transactions.write(() => Number(requeue.run(now(), worker, id).changes) > 0);
      if (requeued) watchers.tell(id);
      return requeued;
    },
    countWaiting: () => transactions.read(() => waiting.get(now())?.count ?? 0),
  };
}

import type { ClaimedRun, Holder, Store } from "../store.ts";
import { storedFrom, type ResponseRow } from "../texts.ts";
import type { Engine } from "./engine.ts";

type Runs = Pick<Store, "claimRun" | "renewLeases" | "requeueRun" | "countWaiting">;

export function runs({ database, transactions, watchers, now }: Engine): Runs {
  // A queued run is due since it was queued; a lease, when it ends.
  const next = database.prepare<{ response_key: number; attempts: number }>(
    "SELECT response_key, attempts FROM runs WHERE due <= ? ORDER BY due, response_key LIMIT 1",
  );
  const hold = database.prepare("UPDATE runs SET worker = ?, due = ?, attempts = attempts + 1 WHERE response_key = ?");
  const find = database.prepare<ResponseRow>("SELECT * FROM responses WHERE key = ?");
  const held = "worker = ? AND response_key = (SELECT key FROM responses WHERE id = ?)";
  const renew = database.prepare(`UPDATE runs SET due = ? WHERE ${held}`);
  const waiting = database.prepare<{ count: number }>("SELECT count(*) AS count FROM runs WHERE due <= ?");
  const requeue = database.prepare(`UPDATE runs SET due = ?, worker = NULL WHERE ${held}`);

  const claim = ({ worker, leaseMs }: Holder): ClaimedRun | undefined => {
    const run = next.get(now());
    const row = run && find.get(run.response_key);
    if (!run || !row) return undefined;
    hold.run(worker, now() + leaseMs, run.response_key);
    return { response: storedFrom(row), attempt: run.attempts + 1 };
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

import type { Store } from "../store/store.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** How long things are kept, in milliseconds; for ever where nothing is said. */
export interface Retention {
  /** Responses, and conversations from their last item on. */
  responses?: number | undefined;
  /** The event logs of background responses, where they are to go before the responses themselves. */
  logs?: number | undefined;
}

const minute = 60_000;
const hour = 60 * minute;

/** How often to look: ten times in the life of what is kept the shortest, but neither without rest nor never. */
const intervalOf = ({ responses = Infinity, logs = Infinity }: Retention): number =>
  Math.min(Math.max(Math.min(responses, logs) / 10, minute), hour);

/** Deletes now and then what was kept for long enough, from a moment after the start on; gives the way to stop. */
export function startPruning(
  store: Pick<Store, "prune">,
  retention: Retention,
  { log }: Pick<Telemetry, "log">,
  interval = intervalOf(retention),
): () => Promise<void> {
  const { responses, logs } = retention;
  if (responses === undefined && logs === undefined) return () => Promise.resolve();
  let stopped = false;
  let pruning = Promise.resolve();
  let timer: NodeJS.Timeout;
  const later = (milliseconds: number): void => {
    // Not all gateways at the same moment.
    const spread = milliseconds * (0.5 + Math.random());
    if (!stopped) timer = setTimeout(() => void (pruning = prune()), spread).unref();
  };
  const prune = async (): Promise<void> => {
    const now = Date.now();
    const before = responses === undefined ? 0 : now - responses;
    try {
      const went = await store.prune(before, logs === undefined ? before : Math.max(before, now - logs));
      if (went > 0) log({ level: "info", message: "pruned", went });
    } catch (thrown) {
      log({ level: "error", message: "cannot delete expired data; retrying", error: String(thrown) });
    }
    later(interval);
  };
  later(Math.min(interval, minute));
  return () => {
    stopped = true;
    clearTimeout(timer);
    return pruning;
  };
}

import type { InputItem } from "../model/index.ts";
import { closes, opens } from "./call-pairs.ts";
import type { Entry, Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { isOwn } from "./ownership.ts";
import type { PlanOptions, PlanReason } from "./plan.ts";

/** Where a request can go on from, and why there. */
interface Anchor {
  /** The last entry of the response. */
  anchor?: number;
  reason: PlanReason;
}

/** Whether the provider is to keep the response. */
export const isKept = ({ stores }: Target, { store }: Pick<PlanOptions, "store">): boolean => stores && store !== false;

/** The newest response that can be chained to. The scan ends there, so that a long past costs nothing. */
export function findAnchor(log: Log, target: Target, options: PlanOptions): Anchor {
  const { held, distrust, now } = options;
  const store = isKept(target, options);
  if (store && options.chain === false) return { reason: "unchained" };
  if (!store && !held) return { reason: target.stores ? "store-off" : "stateless" };
  const lost = distrust?.chains ?? 0;
  const end = Math.max(log.barrier, lost);
  for (let at = log.entries.length - 1; at >= end; at -= 1) {
    const origin = log.entries[at]?.origin;
    if (!origin || !isOwn(origin, target)) continue;
    if (held?.(origin.response_id) && answersOnly(log, at)) return { anchor: at, reason: "held" };
    if (!store || !origin.stored) continue;
    if (isExpired(origin.created_at, target.retention, now)) return { reason: "expired" };
    return answersOnly(log, at) ? { anchor: at, reason: "chained" } : { reason: "late-output" };
  }
  if (!store) return { reason: target.stores ? "store-off" : "stateless" };
  if (end === 0) return { reason: "nothing-stored" };
  return { reason: lost > log.barrier ? "chain-lost" : "compacted" };
}

const isExpired = (made: number | undefined, retention: number | undefined, now: number | undefined): boolean =>
  made !== undefined && retention !== undefined && now !== undefined && made + retention <= now;

/** The calls that a response made. */
export function callsOf(entries: readonly Entry[], anchor: number): InputItem[] {
  const id = entries[anchor]?.origin?.response_id;
  const calls: InputItem[] = [];
  const answered = new Set<string>();
  for (let at = anchor; at >= 0 && entries[at]?.origin?.response_id === id; at -= 1) {
    const { item } = entries[at]!;
    const pair = opens(item);
    // A server-side shell answers its calls in the same response.
    const closed = closes(item);
    if (closed !== undefined) answered.add(closed);
    else if (pair !== undefined && !answered.has(pair)) calls.push(item);
  }
  return calls.toReversed();
}

/** Whether every output after a response answers a call that was made in it or later: an older call has its answer in the chain. */
function answersOnly(log: Log, anchor: number): boolean {
  const open = new Set(callsOf(log.entries, anchor).flatMap((item) => opens(item) ?? []));
  for (let at = anchor + 1; at < log.entries.length; at += 1) {
    const { item } = log.entries[at]!;
    const opened = opens(item);
    if (opened !== undefined) open.add(opened);
    const closed = closes(item);
    if (closed !== undefined && !open.has(closed)) return false;
  }
  return true;
}

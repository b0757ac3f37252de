import type { ResponseEvent } from "antiphon";

/** The types of the events that carry a response. */
export const lifecycle: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** Whether some event of a batch is of one of these types. Most are deltas, which come in runs of one type: it is looked up once. */
export function someOf(batch: readonly ResponseEvent[], types: ReadonlySet<string>): boolean {
  let last = "";
  for (const { type } of batch) {
    if (type === last) continue;
    if (types.has(type)) return true;
    last = type;
  }
  return false;
}

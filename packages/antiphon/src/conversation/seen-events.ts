import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent } from "../model/index.ts";

const preliminary: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "error",
  "keepalive",
]);
const isOutOfBand = ({ type }: ResponseEvent): boolean => type.includes(":");

/** Whether an event shows something of the answer, or that there will be none. */
export const isOutput = (event: ResponseEvent): boolean => !preliminary.has(event.type) && !isOutOfBand(event);

// What these tell is true only of the request that they came with.
const ofOneRequest: ReadonlySet<string> = new Set(["antiphon:loss", "antiphon:repairs"]);
/** Whether an event can be told at once, whatever becomes of the request. */
export const isLive = (event: ResponseEvent): boolean => isOutOfBand(event) && !ofOneRequest.has(event.type);

/** Where a batch has its terminal event: last, but for what is out of band. */
export function terminalIn(events: readonly ResponseEvent[]): number | undefined {
  const at = events.findLastIndex((event) => !isOutOfBand(event));
  const last = events[at];
  return last && isTerminal(last) ? at : undefined;
}

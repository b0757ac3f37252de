import { isRun, isTerminal, isWire, opens } from "../model/guards.ts";
import type { ResponseEvent, TerminalEvent } from "../model/index.ts";

/** Events that may come before any output, and are no output themselves: while only these came, a request can be sent again. */
const preliminary: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "error",
  "keepalive",
  "ping",
]);

/** Whether an event tells about the stream instead of being part of it; such events have no number of their own. */
export const isOutOfBand = ({ type }: ResponseEvent): boolean => type.includes(":");

/** Whether an event shows something of the answer, or that there will be none. */
export const isOutput = (event: ResponseEvent): boolean =>
  isWire(event) ? !opens(event) : !preliminary.has(event.type) && (!isOutOfBand(event) || isRun(event));

/** Where a batch has its terminal event, or -1: it is the last, but for what is out of band. */
export function terminalAt(events: readonly ResponseEvent[]): number {
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const event = events[at]!;
    if (isTerminal(event)) return at;
    if (!isOutOfBand(event)) return -1;
  }
  return -1;
}

/** The terminal event of a batch. */
export function terminalIn(events: readonly ResponseEvent[]): TerminalEvent | undefined {
  const event = events[terminalAt(events)];
  return event && isTerminal(event) ? event : undefined;
}

import type { Respond } from "../core/respond.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { foldLaw, lifecycleLaw, type Finding } from "./laws.ts";

/** A model whose connection can be watched. */
export interface WatchedModel {
  respond: Respond;
  /** Whether the connection to the upstream is closed. */
  closed(): boolean;
}

/**
 * Checks the abort law: cancelling a stream at any event closes the upstream and ends the stream with a valid event.
 * `open` makes the same model anew for each try; `positions` are counts of events.
 */
export async function abortLaw(
  open: () => WatchedModel,
  request: CreateResponse,
  positions: readonly number[],
): Promise<Finding> {
  for (const position of positions) {
    const finding = (await leave(open(), request, position)) ?? (await stop(open(), request, position));
    if (finding) return `After ${position} events: ${finding}`;
  }
  return undefined;
}

async function leave({ respond, closed }: WatchedModel, request: CreateResponse, position: number): Promise<Finding> {
  let count = 0;
  for await (const event of respond(request)) {
    count += 1;
    if (isTerminal(event)) return undefined;
    if (count === position) break;
  }
  return closed() ? undefined : "the upstream is still open after the reader cancelled.";
}

async function stop({ respond, closed }: WatchedModel, request: CreateResponse, position: number): Promise<Finding> {
  const controller = new AbortController();
  const events: ResponseEvent[] = [];
  for await (const event of respond(request, { signal: controller.signal })) {
    events.push(event);
    if (events.length !== position) continue;
    controller.abort();
    if (!isTerminal(event) && !closed()) return "the upstream is still open after the signal aborted.";
  }
  const last = events.at(-1);
  if (!last || !isTerminal(last)) return `the cancelled stream ends in ${last?.type ?? "nothing"}.`;
  return lifecycleLaw(events) ?? foldLaw(events);
}

import { AntiphonError } from "../../core/error.ts";
import { checkArgument } from "../../core/options.ts";
import type { EventStream, Respond } from "../../core/respond.ts";
import { isObject } from "../../model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../../model/index.ts";
import { run } from "./run.ts";
import { itemsAfter, pendingCalls } from "./run-items.ts";
import type { NeededContext, PendingCall, RunOptions } from "./run-options.ts";

/** A run that waits for somebody: plain JSON, to be kept anywhere and resumed in any process. */
export interface PausedRun {
  version: 1;
  /** What was asked, without its input. */
  request: Omit<CreateResponse, "input">;
  /** The input and all that was said and done since. */
  items: InputItem[];
  /** The calls that wait for a decision. */
  pending: PendingCall[];
}

/**
 * Returns what is needed to resume a run that ended with pending calls, or `undefined` if no call is pending.
 *
 * @example
 * const response = await collect(run(respond, request, { tools }));
 * const paused = pausedRun(request, response);
 * if (paused) await writeFile("paused.json", JSON.stringify(paused));
 */
export function pausedRun(request: CreateResponse, response: ResponseResource): PausedRun | undefined {
  checkArgument("pausedRun", "a request", isObject(request), request);
  const { input: _, ...rest } = request;
  const items = itemsAfter(request, response);
  const pending = pendingCalls(items);
  return pending.length > 0 ? { version: 1, request: rest, items, pending } : undefined;
}

/**
 * Resumes a paused run. `decisions` maps each pending `call_id` to a decision.
 *
 * @example
 * const paused = JSON.parse(await readFile("paused.json", "utf8"));
 * const decisions = { [paused.pending[0].call_id]: { action: "continue" } };
 * const response = await collect(resume(respond, paused, { tools, decisions }));
 */
export function resume<Context = unknown>(
  respond: Respond,
  paused: PausedRun,
  options?: RunOptions<Context> & NeededContext<Context>,
): EventStream {
  checkArgument("resume", "a paused run as its second argument", isObject(paused), paused);
  if (paused.version !== 1)
    throw new AntiphonError(
      "UNSUPPORTED",
      `The paused run has an unsupported format (version ${JSON.stringify(paused.version) ?? "missing"}).`,
    );
  return run(respond, { ...paused.request, input: paused.items }, options as RunOptions | undefined);
}

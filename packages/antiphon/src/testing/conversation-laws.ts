import { collect } from "../core/collect.ts";
import { outcome } from "../core/views.ts";
import type { Respond } from "../core/respond.ts";
import { lintItems } from "../conversation/lint.ts";
import type { Target } from "../conversation/log-records.ts";
import type { Log } from "../conversation/log.ts";
import { plan, type PlanOptions } from "../conversation/plan.ts";
import { user } from "../model/construct.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse } from "../model/index.ts";
import { firstDifference } from "./difference.ts";
import type { Finding } from "./laws.ts";

/** Checks the plan law: for any log, linting the planned input changes nothing. */
export function planLaw(log: Log, target: Target, options: PlanOptions = {}): Finding {
  const made = plan(log, target, options);
  const { items, changes } = lintItems(made.input, made.lint);
  const [change] = changes;
  if (change) return `The plan (${made.reason}) violates ${change.rule} at input[${change.index}], ${change.type}.`;
  const path = firstDifference(items, made.input);
  return path && `Linting changes the plan (${made.reason}) at ${path}.`;
}

/** A conversation that can be interrupted. */
export interface HeldConversation {
  /** Holds the conversation with the log. */
  respond: Respond;
  log: Log;
  target: Target;
}

/**
 * Checks the abort law for conversations: after cancelling a stream at any event, the log can be continued. `open`
 * makes the same conversation anew for each try; `positions` are counts of events.
 */
export async function resumeLaw(
  open: () => HeldConversation,
  request: CreateResponse,
  positions: readonly number[],
): Promise<Finding> {
  for (const position of positions) {
    const finding = (await resume(open(), request, position, "left")) ?? (await resume(open(), request, position, "stopped"));
    if (finding) return `After ${position} events: ${finding}`;
  }
  return undefined;
}

const next = user("Continue, please.");

async function resume(held: HeldConversation, request: CreateResponse, position: number, how: string): Promise<Finding> {
  await interrupted(held.respond, request, position, how);
  const { log, target } = held;
  const asked = typeof request.input === "string" ? [user(request.input)] : (request.input ?? []);
  for (const item of asked) {
    const times = log.items.filter((other) => other === item || JSON.stringify(other) === JSON.stringify(item)).length;
    if (times !== 1) return `a conversation that was ${how} contains an input item ${times} times.`;
  }
  const fork = log.fork();
  fork.append([{ item: next }]);
  if (fork.pending) return `a conversation that was ${how} leaves calls unanswered.`;
  const unlawful = planLaw(fork, target);
  if (unlawful) return `a conversation that was ${how}: ${unlawful}`;
  const answer = outcome(await collect(held.respond({ ...request, input: [next] })));
  return answer?.state === "completed" ? undefined : `a conversation that was ${how} ends in ${answer?.state ?? "nothing"}.`;
}

async function interrupted(respond: Respond, request: CreateResponse, position: number, how: string): Promise<void> {
  const controller = new AbortController();
  let count = 0;
  for await (const event of respond(request, { signal: controller.signal })) {
    count += 1;
    if (count !== position || isTerminal(event)) continue;
    if (how === "left") break;
    controller.abort();
  }
}

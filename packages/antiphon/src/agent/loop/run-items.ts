import { AntiphonError } from "../../core/error.ts";
import { areObjects, checkArgument, checkResponse, inQuotes } from "../../core/options.ts";
import { callId, callKey, isAnswer, unansweredCalls } from "../../core/pending.ts";
import { user } from "../../model/construct.ts";
import { inputType, isObject } from "../../model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../../model/index.ts";
import { pendingCall } from "./calls.ts";
import { expandParallel } from "./parallel-tool.ts";
import type { PendingCall, RunOptions } from "./run-options.ts";

/** A request's input as items. */
export const inputItems = ({ input }: CreateResponse): InputItem[] => (typeof input === "string" ? [user(input)] : (input ?? []));

/** Returns the input and output items of a run, as input for the next request. */
export function itemsAfter(request: CreateResponse, response: ResponseResource): InputItem[] {
  checkArgument("itemsAfter", "a request", isObject(request), request);
  checkResponse("itemsAfter", response);
  return [...inputItems(request), ...response.output.map(sendable)];
}

/** An answer as a request takes it: its id is the run's own, and no provider knows it. */
export function sendable(item: InputItem): InputItem {
  // A local shell's output is known by its call's id.
  if (!isAnswer(item) || item.type === "local_shell_call_output") return item;
  const { id: _, status, ...answer } = item as { id?: unknown; status?: unknown };
  // Only whether a patch went well is said by its status.
  return (item.type === "apply_patch_call_output" ? { ...answer, status } : answer) as InputItem;
}

/** The answers at the end of a list, which a provider that keeps the conversation has not seen. */
export const unsent = (items: readonly InputItem[]): InputItem[] =>
  items.slice(items.findLastIndex((item) => !isAnswer(item)) + 1);

/** Returns the calls in a list of items that have no output. */
export function pendingCalls(items: readonly InputItem[]): PendingCall[] {
  checkArgument("pendingCalls", "a list of items", areObjects(items), items);
  return unansweredCalls(items).map(pendingCall);
}

/**
 * The calls that a run has to deal with before it asks the model: those after the last message to the model, and those that were
 * decided about. A call that somebody talked past is history.
 */
export function leftOver(items: readonly InputItem[], decisions: RunOptions["decisions"] = {}): PendingCall[] {
  const tail = new Set(items.slice(items.findLastIndex(isToModel) + 1));
  return unansweredCalls(items)
    .filter((call) => tail.has(call) || Object.hasOwn(decisions, callId(call)))
    .map(pendingCall);
}

/**
 * Throws if a decision names a call that is not pending: a mistyped or outdated id must not look like an approval. The
 * calls inside a `parallel` call may be decided one by one, so their ids count too.
 */
export function checkDecisions(items: readonly InputItem[], decisions: RunOptions["decisions"] = {}): void {
  const decided = Object.keys(decisions);
  if (decided.length === 0) return;
  const inner = (call: PendingCall): PendingCall[] => expandParallel(call) ?? [];
  const pending = pendingCalls(items).flatMap((call) => [call, ...inner(call)].map(({ call_id }) => call_id));
  const unknown = decided.filter((id) => !pending.includes(id));
  if (unknown.length === 0) return;
  const which = pending.length > 0 ? `Pending calls: ${inQuotes(pending)}.` : "There are no pending calls.";
  const message = `\`decisions\` contains ${inQuotes(unknown)}, which is not pending. ${which}`;
  throw new AntiphonError("BAD_REQUEST", message, { param: "decisions" });
}

/** The ids of the calls that were answered since somebody last spoke to the model. */
export function answeredIds(items: readonly InputItem[]): string[] {
  const turn = items.slice(items.findLastIndex(isToModel) + 1);
  const waiting = new Set(unansweredCalls(turn));
  return turn.flatMap((item) => (callKey(item) === undefined || waiting.has(item) ? [] : [callId(item)]));
}

const isToModel = (item: InputItem): boolean => inputType(item) === "message" && "role" in item && item.role !== "assistant";

import type {
  ApplyPatchCall,
  ComputerCall,
  CustomToolCall,
  FunctionCall,
  InputItem,
  LocalShellCall,
  McpApprovalRequest,
  ShellCall,
} from "../model/index.ts";
import { inputType } from "../model/guards.ts";

/** An item that waits for the caller to act. */
export type CallItem =
  | FunctionCall
  | CustomToolCall
  | LocalShellCall
  | ShellCall
  | ApplyPatchCall
  | ComputerCall
  | McpApprovalRequest;
export type CallType = CallItem["type"];

interface Pair {
  /** The type of the item that answers. */
  answer: string;
  /** The field by which a call is known. */
  id: "call_id" | "id";
  /** The field of the answer that names its call. */
  names: "call_id" | "id" | "approval_request_id";
}

const byCallId = (answer: string): Pair => ({ answer, id: "call_id", names: "call_id" });

const pairs: Readonly<Record<CallType, Pair>> = {
  function_call: byCallId("function_call_output"),
  custom_tool_call: byCallId("custom_tool_call_output"),
  local_shell_call: { answer: "local_shell_call_output", id: "call_id", names: "id" },
  shell_call: byCallId("shell_call_output"),
  apply_patch_call: byCallId("apply_patch_call_output"),
  computer_call: byCallId("computer_call_output"),
  mcp_approval_request: { answer: "mcp_approval_response", id: "id", names: "approval_request_id" },
};
/** How each kind of call is answered. */
export const pairOf: ReadonlyMap<string, Pair> = new Map(Object.entries(pairs));
const calledBy: ReadonlyMap<string, string> = new Map(Object.entries(pairs).map(([call, { answer }]) => [answer, call]));

/** Whether an item answers a call. */
export const isAnswer = (item: InputItem): boolean => calledBy.has(inputType(item));

/** The id by which a call is answered. */
export const callId = (call: InputItem): string => String(Reflect.get(call, pairOf.get(inputType(call))?.id ?? "call_id"));

/** A name for a call, the same as `answerKey` gives its answer: type and id together, since two kinds of tools may count alike. */
export function callKey(item: InputItem): string | undefined {
  const type = inputType(item);
  return pairOf.has(type) ? `${type} ${callId(item)}` : undefined;
}

/** The name of the call that an item answers, or `undefined` if it answers none. */
export function answerKey(item: InputItem): string | undefined {
  const call = calledBy.get(inputType(item));
  return call && `${call} ${String(Reflect.get(item, pairOf.get(call)?.names ?? "call_id"))}`;
}

/**
 * The calls among these items that none behind them answers. Some servers count the calls of each response anew, so that an id may
 * stand for several: an answer is that of the earliest which waits.
 */
export function unansweredCalls<T extends InputItem>(items: readonly T[]): T[] {
  const calls = items.filter((item) => pairOf.has(inputType(item)));
  if (calls.length === 0) return calls;
  const waiting = new Map<string, T[]>();
  for (const item of items) {
    const key = callKey(item);
    if (key !== undefined) waiting.set(key, [...(waiting.get(key) ?? []), item]);
    else waiting.get(answerKey(item) ?? "")?.shift();
  }
  const left = new Set([...waiting.values()].flat());
  return calls.filter((call) => left.has(call));
}

import { callId, type CallItem, type CallType } from "../../core/pending.ts";
import { isObject } from "../../model/guards.ts";
import type { InputContent, InputItem, Item, ShellOutput } from "../../model/index.ts";
import type { ToolFailure } from "./run-events.ts";
import type { PendingCall } from "./run-options.ts";
import { toolOutput } from "../../tools/output.ts";

/** All that tells one kind of call from another. */
interface CallKind<T> {
  /** What its tool is called, in `PendingCall.name`. */
  name(item: T): string;
  /** What the model wrote. */
  written(item: T): unknown;
  /** The types of the tools that run it, where it does not name its tool; none where there is nothing to run. */
  tools?: readonly string[];
  /** The start of its output's id. */
  prefix: string;
  output(call: PendingCall, value: unknown): InputItem;
  /** Nothing where the wire has no words for it: such a call stays unanswered. */
  failure(call: PendingCall, text: string, why: ToolFailure): InputItem | undefined;
}

const text = (value: unknown): string => {
  const output = toolOutput(value);
  return typeof output === "string" ? output : JSON.stringify(output);
};

const functionOutput = ({ call_id }: PendingCall, output: string | InputContent[]): InputItem => ({
  type: "function_call_output",
  call_id,
  output,
});
const customOutput = ({ call_id }: PendingCall, output: string | InputContent[]): InputItem => ({
  type: "custom_tool_call_output",
  call_id,
  output,
});
const shellOutput = ({ call_id, item }: PendingCall, output: ShellOutput[]): InputItem => ({
  type: "shell_call_output",
  call_id,
  output,
  // The provider wants its own limit back.
  ...(item.type === "shell_call" && item.action.max_output_length && { max_output_length: item.action.max_output_length }),
});
const exit = (stdout: string, stderr: string, exit_code: number): ShellOutput => ({
  stdout,
  stderr,
  outcome: { type: "exit", exit_code },
});
const isShellOutput = (value: unknown): value is ShellOutput =>
  isObject(value) && typeof value["stdout"] === "string" && typeof value["stderr"] === "string" && isObject(value["outcome"]);

/** A picture of the screen: its address, or the very object that the wire wants. */
const screenshot = (value: unknown): { type: "computer_screenshot"; image_url?: string; file_id?: string } =>
  isObject(value) ? { ...value, type: "computer_screenshot" } : { type: "computer_screenshot", image_url: String(value) };

const kinds: { readonly [T in CallType]: CallKind<Extract<CallItem, { type: T }>> } = {
  function_call: {
    name: (item) => item.name,
    written: (item) => item.arguments,
    prefix: "fco",
    output: (call, value) => functionOutput(call, toolOutput(value)),
    failure: functionOutput,
  },
  custom_tool_call: {
    name: (item) => item.name,
    written: (item) => item.input,
    prefix: "ctco",
    output: (call, value) => customOutput(call, toolOutput(value)),
    failure: customOutput,
  },
  local_shell_call: {
    name: () => "local_shell",
    written: (item) => item,
    tools: ["local_shell"],
    prefix: "lsho",
    output: ({ call_id }, value) => ({ type: "local_shell_call_output", id: call_id, output: text(value) }),
    failure: ({ call_id }, output) => ({ type: "local_shell_call_output", id: call_id, output }),
  },
  shell_call: {
    name: () => "shell",
    written: (item) => item,
    tools: ["shell"],
    prefix: "sho",
    output: (call, value) =>
      shellOutput(call, Array.isArray(value) && value.every(isShellOutput) ? value : [exit(text(value), "", 0)]),
    failure: (call, stderr, why) =>
      shellOutput(call, [why === "timeout" ? { stdout: "", stderr, outcome: { type: "timeout" } } : exit("", stderr, 1)]),
  },
  apply_patch_call: {
    name: () => "apply_patch",
    written: (item) => item,
    tools: ["apply_patch"],
    prefix: "apco",
    output: ({ call_id }, value) => ({ type: "apply_patch_call_output", call_id, status: "completed", output: text(value) }),
    failure: ({ call_id }, output) => ({ type: "apply_patch_call_output", call_id, status: "failed", output }),
  },
  computer_call: {
    name: () => "computer",
    written: (item) => item,
    tools: ["computer", "computer_use_preview"],
    prefix: "cuo",
    output: ({ call_id, item }, value) => ({
      type: "computer_call_output",
      call_id,
      output: screenshot(value),
      ...acknowledged(item),
    }),
    failure: () => undefined,
  },
  mcp_approval_request: {
    name: (item) => item.name,
    written: (item) => item.arguments,
    tools: [],
    prefix: "mcpr",
    output: ({ call_id }) => ({ type: "mcp_approval_response", approval_request_id: call_id, approve: true }),
    failure: ({ call_id }, reason) => ({
      type: "mcp_approval_response",
      approval_request_id: call_id,
      approve: false,
      reason,
    }),
  },
};

/** Whoever let the call run has agreed to its safety checks. */
const acknowledged = (item: Item): object => {
  const checks = item.type === "computer_call" ? item.pending_safety_checks : [];
  return checks.length > 0 ? { acknowledged_safety_checks: checks } : {};
};

// A pending call is made of an item that has one of these types.
const kindOf = (type: string): CallKind<CallItem> => kinds[type as CallType];

/** A call as hooks and callers see it. */
export function pendingCall(item: InputItem): PendingCall {
  // A request may leave out a call's own id and status; nobody here needs them.
  const call = item as CallItem;
  const kind = kindOf(call.type);
  return { type: call.type, name: kind.name(call), call_id: callId(call), written: kind.written(call), item: call };
}

/** The types of the tools that run a call which does not name its tool. */
export const executorsOf = ({ type }: PendingCall): readonly string[] | undefined => kindOf(type).tools;

/** Whether a call asks for consent alone: what it would run is not here. */
export const asksConsent = ({ type }: PendingCall): boolean => kindOf(type).tools?.length === 0;

/** Whether somebody must look at a call before anything runs, whatever its tool says. */
export const needsLook = ({ item }: PendingCall): boolean =>
  item.type === "computer_call" && (item.pending_safety_checks ?? []).length > 0;

/** What a request holds as the answer to a call. */
export const outputOf = (call: PendingCall, value: unknown): InputItem => kindOf(call.type).output(call, value);

/** The same where there is no result, if the kind of call has words for that. */
export const failureOf = (call: PendingCall, words: string, why: ToolFailure): InputItem | undefined =>
  kindOf(call.type).failure(call, words, why);

/** An answer as a response holds it. */
export function answerItem({ type }: PendingCall, output: InputItem, newId: (prefix: string) => string): Item {
  // Consents and local shells' outputs are known as parts of requests alone; here they stand in a response like the others.
  return { id: newId(kindOf(type).prefix), status: "completed", ...output } as Item;
}

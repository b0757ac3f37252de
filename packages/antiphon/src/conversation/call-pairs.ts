import { pairOf } from "../core/pending.ts";
import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";

/** A field of an item where it holds text. */
export function stringIn(item: object, field: string): string | undefined {
  const value: unknown = Reflect.get(item, field);
  return typeof value === "string" ? value : undefined;
}

/** What stands where a call was never answered. */
const interrupted = "The call was interrupted before its result arrived. It may or may not have taken effect.";

// A screen that shows nothing: a computer call can only be answered with a picture.
const blank =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What stands for the answer to a call that nobody will answer any more, for the calls that a server wants answered before it goes on. */
const standIns: Readonly<Record<string, (call_id: string) => InputItem>> = {
  function_call: (call_id) => ({ type: "function_call_output", call_id, output: interrupted, status: "incomplete" }),
  custom_tool_call: (call_id) => ({ type: "custom_tool_call_output", call_id, output: interrupted, status: "incomplete" }),
  local_shell_call: (call_id) => ({ type: "local_shell_call_output", id: call_id, output: interrupted, status: "incomplete" }),
  shell_call: (call_id) => ({
    type: "shell_call_output",
    call_id,
    output: [{ stdout: "", stderr: interrupted, outcome: { type: "exit", exit_code: 130 } }],
    status: "incomplete",
  }),
  apply_patch_call: (call_id) => ({ type: "apply_patch_call_output", call_id, status: "failed", output: interrupted }),
  computer_call: (call_id) => ({
    type: "computer_call_output",
    call_id,
    output: { type: "computer_screenshot", image_url: blank },
    status: "incomplete",
  }),
};

/** What items of a type have to do with calls that somebody has to answer. */
export interface PairPart {
  /** The type of the call. */
  call: string;
  /** Whether it is the call; else it is the output. */
  opens: boolean;
  /** The field with the call's id. */
  field: string;
}

const parts: ReadonlyMap<string, PairPart> = new Map(
  Object.keys(standIns).flatMap((call): [string, PairPart][] => {
    const { answer, id, names } = pairOf.get(call)!;
    return [
      [call, { call, opens: true, field: id }],
      [answer, { call, opens: false, field: names }],
    ];
  }),
);

/** What items of a type have to do with calls; nothing where that is nothing. */
export const pairPart = (type: string): PairPart | undefined => parts.get(type);

/** Type and id together, since two kinds of tools may count alike. */
const nameOf = (item: InputItem, { call, field }: PairPart): string => `${call} ${String(Reflect.get(item, field))}`;

/** The name of the pair that a call opens; nothing for items that nobody has to answer. */
export function opens(item: InputItem): string | undefined {
  const part = pairPart(inputType(item));
  return part?.opens ? nameOf(item, part) : undefined;
}

/** The name of the pair that an output closes. */
export function closes(item: InputItem): string | undefined {
  const part = pairPart(inputType(item));
  return part && !part.opens ? nameOf(item, part) : undefined;
}

/** Returns the calls that these items answer and do not contain, with no more than their types and ids. */
export function callsElsewhere(items: readonly InputItem[]): InputItem[] {
  const known = new Set<string>();
  const calls: InputItem[] = [];
  for (const item of items) {
    const part = pairPart(inputType(item));
    if (!part) continue;
    const pair = nameOf(item, part);
    const call: object = { type: part.call, call_id: Reflect.get(item, part.field) };
    // Whoever pairs calls and outputs reads no other field of a call.
    if (!part.opens && !known.has(pair)) calls.push(call as InputItem);
    known.add(pair);
  }
  return calls;
}

/** Whether an item counts as a message: somebody's words, or what a tool said. */
export const isMessage = (item: InputItem): boolean => inputType(item) === "message" || closes(item) !== undefined;

const undecided = "The conversation continued before the call was approved.";

/** Returns the answer to a call that nobody answered: it was interrupted, or, if it waited for approval, it is declined. */
export function standIn(pair: string): InputItem {
  const space = pair.indexOf(" ");
  const [type, id] = [pair.slice(0, space), pair.slice(space + 1)];
  if (type === "mcp_approval_request")
    return { type: "mcp_approval_response", approval_request_id: id, approve: false, reason: undecided };
  const stand = standIns[type];
  if (!stand) throw new TypeError(`Unknown type of call: ${pair}.`);
  return stand(id);
}

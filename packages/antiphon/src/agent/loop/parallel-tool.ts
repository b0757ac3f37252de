import { isObject } from "../../model/guards.ts";
import type { FunctionCall, InputContent } from "../../model/index.ts";
import { pendingCall } from "./calls.ts";
import type { PendingCall } from "./run-options.ts";

// Some models write several calls as one, of a tool that nobody declared.
const names: ReadonlySet<string> = new Set(["parallel", "multi_tool_use.parallel", "functions.parallel"]);

/** The calls inside a call of the `parallel` pseudo-tool; nothing where it is not one. */
export function expandParallel(call: PendingCall): PendingCall[] | undefined {
  const namespace: unknown = Reflect.get(call.item, "namespace");
  const name = typeof namespace === "string" ? `${namespace}.${call.name}` : call.name;
  if (call.type !== "function_call" || !names.has(name)) return undefined;
  const uses = usesIn(call.written);
  return uses && uses.map((use, index) => innerCall(call, use, index));
}

interface Use {
  recipient_name: string;
  parameters: unknown;
}

function usesIn(written: unknown): Use[] | undefined {
  const parsed = typeof written === "string" ? parse(written) : written;
  const uses = isObject(parsed) ? parsed["tool_uses"] : undefined;
  return Array.isArray(uses) && uses.length > 0 && uses.every(isUse) ? uses : undefined;
}

const isUse = (value: unknown): value is Use => isObject(value) && typeof value["recipient_name"] === "string";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function innerCall({ call_id, item }: PendingCall, { recipient_name, parameters }: Use, index: number): PendingCall {
  const inner: FunctionCall = {
    type: "function_call",
    id: `${item.id}.${index}`,
    call_id: `${call_id}.${index}`,
    name: recipient_name.replace(/^functions\./, ""),
    arguments: JSON.stringify(parameters ?? {}),
    status: "completed",
  };
  return pendingCall(inner);
}

/** The outputs of the inner calls as one: JSON where all is text, else the parts one after the other, each under its tool's name. */
export function combineOutputs(
  calls: readonly PendingCall[],
  outputs: readonly (string | InputContent[])[],
): string | InputContent[] {
  const pairs = calls.map(({ name }, index) => ({ recipient_name: name, output: outputs[index] ?? "" }));
  if (pairs.every(({ output }) => typeof output === "string")) return JSON.stringify(pairs);
  return pairs.flatMap(({ recipient_name, output }): InputContent[] => [
    { type: "input_text", text: `${recipient_name}:` },
    ...(typeof output === "string" ? [{ type: "input_text" as const, text: output }] : output),
  ]);
}

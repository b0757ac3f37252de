import { AntiphonError } from "../../core/error.ts";
import type { Loss } from "../../core/loss.ts";
import { inputType } from "../../model/guards.ts";
import type {
  Annotation,
  AssistantMessageParam,
  CustomToolCall,
  FunctionCall,
  FunctionCallOutput,
  HostedItem,
  InputContent,
  InputItem,
  ReasoningParam,
  SystemMessageParam,
  UserMessageParam,
} from "../../model/index.ts";

/** A call of the caller's tool, in either form. */
export interface CallStep {
  type: "call";
  call_id: string;
  name: string;
  namespace?: string;
  kind: "function" | "custom";
  /** JSON arguments of a function; plain text of a free-form tool. */
  input: string;
  /** The item itself, for wires that keep more of it. */
  item: FunctionCall | CustomToolCall;
}

/** One thing that the assistant did in its turn, in order. */
export type AssistantStep =
  | { type: "text"; text: string; annotations?: Annotation[] }
  | { type: "refusal"; text: string }
  | { type: "reasoning"; item: ReasoningParam; path: string }
  | { type: "hosted"; item: HostedItem; path: string }
  | CallStep;

/** What a tool gave back. */
export interface ToolResult {
  call_id: string;
  /** The name of the function that was called. */
  name: string;
  namespace?: string;
  output: string | InputContent[];
  failed: boolean;
  path: string;
  /** The item itself, for wires that keep more of it; a stand-in has none. */
  item?: object;
}

/** A stretch of conversation by one side, as wires of alternating messages want it. */
export type Turn =
  | { role: "system"; text: string; path: string; developer?: true; item: SystemMessageParam }
  | { role: "user"; content: InputContent[]; path: string }
  | { role: "assistant"; steps: AssistantStep[] }
  | { role: "tool"; results: ToolResult[] };

/** The text that stands in for the result of a call that was never answered. */
const noResult = "No result: the call was interrupted.";

/**
 * Puts items into turns: calls of one turn together, each followed at once by its results in the order of the calls. A result
 * without a call is refused; a call without a result gets a stand-in, declared as a loss. `api` is the name for messages.
 */
export function toTurns(input: string | readonly InputItem[] | null | undefined, losses: Loss[], api: string): Turn[] {
  if (typeof input === "string") return [{ role: "user", content: [{ type: "input_text", text: input }], path: "input" }];
  const builder = new TurnBuilder(losses, outputsOf(input ?? []), api);
  (input ?? []).forEach((item, index) => builder.add(item, `input[${index}]`));
  return builder.end();
}

type Output = { item: Pick<FunctionCallOutput, "call_id" | "output"> & { status?: string | null }; path: string };

const isOutput = (item: InputItem): item is Extract<InputItem, { type: "function_call_output" | "custom_tool_call_output" }> =>
  item.type === "function_call_output" || item.type === "custom_tool_call_output";

/** Counts how often each id was called: some models use an id again in a later turn. */
class Occurrences {
  readonly #counts = new Map<string, number>();

  /** A name for the newest call with this id. */
  latest(call_id: string): string {
    return `${this.#counts.get(call_id) ?? 0}:${call_id}`;
  }

  next(call_id: string): string {
    this.#counts.set(call_id, (this.#counts.get(call_id) ?? 0) + 1);
    return this.latest(call_id);
  }
}

/** Results by call; where a call was answered twice, the last answer stands. */
function outputsOf(input: readonly InputItem[]): Map<string, Output> {
  const outputs = new Map<string, Output>();
  const calls = new Occurrences();
  input.forEach((item, index) => {
    if (item.type === "function_call" || item.type === "custom_tool_call") calls.next((item as CustomToolCall).call_id);
    // The guard above leaves only items with a call id and an output.
    if (isOutput(item)) outputs.set(calls.latest(item.call_id), { item: item, path: `input[${index}]` });
  });
  return outputs;
}

class TurnBuilder {
  readonly #losses: Loss[];
  readonly #outputs: Map<string, Output>;
  readonly #api: string;
  readonly #calls = new Occurrences();
  readonly #called = new Set<string>();
  readonly #names = new Map<CallStep, string>();
  readonly #turns: Turn[] = [];
  #steps: AssistantStep[] = [];

  constructor(losses: Loss[], outputs: Map<string, Output>, api: string) {
    this.#losses = losses;
    this.#outputs = outputs;
    this.#api = api;
  }

  add(item: InputItem, path: string): void {
    const type = inputType(item);
    if (type === "message") return this.#message(item as UserMessageParam | SystemMessageParam | AssistantMessageParam, path);
    if (type === "reasoning") return void this.#steps.push({ type: "reasoning", item: item as ReasoningParam, path });
    if (type === "function_call") return this.#call(item as FunctionCall);
    if (type === "custom_tool_call") return this.#call(item as CustomToolCall);
    if (isOutput(item)) return this.#result(item.call_id, path);
    // Its tools are declared with the others.
    if (type === "additional_tools") return;
    if (type === "item_reference" || type === "compaction")
      return this.#lose(path, `The ${this.#api} does not support \`${type}\` items.`);
    this.#steps.push({ type: "hosted", item: item as HostedItem, path });
  }

  end(): Turn[] {
    this.#flush();
    return this.#turns;
  }

  #lose(path: string, reason: string): void {
    this.#losses.push({ path, reason });
  }

  #message(item: UserMessageParam | SystemMessageParam | AssistantMessageParam, path: string): void {
    if (item.role === "assistant") {
      for (const part of assistantParts(item)) if (part.text) this.#steps.push(part);
      return;
    }
    this.#flush();
    const content = typeof item.content === "string" ? [{ type: "input_text" as const, text: item.content }] : item.content;
    if (item.role === "user") this.#turns.push({ role: "user", content, path });
    else this.#turns.push(systemTurn(item, content.map((part) => ("text" in part ? part.text : "")).join(""), path));
  }

  #call(item: FunctionCall | CustomToolCall): void {
    this.#called.add(item.call_id);
    const { call_id, name, namespace } = item;
    const call =
      item.type === "function_call"
        ? { kind: "function" as const, input: item.arguments }
        : { kind: "custom" as const, input: item.input };
    const step: CallStep = { type: "call", call_id, name, ...call, ...(namespace === undefined ? {} : { namespace }), item };
    this.#names.set(step, this.#calls.next(call_id));
    this.#steps.push(step);
  }

  // Results are placed with their calls; here it is only checked that there is one.
  #result(call_id: string, path: string): void {
    if (!this.#called.has(call_id))
      throw new AntiphonError("BAD_REQUEST", `This output has no matching call: no earlier call has the id "${call_id}".`, {
        param: path,
      });
    if (this.#steps.length > 0) this.#flush();
  }

  /** Ends the assistant's turn and places the results of its calls. */
  #flush(): void {
    const steps = this.#steps;
    this.#steps = [];
    if (steps.length === 0) return;
    this.#turns.push({ role: "assistant", steps });
    const calls = steps.filter((step) => step.type === "call");
    if (calls.length > 0) this.#turns.push({ role: "tool", results: calls.map((call) => this.#answer(call)) });
  }

  #answer(step: CallStep): ToolResult {
    const { call_id, name, namespace } = step;
    const found = this.#outputs.get(this.#names.get(step) ?? "");
    if (!found) this.#lose("input", `The call "${call_id}" has no output; a placeholder was sent.`);
    const { output, status } = found?.item ?? { output: noResult, status: "incomplete" };
    const path = found?.path ?? "input";
    const named = { call_id, name, ...(namespace === undefined ? {} : { namespace }) };
    return { ...named, output, failed: status === "incomplete", path, ...(found && { item: found.item }) };
  }
}

const systemTurn = (item: SystemMessageParam, text: string, path: string): Turn => ({
  role: "system",
  text,
  path,
  ...(item.role === "developer" ? { developer: true } : {}),
  item,
});

type Said = Extract<AssistantStep, { type: "text" | "refusal" }>;

function assistantParts({ content }: AssistantMessageParam): Said[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part): Said => {
    if ("refusal" in part) return { type: "refusal", text: part.refusal };
    return { type: "text", text: part.text, ...("annotations" in part && { annotations: part.annotations }) };
  });
}

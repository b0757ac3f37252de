import { inputType, isObject } from "../../model/guards.ts";
import type { CreateResponse, InputItem } from "../../model/index.ts";
import { readDirectives, type Orders } from "./directives.ts";

/** What a tool of the caller's gave back. */
export interface ToolResult {
  name: string;
  text: string;
}

/** What the model makes of a request. */
export interface Prompt {
  /** The last user message without its directives. */
  text: string;
  orders: Orders;
  /** The user messages before it, oldest first. */
  earlier: string[];
  /** What the operator said: `instructions`, system and developer messages. */
  instructions: string[];
  /** What is attached to the last user message: `1 image`, `1 file (report.pdf)`. */
  attachments: string[];
  /** The names of the tools called since the last user message. */
  called: string[];
  /** What they gave back. */
  results: ToolResult[];
}

/** Reads a conversation as far as this model understands it. */
export function readPrompt(request: CreateResponse, items: readonly InputItem[]): Prompt {
  const messages = items.filter((item) => inputType(item) === "message");
  const said = messages.filter((item) => roleOf(item) === "user");
  const last = said.at(-1);
  const { orders, text } = readDirectives(textOf(last && contentOf(last)));
  const since = last ? items.slice(items.lastIndexOf(last) + 1) : items;
  const told = messages.filter((item) => operators.has(roleOf(item))).map((item) => textOf(contentOf(item)));
  return {
    text,
    orders,
    earlier: said.slice(0, -1).map((item) => readDirectives(textOf(contentOf(item))).text),
    instructions: [request.instructions ?? "", ...told].filter(Boolean),
    attachments: attachmentsOf(last && contentOf(last)),
    called: since.filter((item) => calls.has(inputType(item))).map(nameOf),
    results: resultsIn(since, items),
  };
}

const operators: ReadonlySet<string> = new Set(["system", "developer"]);
const calls: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);
const outputs: ReadonlySet<string> = new Set(["function_call_output", "custom_tool_call_output"]);

/** Whether an input item is a call of one of the caller's tools. */
export const isCall = (item: InputItem): boolean => calls.has(inputType(item));
/** Whether an input item answers such a call. */
export const isCallOutput = (item: InputItem): boolean => outputs.has(inputType(item));
/** A field of an item where it holds text. */
export const stringIn = (item: object, field: string): string => {
  const value: unknown = Reflect.get(item, field);
  return typeof value === "string" ? value : "";
};

const roleOf = (item: InputItem): string => stringIn(item, "role");
const nameOf = (item: InputItem): string => stringIn(item, "name");
const contentOf = (item: InputItem): unknown => Reflect.get(item, "content");

const partsOf = (content: unknown): object[] => (Array.isArray(content) ? content.filter(isObject) : []);

/** The words in a content list; attachments are named, not read. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return partsOf(content)
    .map((part) => stringIn(part, "text"))
    .filter(Boolean)
    .join("\n");
}

const kinds: Readonly<Record<string, string>> = {
  input_image: "image",
  input_file: "file",
  input_video: "video",
  input_audio: "recording",
};

function attachmentsOf(content: unknown): string[] {
  const parts = partsOf(content);
  return Object.entries(kinds).flatMap(([type, kind]) => {
    const found = parts.filter((part) => stringIn(part, "type") === type);
    if (found.length === 0) return [];
    const names = found.map((part) => stringIn(part, "filename")).filter(Boolean);
    const named = names.length > 0 ? ` (${names.join(", ")})` : "";
    return [`${found.length} ${kind}${found.length === 1 ? "" : "s"}${named}`];
  });
}

function resultsIn(since: readonly InputItem[], items: readonly InputItem[]): ToolResult[] {
  const names = new Map(items.filter(isCall).map((item) => [stringIn(item, "call_id"), nameOf(item)]));
  return since.filter(isCallOutput).map((item) => {
    const output: unknown = Reflect.get(item, "output");
    const text = [textOf(output), ...attachmentsOf(output).map((attachment) => `[${attachment}]`)].filter(Boolean).join(" ");
    return { name: names.get(stringIn(item, "call_id")) ?? "tool", text };
  });
}

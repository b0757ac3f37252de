import { assistant } from "../model/construct.ts";
import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { stringIn } from "./call-pairs.ts";

// An item of the caller's own tools, or one that every provider knows.
const common: ReadonlySet<string> = new Set([
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  "compaction",
  "item_reference",
]);

/** Whether only the provider that offers the tool knows what to do with items of a type. */
export const isHosted = (type: string): boolean => !common.has(type);

const longest = 8_000;
const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** How each kind is told; a kind that is missing here leaves nothing worth telling. */
const tellers: Readonly<Record<string, (item: InputItem) => string>> = {
  web_search_call: (item) => told("Web search", field(item, "action")),
  file_search_call: (item) => told("File search", field(item, "queries"), field(item, "results")),
  code_interpreter_call: (item) => told("Executed code", field(item, "code"), field(item, "outputs")),
  mcp_call: (item) =>
    told(`Tool ${stringIn(item, "name") ?? ""}`, field(item, "arguments"), field(item, "output") || field(item, "error")),
  image_generation_call: (item) => told("Generated image", field(item, "revised_prompt")),
  local_shell_call: (item) => told("Command", field(item, "action")),
  local_shell_call_output: (item) => told("Command output", field(item, "output")),
  shell_call: (item) => told("Commands", field(item, "action")),
  shell_call_output: (item) => told("Command output", field(item, "output")),
  apply_patch_call: (item) => told("File change", field(item, "operation")),
  apply_patch_call_output: (item) => told("Result of the file change", field(item, "status"), field(item, "output")),
};

const told = (title: string, ...parts: string[]): string => {
  const said = parts.filter(Boolean).map(shorten);
  return said.length > 0 ? `[${title}]\n${said.join("\n")}` : "";
};

/** A field as text: structures as JSON, since the reader is a model. */
function field(item: InputItem, name: string): string {
  const value: unknown = Reflect.get(item, name);
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a server-side item says, as a message that any provider takes; nothing where it says nothing. */
export function hostedText(item: InputItem): InputItem | undefined {
  const type = inputType(item);
  const text = Object.hasOwn(tellers, type) ? tellers[type]!(item) : "";
  return text ? assistant(text) : undefined;
}

import { inputType, isObject, own } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { stringIn } from "./call-pairs.ts";
import { clip } from "./clip.ts";

const attachments: ReadonlyMap<unknown, string> = new Map([
  ["input_image", "image"],
  ["input_file", "file"],
  ["input_audio", "recording"],
  ["input_video", "video"],
  ["computer_screenshot", "screen"],
]);

/** What a content list says; attachments are named, not shown. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).filter(Boolean).join("\n");
  if (!isObject(content)) return "";
  const kind = attachments.get(content["type"]);
  if (kind) return `[${[kind, stringIn(content, "filename")].filter(Boolean).join(" ")}]`;
  return stringIn(content, "text") ?? stringIn(content, "refusal") ?? JSON.stringify(content);
}

type Render = (item: InputItem) => string;
const field = (item: InputItem, name: string): unknown => Reflect.get(item, name);
const named = (kind: string, item: InputItem): string => [kind, stringIn(item, "name") ?? ""].filter(Boolean).join(" ");

const call: Render = (item) => `TOOL CALL ${stringIn(item, "name") ?? inputType(item)}:\n${textOf(writtenIn(item))}`;
const result: Render = (item) => `TOOL RESULT:\n${textOf(field(item, "output"))}`;
const writtenIn = (item: InputItem): unknown =>
  ["arguments", "input", "action", "operation", "actions"].map((name) => field(item, name)).find((value) => value != null) ?? "";

// What is in none of these rows is shown as JSON; thoughts and blobs are not shown at all.
const renders: Readonly<Record<string, Render>> = {
  message: (item) => `${(stringIn(item, "role") ?? "user").toUpperCase()}:\n${textOf(field(item, "content"))}`,
  function_call: call,
  custom_tool_call: call,
  local_shell_call: call,
  shell_call: call,
  apply_patch_call: call,
  computer_call: call,
  function_call_output: result,
  custom_tool_call_output: result,
  local_shell_call_output: result,
  shell_call_output: result,
  apply_patch_call_output: result,
  computer_call_output: result,
  image_generation_call: (item) => `[image made: ${stringIn(item, "revised_prompt") ?? ""}]`,
  mcp_call: (item) =>
    `${named("TOOL CALL", item)}:\n${textOf(field(item, "arguments"))}\nTOOL RESULT:\n${textOf(field(item, "output"))}`,
  mcp_list_tools: () => "",
  reasoning: () => "",
  compaction: () => "",
  item_reference: () => "",
};

/** An item as people write down what was said, each in at most so many characters. */
export function renderItem(item: InputItem, longest: number): string {
  const type = inputType(item);
  const render = own(renders, type);
  return clip(render ? render(item) : `${type.toUpperCase()}:\n${JSON.stringify(item)}`, longest);
}

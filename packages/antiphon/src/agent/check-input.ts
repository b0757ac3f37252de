import { AntiphonError } from "../core/error.ts";
import { nearest } from "../core/nearest.ts";
import { butNot } from "../core/options.ts";
import { isObject, own, type JsonObject } from "../model/guards.ts";
import type { InputContent, InputItem, MessageContent, Role } from "../model/index.ts";

// Records, so that a missing or misspelt name does not compile.
const roles: { readonly [R in Role]: true } = { user: true, assistant: true, system: true, developer: true };

const inputParts: { readonly [T in InputContent["type"]]: true } = {
  input_text: true,
  input_image: true,
  input_file: true,
  input_video: true,
  input_audio: true,
};

const anyParts: { readonly [T in MessageContent["type"]]: true } = {
  ...inputParts,
  output_text: true,
  refusal: true,
  summary_text: true,
  reasoning_text: true,
  text: true,
};

type BareType = Exclude<NonNullable<InputItem["type"]>, `${string}:${string}`>;

const itemTypes: { readonly [T in BareType]: true } = {
  message: true,
  item_reference: true,
  reasoning: true,
  compaction: true,
  function_call: true,
  function_call_output: true,
  custom_tool_call: true,
  custom_tool_call_output: true,
  web_search_call: true,
  file_search_call: true,
  code_interpreter_call: true,
  image_generation_call: true,
  mcp_list_tools: true,
  mcp_call: true,
  mcp_approval_request: true,
  mcp_approval_response: true,
  local_shell_call: true,
  local_shell_call_output: true,
  shell_call: true,
  shell_call_output: true,
  apply_patch_call: true,
  apply_patch_call_output: true,
  computer_call: true,
  computer_call_output: true,
  tool_search_call: true,
  tool_search_output: true,
  program: true,
  program_output: true,
};

/** What other APIs call the parts of a message. */
const otherParts: Readonly<Record<string, InputContent["type"]>> = {
  text: "input_text",
  image: "input_image",
  image_url: "input_image",
  file: "input_file",
  document: "input_file",
  audio: "input_audio",
  video: "input_video",
  video_url: "input_video",
};

/** What other APIs call the roles. */
const otherRoles: Readonly<Record<string, Role>> = { human: "user", ai: "assistant", bot: "assistant", model: "assistant" };

/** Whether a value is, or is meant to be, a part of a message. */
export const isPart = (value: unknown): boolean =>
  isObject(value) &&
  typeof value["type"] === "string" &&
  (Object.hasOwn(anyParts, value["type"]) || Object.hasOwn(otherParts, value["type"]));

/**
 * Throws `BAD_REQUEST` for an item that the caller wrote wrongly. An item with an id comes from a server, and types with a
 * vendor's prefix are the vendor's: both pass unread, since servers may send types that this library does not know.
 */
export function checkItem(item: unknown, path: string): void {
  if (!isObject(item)) throw wrong(path, `must be an item${butNot(item)}`);
  const { id, type, role } = item;
  if ((typeof id === "string" && id !== "") || (typeof type === "string" && type.includes(":"))) return;
  if (type === "message" || (isMissing(type) && !isMissing(role))) checkMessage(item, path);
  else if (typeof type !== "string") throw wrong(path, untyped(item));
  else if (isPart(item)) throw wrong(path, `is a message part (\`${type}\`), not an item: put it into a list of parts`);
  else if (type === "function_call_output" || type === "custom_tool_call_output")
    checkContent(item["output"], `${path}.output`, inputParts);
  else if (!Object.hasOwn(itemTypes, type)) {
    // A type that is close to a known one is a typing mistake; any other may be one that a server has introduced.
    const near = nearest(type, [...Object.keys(itemTypes), ...Object.keys(inputParts)], () => 2);
    if (near) throw unknown("type", type, near, `${path}.type`);
  }
}

function untyped(item: JsonObject): string {
  const holder = ["messages", "input", "items", "history"].find((name) => Array.isArray(item[name]));
  return holder ? `is not an item: pass its \`${holder}\` list instead` : "is not an item: it needs a `type` or a `role`";
}

function checkMessage({ role, content }: JsonObject, path: string): void {
  if (typeof role !== "string" || !Object.hasOwn(roles, role)) throw unknownRole(role, `${path}.role`);
  checkContent(content, `${path}.content`, role === "assistant" ? anyParts : inputParts);
}

function unknownRole(role: unknown, path: string): AntiphonError {
  const names = Object.keys(roles);
  if (typeof role !== "string") return wrong(path, `must be one of ${names.join(", ")}`);
  if (role === "tool" || role === "function")
    return wrong(path, `must be one of ${names.join(", ")}; the result of a tool is a \`function_call_output\` item`);
  return unknown("role", role, own(otherRoles, role) ?? nearest(role, names), path);
}

function checkContent(content: unknown, path: string, known: object): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) throw wrong(path, `must be text or a list of parts${butNot(content)}`);
  checkParts(content, path, known);
}

/** Throws `BAD_REQUEST` for a part that the caller wrote wrongly; by default, of a user's message. */
export function checkParts(parts: readonly unknown[], path: string, known: object = inputParts): void {
  for (const [index, part] of parts.entries()) {
    const at = `${path}[${index}]`;
    if (!isObject(part)) throw wrong(at, `must be a message part${butNot(part)}`);
    const { type, text } = part;
    if (typeof type !== "string") throw wrong(`${at}.type`, `must be text${butNot(type)}`);
    if (type.includes(":")) continue;
    if (!Object.hasOwn(known, type))
      throw unknown("part type", type, own(otherParts, type) ?? nearest(type, Object.keys(known)), `${at}.type`);
    if (type.endsWith("_text") && typeof text !== "string") throw wrong(`${at}.text`, `must be text${butNot(text)}`);
  }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

const wrong = (path: string, fault: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `\`${path}\` ${fault}.`, { param: path });

function unknown(what: string, given: string, meant: string | undefined, param: string): AntiphonError {
  const hint = meant === undefined ? "" : ` Did you mean \`${meant}\`?`;
  return new AntiphonError("BAD_REQUEST", `Unknown ${what} \`${given.slice(0, 64)}\`.${hint}`, { param });
}

import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";

export type Check = (value: unknown) => boolean;
/** What a value must be, and how that is said. */
export type Rule = readonly [Check, string];
type Shape = Readonly<Record<string, Rule>>;

export const isString: Check = (value) => typeof value === "string";
export const isBoolean: Check = (value) => typeof value === "boolean";
export const isList: Check = (value) => Array.isArray(value);
export const isMissing: Check = (value) => value === undefined || value === null;
export const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

/** A type that may be looked up in a table: what every object of JavaScript has is nobody's. */
const isType: Check = (value) => isString(value) && !((value as string) in Object.prototype);
const isText: Check = either(isMissing, isString);
const isPart: Check = (value) => isObject(value) && isType(value["type"]) && isText(value["text"]);
const isParts: Check = (value) => Array.isArray(value) && value.every(isPart);
const isStrings: Check = (value) => Array.isArray(value) && value.every(isString);
const isTexts: Check = (value) => isObject(value) && Object.values(value).every(isText);
/** An object whose fields, where they are given, are as told; what else is in it is its own business. */
export const objectOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => isMissing(value[name]) || check(value[name]));

const string: Rule = [isString, "a string"];
const object: Rule = [isObject, "an object"];
const list: Rule = [isList, "a list"];
const parts: Rule = [isParts, "a list of parts"];
const strings: Rule = [isStrings, "a list of strings"];
const texts: Rule = [isTexts, "an object of strings"];
const said: Rule = [either(isString, isParts), "a string or a list of parts"];

const call: Shape = { call_id: string, name: string, arguments: string, input: string };
const result: Shape = { call_id: string, output: said };

// Each field of an item or a tool that the rest of the library reads; what is in none of these tables passes as it came.
const items: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ["message", { role: [isType, "a role"], content: said }],
  ["function_call", call],
  ["function_call_output", result],
  ["custom_tool_call", call],
  ["custom_tool_call_output", result],
  ["reasoning", { summary: parts, content: parts, encrypted_content: string }],
  ["compaction", { encrypted_content: string }],
  ["mcp_call", { name: string, server_label: string, arguments: string, output: string }],
  ["additional_tools", { tools: list }],
]);
const webSearch: Shape = {
  search_context_size: string,
  user_location: texts,
  filters: [objectOf({ allowed_domains: isStrings }), "an object with a list of domains"],
  external_web_access: [isBoolean, "true or false"],
};
const tools: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ["function", { name: string, description: string, parameters: object }],
  ["custom", { name: string, description: string, format: texts }],
  ["namespace", { name: string, description: string, tools: list }],
  ["allowed_tools", { mode: string, tools: list }],
  ["web_search", webSearch],
  ["web_search_2025_08_26", webSearch],
  ["web_search_preview", webSearch],
  ["web_search_preview_2025_03_11", webSearch],
  ["file_search", { vector_store_ids: strings, ranking_options: object, filters: object }],
  [
    "code_interpreter",
    {
      container: [
        either(isString, objectOf({ file_ids: isStrings, memory_limit: isString })),
        "the id of a container or its contents",
      ],
    },
  ],
  [
    "mcp",
    {
      server_label: string,
      server_url: string,
      connector_id: string,
      authorization: string,
      headers: texts,
      allowed_tools: [
        either(isStrings, objectOf({ tool_names: isStrings, read_only: isBoolean })),
        "a list of names, or a filter with `tool_names` or `read_only`",
      ],
    },
  ],
]);
/** What must not be left out. */
const needed: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["message", ["role", "content"]],
  ["item_reference", ["id"]],
  ["function_call", ["call_id", "name", "arguments"]],
  ["function_call_output", ["call_id", "output"]],
  ["custom_tool_call", ["call_id", "name", "input"]],
  ["custom_tool_call_output", ["call_id", "output"]],
  ["function", ["name"]],
  ["custom", ["name"]],
  ["namespace", ["name", "tools"]],
  ["allowed_tools", ["tools"]],
  ["mcp", ["server_label"]],
]);
/** Where tools hold others; what else has a list of that name is nobody's here. */
const holders: ReadonlySet<unknown> = new Set(["additional_tools", "namespace", "allowed_tools"]);

const common: Shape = { id: string };

export function refuse(param: string, expected: string): never {
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
}

/** Refuses an item that the library could not read. Messages and references may leave their type out, and many clients do. */
export function checkItem(value: unknown, param: string): JsonObject {
  if (!isObject(value)) return refuse(param, "an object");
  const type = value["type"] ?? (value["role"] === undefined ? "item_reference" : "message");
  if (!isType(type)) return refuse(`${param}.type`, "a type");
  checkFields(value, type, items.get(type), param);
  checkInner(value, type, param);
  return value;
}

/** The same for a tool, or the choice of one. */
export function checkTool(value: unknown, param: string): JsonObject {
  if (!isObject(value)) return refuse(param, "an object");
  const type = value["type"];
  if (!isType(type)) return refuse(`${param}.type`, "a type");
  checkFields(value, type, tools.get(type), param);
  checkInner(value, type, param);
  return value;
}

/** The tools that an item or a tool holds. */
function checkInner(value: JsonObject, type: unknown, param: string): void {
  if (!holders.has(type) || !Array.isArray(value["tools"])) return;
  for (const [index, inner] of value["tools"].entries()) checkTool(inner, `${param}.tools[${index}]`);
}

function checkFields(value: JsonObject, type: unknown, shape: Shape | undefined, param: string): void {
  for (const rules of shape ? [common, shape] : [common])
    for (const field in rules) {
      const [check, expected] = rules[field]!;
      if (!isMissing(value[field]) && !check(value[field])) refuse(`${param}.${field}`, expected);
    }
  for (const field of needed.get(type) ?? [])
    if (isMissing(value[field])) refuse(`${param}.${field}`, shape?.[field]?.[1] ?? "a string");
}

import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { Tool, ToolChoice } from "../../model/index.ts";
import { given, listAt, objectAt, refuse, stringAt } from "./check.ts";

/** The request's tools, in the words of the common vocabulary. */
export interface DecodedTools {
  tools?: Tool[];
  tool_choice?: ToolChoice;
}

/** Reads `tools`, `tool_choice` and `web_search_options`, and the `functions` of old clients. */
export function decodeTools(body: JsonObject): DecodedTools {
  const { tools, functions, web_search_options } = body;
  const list = [
    ...(given(tools) ? listAt(tools, "tools").map((tool, index) => decodeTool(tool, `tools[${index}]`)) : []),
    ...(given(functions)
      ? listAt(functions, "functions").map((tool, index) =>
          decodeFunction(objectAt(tool, `functions[${index}]`), `functions[${index}]`),
        )
      : []),
    ...(isObject(web_search_options) ? [decodeSearch(web_search_options)] : []),
  ];
  const choice = given(body["tool_choice"])
    ? decodeChoice(body["tool_choice"], "tool_choice")
    : decodeFunctionChoice(body["function_call"]);
  return { ...(list.length > 0 ? { tools: list } : {}), ...(choice ? { tool_choice: choice } : {}) };
}

function decodeTool(raw: unknown, param: string): Tool {
  const tool = objectAt(raw, param);
  const { type = "function" } = tool;
  // Clients of both wires are known to send the other one's shape.
  if (type === "function") return decodeFunction(isObject(tool["function"]) ? tool["function"] : tool, `${param}.function`);
  if (type === "custom") return decodeCustom(isObject(tool["custom"]) ? tool["custom"] : tool, `${param}.custom`);
  if (typeof type === "string" && type.includes(":")) return { ...tool, type: type as `${string}:${string}` };
  return refuse(`${param}.type`, "`function` or `custom`");
}

function decodeFunction(tool: JsonObject, param: string): Tool {
  const { description, parameters, strict } = tool;
  return {
    type: "function",
    name: stringAt(tool["name"], `${param}.name`),
    ...(typeof description === "string" ? { description } : {}),
    ...(isObject(parameters) ? { parameters } : {}),
    ...(typeof strict === "boolean" ? { strict } : {}),
  };
}

function decodeCustom({ name, description, format }: JsonObject, param: string): Tool {
  return {
    type: "custom",
    name: stringAt(name, `${param}.name`),
    ...(typeof description === "string" ? { description } : {}),
    ...(isObject(format) ? { format: decodeFormat(format, `${param}.format`) } : {}),
  };
}

type CustomFormat = { type: "text" } | { type: "grammar"; syntax: "lark" | "regex"; definition: string };

function decodeFormat(format: JsonObject, param: string): CustomFormat {
  if (format["type"] === "text") return { type: "text" };
  const grammar = isObject(format["grammar"]) ? format["grammar"] : format;
  const { syntax } = grammar;
  if (syntax !== "lark" && syntax !== "regex") return refuse(`${param}.grammar.syntax`, "`lark` or `regex`");
  return { type: "grammar", syntax, definition: stringAt(grammar["definition"], `${param}.grammar.definition`) };
}

function decodeSearch({ search_context_size, user_location }: JsonObject): Tool {
  const place = isObject(user_location)
    ? isObject(user_location["approximate"])
      ? user_location["approximate"]
      : {}
    : undefined;
  return {
    type: "web_search",
    ...(search_context_size === "low" || search_context_size === "medium" || search_context_size === "high"
      ? { search_context_size }
      : {}),
    ...(place ? { user_location: { type: "approximate", ...place } } : {}),
  };
}

/** Words for the same choice that other servers have. */
const words: Readonly<Record<string, ToolChoice>> = { none: "none", auto: "auto", required: "required", any: "required" };

function decodeChoice(raw: unknown, param: string): ToolChoice {
  if (typeof raw === "string") return own(words, raw) ?? refuse(param, "`none`, `auto`, `required` or an object");
  const choice = objectAt(raw, param);
  if (choice["type"] === "allowed_tools") return decodeAllowed(choice, param);
  if (choice["type"] === "custom") return { type: "custom", name: nameIn(choice, "custom", param) };
  return { type: "function", name: nameIn(choice, "function", param) };
}

function decodeAllowed(choice: JsonObject, param: string): ToolChoice {
  const allowed = isObject(choice["allowed_tools"]) ? choice["allowed_tools"] : choice;
  const { mode } = allowed;
  const tools = listAt(allowed["tools"], `${param}.allowed_tools.tools`).map((raw, index) => {
    const at = `${param}.allowed_tools.tools[${index}]`;
    const tool = objectAt(raw, at);
    const type = stringAt(tool["type"], `${at}.type`);
    return type === "function" || type === "custom" ? { type, name: nameIn(tool, type, at) } : { ...tool, type };
  });
  return { type: "allowed_tools", ...(mode === "auto" || mode === "required" || mode === "none" ? { mode } : {}), tools };
}

const nameIn = (holder: JsonObject, field: string, param: string): string => {
  const inner = isObject(holder[field]) ? holder[field] : holder;
  return stringAt(inner["name"], `${param}.${field}.name`);
};

function decodeFunctionChoice(raw: unknown): ToolChoice | undefined {
  if (!given(raw)) return undefined;
  if (raw === "none" || raw === "auto") return raw;
  return { type: "function", name: stringAt(objectAt(raw, "function_call")["name"], "function_call.name") };
}

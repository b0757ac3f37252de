import { AntiphonError } from "../../core/error.ts";
import type { Loss } from "../../core/loss.ts";
import type { CreateResponse, CustomTool, Tool, ToolChoice, WebSearchTool } from "../../model/index.ts";
import { lostInNamespaces, type DeclaredTool } from "../shared/tool-names.ts";
import type { ChatDialect } from "./dialect.ts";
import type { ToolSet } from "./tools.ts";

/** A request's tools in the wire's words. */
export interface WireTools {
  tools?: unknown[];
  tool_choice?: unknown;
  web_search_options?: unknown;
}

type Choice = Exclude<ToolChoice, string>;

/** Tools and the choice among them, as a server of this dialect takes them. */
export function encodeTools(request: CreateResponse, dialect: ChatDialect, set: ToolSet, losses: Loss[]): WireTools {
  const allowed = onlyAllowed(request.tool_choice, dialect, losses);
  const declared = set.names.declared.filter((tool) => tool.wireName === set.answer || !allowed || allowed(tool));
  const tools: unknown[] = declared.map((tool) => encodeTool(tool, request.tools ?? [], dialect));
  losses.push(...lostInNamespaces(request.tools ?? [], "Chat Completions API"));
  const search = encodeOthers(request.tools ?? [], dialect, tools, losses);
  const choice = tools.length > 0 ? encodeChoice(request, dialect, set, losses) : loneChoice(request, losses);
  return {
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(search ? { web_search_options: search } : {}),
  };
}

function encodeTool(tool: DeclaredTool, tools: readonly Tool[], { customTools, strictTools }: ChatDialect): unknown {
  const { wireName: name, description, parameters, strict } = tool;
  if (customTools && tool.kind === "custom" && tool.namespace === undefined) {
    // ToolNames declares a tool as custom only where the request has one of that name.
    const original = tools.find((one) => one.type === "custom" && one.name === tool.name) as CustomTool;
    return { type: "custom", custom: { name, ...described(original.description), ...formatOf(original) } };
  }
  return {
    type: "function",
    function: { name, ...described(description), parameters, ...(strict && strictTools ? { strict } : {}) },
  };
}

const described = (description: string | undefined): object => (description === undefined ? {} : { description });

function formatOf({ format }: CustomTool): object {
  if (format?.type !== "grammar") return format ? { format } : {};
  const { syntax, definition } = format;
  return { format: { type: "grammar", grammar: { syntax, definition } } };
}

/** Tools that are no functions: the vendor's own are added as they are, a web search may be an option, the rest is lost. */
function encodeOthers(tools: readonly Tool[], dialect: ChatDialect, out: unknown[], losses: Loss[]): object | undefined {
  let search: object | undefined;
  tools.forEach((tool, index) => {
    const path = `tools[${index}]`;
    if (tool.type === "function" || tool.type === "custom" || tool.type === "namespace") {
      if ("defer_loading" in tool && tool.defer_loading)
        losses.push({
          path: `${path}.defer_loading`,
          reason: "The Chat Completions API does not support deferred loading of tools.",
        });
      if (tool.type === "custom" && tool.format?.type === "grammar" && !dialect.customTools)
        losses.push({
          path: `${path}.format`,
          reason: "The provider cannot enforce a grammar; it was added to the tool's description.",
        });
    } else if (tool.type.startsWith(`${dialect.vendor}:`)) out.push(tool);
    else if (dialect.webSearch && tool.type.startsWith("web_search")) search = searchOptions(tool as WebSearchTool, path, losses);
    else losses.push({ path, reason: `The Chat Completions API does not support \`${tool.type}\` tools.` });
  });
  return search;
}

function searchOptions(tool: WebSearchTool, path: string, losses: Loss[]): object {
  const { search_context_size, user_location, filters, external_web_access } = tool;
  if (filters)
    losses.push({ path: `${path}.filters`, reason: "Web search in the Chat Completions API does not support `filters`." });
  if (external_web_access === false)
    losses.push({
      path: `${path}.external_web_access`,
      reason: "Web search in the Chat Completions API always uses the live web.",
    });
  const { type: _, ...approximate } = user_location ?? {};
  return {
    ...(search_context_size ? { search_context_size } : {}),
    ...(user_location ? { user_location: { type: "approximate", approximate } } : {}),
  };
}

/** Whether a tool is among those that the choice allows, where the wire itself cannot say so. */
function onlyAllowed(
  choice: ToolChoice | null | undefined,
  { allowedTools }: ChatDialect,
  losses: Loss[],
): ((tool: DeclaredTool) => boolean) | undefined {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools" || allowedTools) return undefined;
  const names = new Set(choice.tools.map(({ name }) => name));
  losses.push({ path: "tools", reason: "The provider does not support `allowed_tools`; only the allowed tools were sent." });
  losses.push({
    path: "tool_choice",
    reason: "The provider does not support `allowed_tools`; its `mode` was sent as the tool choice.",
  });
  return ({ name }) => names.has(name);
}

function encodeChoice(request: CreateResponse, dialect: ChatDialect, set: ToolSet, losses: Loss[]): unknown {
  const choice = request.tool_choice;
  if (set.answer !== undefined && (typeof choice !== "object" || choice === null)) {
    // The caller's tools stay open to the model, but some tool must be called: in the end the hidden one.
    const open = set.names.declared.length > 1 && choice !== "none";
    if (dialect.hiddenTool === "offered" && choice !== "required") return undefined;
    return open ? dialect.requiredChoice : { type: "function", function: { name: set.answer } };
  }
  if (choice === null || choice === undefined) return undefined;
  if (typeof choice === "string") return choice === "required" ? dialect.requiredChoice : choice;
  return encodeNamed(choice, dialect, set, losses);
}

function encodeNamed(choice: Choice, dialect: ChatDialect, set: ToolSet, losses: Loss[]): unknown {
  if (choice.type === "function" || choice.type === "custom") return reference(choice, dialect, set);
  if (choice.type === "allowed_tools") {
    const { mode = "auto", tools } = choice;
    if (!dialect.allowedTools) return mode === "required" ? dialect.requiredChoice : mode;
    const wireTools = tools.map((tool) =>
      tool.name === undefined ? tool : reference({ ...tool, name: tool.name }, dialect, set),
    );
    return { type: "allowed_tools", allowed_tools: { mode, tools: wireTools } };
  }
  losses.push({ path: "tool_choice", reason: `The Chat Completions API cannot force a \`${choice.type}\` tool.` });
  return undefined;
}

function reference({ type, name }: { type: string; name: string }, { customTools }: ChatDialect, { names }: ToolSet): unknown {
  const tool = names.declared.find((one) => one.name === name);
  if (!tool)
    throw new AntiphonError("BAD_REQUEST", `\`tool_choice\` names the tool "${name}", which is not in \`tools\`.`, {
      param: "tool_choice",
    });
  const native = customTools && tool.kind === "custom" && tool.namespace === undefined;
  return native && type === "custom"
    ? { type: "custom", custom: { name: tool.wireName } }
    : { type: "function", function: { name: tool.wireName } };
}

/** Without tools the wire takes no choice; only one that wanted a tool is missed. */
function loneChoice({ tool_choice: choice }: CreateResponse, losses: Loss[]): undefined {
  if (choice && choice !== "none" && choice !== "auto")
    losses.push({ path: "tool_choice", reason: "`tool_choice` was omitted because no tool was sent." });
}

import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, FunctionTool, McpTool, Tool, ToolChoice } from "../../model/index.ts";
import type { MessagesDialect } from "./dialect.ts";
import { extensionType, objectIn, prefixed, stringIn, withExtra } from "./extension.ts";

/** The tools of a body, with what other places of it say about them. */
export function decodeTools(body: JsonObject, dialect: MessagesDialect): Pick<CreateResponse, "tools" | "max_tool_calls"> {
  const listed = (Array.isArray(body["tools"]) ? body["tools"] : []).map((tool: unknown, index) => {
    if (!isObject(tool))
      throw new AntiphonError("BAD_REQUEST", `\`tools[${index}]\` must be an object.`, { param: `tools[${index}]` });
    return tool;
  });
  const servers = (Array.isArray(body["mcp_servers"]) ? body["mcp_servers"] : []).filter(isObject);
  const tools = listed.map((tool, index) => decodeTool(tool, index, body, servers, dialect));
  const inSets = new Set(listed.map(({ mcp_server_name }) => mcp_server_name));
  tools.push(...servers.filter(({ name }) => !inSets.has(name)).map((server) => mcpTool(server, {})));
  const { limit, limited } = takeLimit(tools);
  return { ...(tools.length > 0 && { tools: limited }), ...(limit !== undefined && { max_tool_calls: limit }) };
}

function decodeTool(tool: JsonObject, index: number, body: JsonObject, servers: JsonObject[], dialect: MessagesDialect): Tool {
  const type = stringIn(tool["type"]) ?? "custom";
  if (type === "custom") return functionTool(tool, `tools[${index}]`);
  if (type.startsWith("web_search_")) return webSearchTool(tool, type, dialect);
  if (type.startsWith("code_execution_")) return codeTool(tool, type, body, dialect);
  if (type.startsWith("tool_search_tool_")) {
    const { type: _, name: __, ...rest } = tool;
    return { type: "tool_search", ...version(type, dialect.hosted.tool_search), ...prefixed(rest) };
  }
  const server = type === "mcp_toolset" ? servers.find(({ name }) => name === tool["mcp_server_name"]) : undefined;
  if (server) return mcpTool(server, tool);
  const { cache_control, ...rest } = tool;
  return { ...rest, type: extensionType(type), ...withExtra("cache_control", cache_control) };
}

/** The versioned name, where it is not the dialect's. */
const version = (type: string, usual: string | null): JsonObject => withExtra("type", type === usual ? undefined : type);

function functionTool(tool: JsonObject, path: string): FunctionTool {
  const { type: _, name, description, input_schema, strict, defer_loading, ...rest } = tool;
  if (typeof name !== "string")
    throw new AntiphonError("BAD_REQUEST", `\`${path}.name\` must be a string.`, { param: `${path}.name` });
  if (!isObject(input_schema))
    throw new AntiphonError("BAD_REQUEST", `\`${path}.input_schema\` must be an object.`, { param: `${path}.input_schema` });
  return {
    type: "function",
    name,
    ...(typeof description === "string" && { description }),
    parameters: input_schema,
    ...(typeof strict === "boolean" && { strict }),
    ...(defer_loading === true && { defer_loading }),
    ...prefixed(rest),
  };
}

function webSearchTool(tool: JsonObject, type: string, { hosted }: MessagesDialect): Tool {
  const { type: _, name: __, allowed_domains, blocked_domains, user_location, ...rest } = tool;
  const filters = { ...(allowed_domains ? { allowed_domains } : {}), ...(blocked_domains ? { blocked_domains } : {}) };
  // The filters and the location have the same fields on both sides; the provider is the one to judge their values.
  return {
    type: "web_search",
    ...version(type, hosted.web_search),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(isObject(user_location) && { user_location }),
    ...prefixed(rest),
  } as Tool;
}

const isCode = (tool: unknown): boolean => isObject(tool) && (stringIn(tool["type"]) ?? "").startsWith("code_execution_");

/** Whether the body's container is one that its tool for code uses again. */
export const namesContainer = (body: JsonObject): boolean =>
  typeof body["container"] === "string" && Array.isArray(body["tools"]) && body["tools"].some(isCode);

function codeTool(tool: JsonObject, type: string, body: JsonObject, { hosted }: MessagesDialect): Tool {
  const { type: _, name: __, ...rest } = tool;
  const container = stringIn(body["container"]) ?? { type: "auto" as const };
  return { type: "code_interpreter", container, ...version(type, hosted.code_interpreter), ...prefixed(rest) };
}

function mcpTool(server: JsonObject, { type: _, mcp_server_name: __, default_config, configs, ...rest }: JsonObject): McpTool {
  const enabled = Object.entries(objectIn(configs)).flatMap(([name, config]) =>
    objectIn(config)["enabled"] === true ? [name] : [],
  );
  const only = objectIn(default_config)["enabled"] === false ? enabled : undefined;
  const before = objectIn(server["tool_configuration"])["allowed_tools"];
  const allowed_tools = only ?? (Array.isArray(before) ? before.map(String) : undefined);
  const authorization = stringIn(server["authorization_token"]);
  return {
    type: "mcp",
    server_label: stringIn(server["name"]) ?? "",
    server_url: stringIn(server["url"]) ?? "",
    ...(authorization !== undefined && { authorization }),
    ...(allowed_tools && { allowed_tools }),
    require_approval: "never",
    ...prefixed(rest),
  };
}

/** A limit of the only server-side tool is the request's limit of such calls. */
function takeLimit(tools: Tool[]): { limit?: number; limited: Tool[] } {
  const hosted = tools.filter(({ type }) => type !== "function");
  const only = hosted.length === 1 && hosted[0]?.type === "web_search" ? hosted[0] : undefined;
  const limit: unknown = only && Reflect.get(only, "anthropic:max_uses");
  if (typeof limit !== "number") return { limited: tools };
  return { limit, limited: tools.map((tool) => (tool === only ? withoutLimit(tool) : tool)) };
}

function withoutLimit(tool: Tool): Tool {
  const copy = { ...tool };
  Reflect.deleteProperty(copy, "anthropic:max_uses");
  return copy;
}

const modes: ReadonlyMap<unknown, ToolChoice> = new Map<string, ToolChoice>([
  ["auto", "auto"],
  ["any", "required"],
  ["none", "none"],
]);

/** The choice of tools, and whether several may be called at once. */
export function decodeToolChoice(body: JsonObject): Pick<CreateResponse, "tool_choice" | "parallel_tool_calls"> {
  const choice = body["tool_choice"];
  if (!isObject(choice)) return {};
  const alone = choice["disable_parallel_tool_use"];
  const parallel = typeof alone === "boolean" ? { parallel_tool_calls: !alone } : {};
  const mode = modes.get(choice["type"]);
  if (mode) return { tool_choice: mode, ...parallel };
  if (choice["type"] !== "tool" || typeof choice["name"] !== "string")
    throw new AntiphonError(
      "BAD_REQUEST",
      "`tool_choice` must have the type `auto`, `any` or `none`, or the type `tool` and a `name`.",
      {
        param: "tool_choice",
      },
    );
  return { tool_choice: namedChoice(choice["name"], body), ...parallel };
}

const hosted: ReadonlyMap<string, ToolChoice> = new Map<string, ToolChoice>([
  ["web_search", { type: "web_search" }],
  ["code_execution", { type: "code_interpreter" }],
]);

function namedChoice(name: string, body: JsonObject): ToolChoice {
  const tool = (Array.isArray(body["tools"]) ? body["tools"] : [])
    .filter(isObject)
    .find((candidate) => candidate["name"] === name);
  const served = tool?.["type"] !== undefined && tool["type"] !== "custom" ? hosted.get(name) : undefined;
  return served ?? { type: "function", name };
}

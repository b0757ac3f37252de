import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CodeInterpreterTool, McpTool, Tool, WebSearchTool } from "../../model/index.ts";
import type { Encoding } from "./encoding.ts";
import { extra, extras, stringIn } from "./extension.ts";

/** Places outside the list of tools that server-side tools fill. */
export interface HostedPlaces {
  /** MCP servers. */
  servers: JsonObject[];
  /** Files for the container. */
  uploads: string[];
  /** The container to use again. */
  container?: string;
}

const names: ReadonlyMap<string, string> = new Map([
  ["web_search", "web_search"],
  ["code_interpreter", "code_execution"],
]);

const kindOf = (type: string): string => (type.startsWith("web_search") ? "web_search" : type);

/** The wire's name of a server-side tool. */
export const hostedName = (type: string): string | undefined => names.get(kindOf(type));

/** What a tool is declared as: nothing in the list where another place holds all of it, `undefined` where the server has no such tool. */
type Encode = (tool: Tool, path: string, places: HostedPlaces, encoding: Encoding) => JsonObject[] | undefined;

// The table's keys are the types of the tools that its arms read.
const arms: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ["web_search", (tool, path, _, encoding) => webSearch(tool as WebSearchTool, path, encoding)],
  ["code_interpreter", (tool, path, places, encoding) => codeInterpreter(tool as CodeInterpreterTool, path, places, encoding)],
  ["mcp", (tool, path, places, encoding) => mcp(tool as McpTool, path, places, encoding)],
  ["tool_search", (tool, _, __, encoding) => toolSearch(tool, encoding)],
]);

/** A server-side tool in the wire's words, or a declared loss. */
export function encodeHosted(tool: Tool, path: string, places: HostedPlaces, encoding: Encoding): JsonObject[] {
  const encoded = arms.get(kindOf(tool.type))?.(tool, path, places, encoding);
  if (!encoded) encoding.lose(path, `The provider does not support \`${tool.type}\` tools.`);
  return encoded ?? [];
}

/** The versioned type: the one that the caller names, or the dialect's. */
const versionOf = (tool: Tool, version: string | null): string | null => stringIn(extra(tool, "type")) ?? version;

/** The wire's own options of a tool. */
function ownOptions(tool: Tool): JsonObject {
  const { type: _, ...options } = extras(tool);
  return options;
}

function webSearch(tool: WebSearchTool, path: string, encoding: Encoding): JsonObject[] | undefined {
  const { dialect, lose, request } = encoding;
  const type = versionOf(tool, dialect.hosted.web_search);
  if (!type) return undefined;
  if (tool.search_context_size)
    lose(`${path}.search_context_size`, "Web search in the Messages API does not support `search_context_size`.");
  if (tool.external_web_access === false)
    lose(`${path}.external_web_access`, "Web search in the Messages API always uses the live web.");
  const { allowed_domains, ...otherFilters } = tool.filters ?? {};
  const max = isOnlyHosted(encoding) ? request.max_tool_calls : undefined;
  const options = {
    type,
    name: "web_search",
    ...(allowed_domains && { allowed_domains }),
    ...otherFilters,
    ...(tool.user_location && { user_location: { type: "approximate", ...tool.user_location } }),
    ...(max && { max_uses: max }),
  };
  return [{ ...options, ...ownOptions(tool) }];
}

const isFunction = ({ type }: Tool): boolean => type === "function" || type === "custom" || type === "namespace";

/** Whether the request's limit of server-side calls is a limit of web searches: only where nothing else runs at the server. */
export const isOnlyHosted = ({ request }: Encoding): boolean => {
  const hosted = (request.tools ?? []).filter((tool) => !isFunction(tool));
  return hosted.length === 1 && kindOf(hosted[0]!.type) === "web_search";
};

function codeInterpreter(
  tool: CodeInterpreterTool,
  path: string,
  places: HostedPlaces,
  { dialect, lose }: Encoding,
): JsonObject[] | undefined {
  const type = versionOf(tool, dialect.hosted.code_interpreter);
  if (!type) return undefined;
  if (typeof tool.container === "string") places.container = tool.container;
  else {
    places.uploads.push(...(tool.container?.file_ids ?? []));
    if (tool.container?.memory_limit) lose(`${path}.container.memory_limit`, "Containers in the Messages API have a fixed size.");
  }
  return [{ type, name: "code_execution", ...ownOptions(tool) }];
}

function toolSearch(tool: Tool, { dialect }: Encoding): JsonObject[] | undefined {
  const type = versionOf(tool, dialect.hosted.tool_search);
  // A search that the caller runs is another tool than the server's.
  return type && Reflect.get(tool, "execution") !== "client"
    ? [{ type, name: type.replace(/_\d+$/, ""), ...ownOptions(tool) }]
    : undefined;
}

/** The tools that a rule lists by name. */
const listed = (rule: McpTool["allowed_tools"]): string[] | undefined => (Array.isArray(rule) ? rule : rule?.tool_names);

function mcp(tool: McpTool, path: string, places: HostedPlaces, { dialect, lose }: Encoding): JsonObject[] | undefined {
  const { server_label, server_url, allowed_tools, require_approval } = tool;
  const form = dialect.hosted.mcp;
  if (!form || !server_url) return undefined;
  if (require_approval && require_approval !== "never")
    throw new AntiphonError(
      "UNSUPPORTED",
      'The Messages API calls MCP tools without approval; set `require_approval` to "never".',
      {
        param: `${path}.require_approval`,
      },
    );
  if (!require_approval) lose(`${path}.require_approval`, "The Messages API calls MCP tools without approval.");
  if (isObject(allowed_tools) && allowed_tools["read_only"])
    throw new AntiphonError(
      "UNSUPPORTED",
      "The Messages API cannot limit an MCP server to read-only tools; name the tools in `allowed_tools`.",
      {
        param: `${path}.allowed_tools`,
      },
    );
  const names = listed(allowed_tools);
  const token = tool.authorization ?? bearer(tool, path, lose);
  const server = { type: "url", name: server_label, url: server_url, ...(token && { authorization_token: token }) };
  if (form === "tool_configuration") {
    places.servers.push(names ? { ...server, tool_configuration: { enabled: true, allowed_tools: names } } : server);
    return [];
  }
  places.servers.push(server);
  const configs = names && Object.fromEntries(names.map((name) => [name, { enabled: true }]));
  const only = configs && { default_config: { enabled: false }, configs };
  return [{ type: "mcp_toolset", mcp_server_name: server_label, ...only, ...ownOptions(tool) }];
}

function bearer({ headers }: McpTool, path: string, lose: Encoding["lose"]): string | undefined {
  const entries = Object.entries(headers ?? {});
  const found = entries.find(([name, value]) => name.toLowerCase() === "authorization" && /^bearer /i.test(value));
  if (entries.length > (found ? 1 : 0))
    lose(`${path}.headers`, "The Messages API sends only the `Authorization` header to MCP servers.");
  return found?.[1].replace(/^bearer /i, "");
}

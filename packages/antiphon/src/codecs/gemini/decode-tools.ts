import { AntiphonError } from "../../core/error.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, FunctionTool, McpTool, Tool, ToolChoice } from "../../model/index.ts";
import { extensionType, withExtra } from "./extension.ts";
import { camelFields, field } from "./lenient.ts";
import { fromOpenApi } from "./openapi-schema.ts";
import { objectIn, objectsIn, stringIn, stringsIn, textIn } from "./wire.ts";

/** Reads the tools of a request: one entry may hold several. */
export const decodeTools = (tools: unknown): Tool[] =>
  objectsIn(tools).flatMap((entry, index) =>
    Object.entries(camelFields(entry)).flatMap(([name, value]) => decodeTool(name, value, `tools[${index}]`)),
  );

function decodeTool(name: string, value: unknown, path: string): Tool[] {
  const decode = own(decoders, name);
  return decode ? decode(value, path) : [{ type: extensionType(name), ...objectIn(value) }];
}

const decoders: Readonly<Record<string, (value: unknown, path: string) => Tool[]>> = {
  functionDeclarations: (value, path) =>
    objectsIn(value).map((one, index) => decodeFunction(one, `${path}.functionDeclarations[${index}]`)),
  // A search with options that we have no words for keeps them.
  googleSearch: (value) =>
    Object.keys(objectIn(value)).length === 0
      ? [{ type: "web_search" }]
      : [{ type: extensionType("googleSearch"), ...objectIn(value) }],
  codeExecution: () => [{ type: "code_interpreter", container: { type: "auto" } }],
  fileSearch: (value) => [decodeFileSearch(camelFields(objectIn(value)))],
  mcpServers: (value) => objectsIn(value).map(decodeMcp),
};

function decodeFunction(declared: JsonObject, path: string): FunctionTool {
  const name = textIn(declared["name"]);
  if (name === undefined) throw new AntiphonError("BAD_REQUEST", "A function must have a name.", { param: `${path}.name` });
  const schema = field(declared, "parametersJsonSchema");
  const parameters = field(declared, "parameters");
  const description = stringIn(declared["description"]);
  return {
    type: "function",
    name,
    ...(description !== undefined && { description }),
    ...(isObject(schema) ? { parameters: schema } : isObject(parameters) ? { parameters: fromOpenApi(parameters) } : {}),
  };
}

function decodeFileSearch({ fileSearchStoreNames, topK, ...rest }: JsonObject): Tool {
  // A filter in the wire's own language has no words of ours.
  if (Object.keys(rest).length > 0)
    return { type: extensionType("fileSearch"), fileSearchStoreNames, ...(topK !== undefined && { topK }), ...rest };
  return {
    type: "file_search",
    vector_store_ids: stringsIn(fileSearchStoreNames),
    ...(typeof topK === "number" && { max_num_results: topK }),
  };
}

function decodeMcp(server: JsonObject): McpTool {
  const { url, headers: sent, ...options } = camelFields(objectIn(field(server, "streamableHttpTransport")));
  const headers = Object.entries(objectIn(sent)).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    type: "mcp",
    server_label: stringIn(server["name"]) ?? "",
    server_url: stringIn(url) ?? "",
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    require_approval: "never",
    ...(Object.keys(options).length > 0 && withExtra("streamableHttpTransport", options)),
  };
}

// Clients that speak the wire's binary form in JSON write modes as numbers.
const modeNumbers: readonly string[] = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];

/** Reads the choice among the tools, and gives back what of the configuration we have no words for. */
export function decodeChoice(config: unknown): { choice: ToolChoice | undefined; rest: JsonObject } {
  const { functionCallingConfig, includeServerSideToolInvocations: _, ...rest } = camelFields(objectIn(config));
  const { mode, allowedFunctionNames, ...more } = camelFields(objectIn(functionCallingConfig));
  const kept = Object.keys(more).length > 0 ? { ...rest, functionCallingConfig: more } : rest;
  const named = typeof mode === "number" ? modeNumbers[mode] : mode;
  return { choice: choiceOf(stringIn(named), stringsIn(allowedFunctionNames)), rest: kept };
}

function choiceOf(mode: string | undefined, names: readonly string[]): ToolChoice | undefined {
  if (mode === "NONE") return "none";
  if (mode !== "ANY" && names.length === 0) return mode === "AUTO" || mode === "VALIDATED" ? "auto" : undefined;
  if (names.length === 0) return "required";
  if (mode === "ANY" && names.length === 1) return { type: "function", name: names[0]! };
  const tools = names.map((name) => ({ type: "function", name }));
  return { type: "allowed_tools", mode: mode === "ANY" ? "required" : "auto", tools };
}

/** Whether a choice names only functions that the request declares. */
export function checkChoice({ tools, tool_choice: choice }: CreateResponse): void {
  if (typeof choice !== "object" || choice === null || choice.type !== "function") return;
  const { name } = choice as { name: string };
  if ((tools ?? []).some((tool) => tool.type === "function" && tool.name === name)) return;
  const param = "toolConfig.functionCallingConfig.allowedFunctionNames";
  throw new AntiphonError("BAD_REQUEST", `\`allowedFunctionNames\` names the function "${name}", which is not in \`tools\`.`, {
    param,
  });
}

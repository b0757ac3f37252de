import type { StageEventType } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type {
  CodeInterpreterCall,
  ExtensionItem,
  HostedStatus,
  Item,
  McpCall,
  Tool,
  ToolSearchCall,
  ToolSearchOutput,
  WebSearchCall,
} from "../../model/index.ts";
import type { Answer } from "./answer.ts";
import { extensionType, isBlock, objectIn, stringIn, type Block } from "./extension.ts";

/** What a result tells of its item. */
type Answered = JsonObject & { status: HostedStatus; followedBy?: Omit<ToolSearchOutput, "id"> };

/** How a server-side tool of the wire is told: as which item, by which events, and what its input and its result fill in. */
export interface ServerTool {
  item(id: string, block: Block): Item;
  begun?: StageEventType;
  working?: StageEventType;
  done?: StageEventType;
  failed?: StageEventType;
  /** Whether the input, as it comes, is the item's arguments. */
  streamsArguments?: boolean;
  /** Whether the input of this call is code that can be told as it comes. */
  streamsCode?(block: Block): boolean;
  /** The code, where it cannot. */
  codeOf?(input: JsonObject): string;
  /** Whether the item names a container, which the wire tells only at the end. */
  needsContainer?: boolean;
  /** What is known of the item once the input is whole. */
  asked?(input: JsonObject): JsonObject;
  answered(result: Block, input: JsonObject, answer: Answer): Answered;
}

const isError = (content: unknown): boolean => isBlock(content) && content.type.endsWith("_error");
const statusOf = (content: unknown): "failed" | "completed" => (isError(content) ? "failed" : "completed");

const search = (input: JsonObject) => ({ type: "search" as const, query: stringIn(input["query"]) ?? "" });

const webSearch: ServerTool = {
  item: (id): WebSearchCall => ({ type: "web_search_call", id, status: "in_progress" }),
  begun: "response.web_search_call.in_progress",
  working: "response.web_search_call.searching",
  done: "response.web_search_call.completed",
  asked: (input) => ({ action: search(input) }),
  answered: ({ content }, input) => {
    const pages = Array.isArray(content) ? content.filter(isObject) : [];
    const sources = pages.map(({ url, title }) => ({ type: "url", url, ...(title ? { title } : {}) }));
    return { status: statusOf(content), action: { ...search(input), sources } };
  },
};

const webFetch: ServerTool = {
  ...webSearch,
  asked: (input) => ({ action: { type: "open_page", url: stringIn(input["url"]) ?? null } }),
  answered: ({ content }, input) => {
    const url = stringIn(input["url"]) ?? stringIn(objectIn(content)["url"]) ?? null;
    return { status: statusOf(content), action: { type: "open_page", url } };
  },
};

/** What a run printed: its two streams, a file's text or a change's lines, or the words of an error. */
function logsOf(content: JsonObject): string {
  const { stdout, stderr, lines, error_message, error_code } = content;
  if (Array.isArray(lines)) return lines.join("\n");
  const file = stringIn(content["content"]);
  const failure = stringIn(error_message) ?? stringIn(error_code);
  return [stdout, stderr, file, failure].map((text) => stringIn(text) ?? "").join("");
}

function outputsOf(content: JsonObject): JsonObject[] {
  const logs = logsOf(content);
  const files = Array.isArray(content["content"]) ? content["content"].filter(isObject) : [];
  return [...(logs ? [{ type: "logs", logs }] : []), ...files.map(({ file_id }) => ({ type: extensionType("file"), file_id }))];
}

const codeExecution: ServerTool = {
  item: (id): CodeInterpreterCall => ({
    type: "code_interpreter_call",
    id,
    status: "in_progress",
    code: "",
    container_id: "",
    outputs: null,
  }),
  begun: "response.code_interpreter_call.in_progress",
  working: "response.code_interpreter_call.interpreting",
  done: "response.code_interpreter_call.completed",
  streamsCode: ({ name }) => name !== "text_editor_code_execution",
  codeOf: (input) => JSON.stringify(input),
  needsContainer: true,
  answered: ({ content }) => ({ status: statusOf(content), outputs: outputsOf(objectIn(content)) }),
};

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part) => stringIn(objectIn(part)["text"]) ?? "").join("")
      : "";

const mcp: ServerTool = {
  item: (id, { server_name, name }): McpCall => ({
    type: "mcp_call",
    id,
    status: "in_progress",
    server_label: stringIn(server_name) ?? "",
    name: stringIn(name) ?? "",
    arguments: "",
  }),
  begun: "response.mcp_call.in_progress",
  done: "response.mcp_call.completed",
  failed: "response.mcp_call.failed",
  streamsArguments: true,
  answered: ({ content, is_error }) => {
    const text = textOf(content);
    return is_error === true ? { status: "failed", error: text, output: null } : { status: "completed", output: text };
  },
};

/** The declarations of the tools that a search found, as far as the request has them. */
function toolsNamed(references: unknown, { names, ctx }: Answer): Tool[] {
  const found = Array.isArray(references) ? references : [];
  return found.map((reference): Tool => {
    const { name, namespace } = names.fromWire(stringIn(objectIn(reference)["tool_name"]) ?? "");
    const declared = namespace ?? name;
    return ctx.request.tools?.find((tool) => "name" in tool && tool.name === declared) ?? { type: "function", name };
  });
}

const toolSearch: ServerTool = {
  item: (id): ToolSearchCall => ({
    type: "tool_search_call",
    id,
    status: "in_progress",
    call_id: id,
    arguments: {},
    execution: "server",
  }),
  asked: (input) => ({ arguments: input }),
  answered: ({ content, tool_use_id }, _, answer) => {
    const status = statusOf(content);
    const tools = toolsNamed(objectIn(content)["tool_references"], answer);
    const call_id = stringIn(tool_use_id) ?? null;
    return { status, followedBy: { type: "tool_search_output", call_id, execution: "server", status, tools } };
  },
};

/** A tool that the vocabulary has no item for. */
const other: ServerTool = {
  item: (id, { name }): ExtensionItem => ({ type: extensionType("server_tool_call"), id, status: "in_progress", name }),
  asked: (input) => ({ input }),
  answered: ({ content }) => ({ status: statusOf(content), output: content }),
};

// By the name in a call, or, for a result whose call came in an earlier answer, by the result's type.
const tools: readonly (readonly [RegExp, ServerTool])[] = [
  [/^web_search/, webSearch],
  [/^web_fetch/, webFetch],
  [/^(bash_|text_editor_)?code_execution/, codeExecution],
  [/^tool_search/, toolSearch],
];

/** How a call of a server-side tool is told. */
export function serverToolOf(block: Block): ServerTool {
  const name = stringIn(block["name"]) ?? "";
  if (block.type === "mcp_tool_use" || name === "mcp_tool_result") return mcp;
  return tools.find(([pattern]) => pattern.test(name))?.[1] ?? other;
}

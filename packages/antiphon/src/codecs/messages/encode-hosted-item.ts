import type { CodeInterpreterCall, Item, McpCall, ToolSearchOutput, WebSearchCall } from "../../model/index.ts";
import { toWireId } from "./call-ids.ts";
import type { Block } from "./extension.ts";
import { parseJson } from "./json.ts";

/** A server-side call of another provider in the wire's two blocks, the call and its result. */
function pair(item: { id: string }, use: Omit<Block, "id">, result: Omit<Block, "tool_use_id">): Block[] {
  const id = toWireId(item.id);
  return [
    { ...use, type: String(use["type"]), id },
    { ...result, type: String(result["type"]), tool_use_id: id },
  ];
}

const serverUse = (name: string, input: object): Block => ({ type: "server_tool_use", name, input });

function webSearchBlocks(item: WebSearchCall): Block[] {
  const action = item.action ?? { type: "search" };
  if (action.type !== "search") {
    const url = action.url ?? "";
    const content = { type: "web_fetch_tool_result_error", error_code: "unavailable" };
    return pair(item, serverUse("web_fetch", { url }), { type: "web_fetch_tool_result", content });
  }
  const query = action.query ?? action.queries?.join(", ") ?? "";
  const found = (action.sources ?? []).map((source) => ({
    type: "web_search_result",
    url: source.url ?? "",
    title: String(Reflect.get(source, "title") ?? source.url ?? ""),
    encrypted_content: "",
    page_age: null,
  }));
  return pair(item, serverUse("web_search", { query }), { type: "web_search_tool_result", content: found });
}

function codeBlocks(item: CodeInterpreterCall): Block[] {
  const stdout = (item.outputs ?? []).flatMap((output) => (output.type === "logs" ? [output.logs] : [])).join("");
  const content = {
    type: "code_execution_result",
    stdout,
    stderr: "",
    return_code: item.status === "failed" ? 1 : 0,
    content: [],
  };
  return pair(item, serverUse("code_execution", { code: item.code ?? "" }), { type: "code_execution_tool_result", content });
}

function mcpBlocks(item: McpCall): Block[] {
  const failed = item.error !== undefined && item.error !== null;
  const text = failed ? (typeof item.error === "string" ? item.error : JSON.stringify(item.error)) : (item.output ?? "");
  const use = { type: "mcp_tool_use", name: item.name, server_name: item.server_label, input: parseJson(item.arguments) ?? {} };
  return pair(item, use, { type: "mcp_tool_result", is_error: failed, content: [{ type: "text", text }] });
}

function toolSearchBlocks({ call_id, tools }: ToolSearchOutput): Block[] {
  const found = tools.flatMap((tool) => ("name" in tool && typeof tool.name === "string" ? [tool.name] : []));
  const tool_references = found.map((tool_name) => ({ type: "tool_reference", tool_name }));
  const content = { type: "tool_search_tool_search_result", tool_references };
  return [{ type: "tool_search_tool_result", tool_use_id: toWireId(call_id ?? ""), content }];
}

/** A server-side item of another provider as blocks; nothing for those that the wire cannot tell. */
export function hostedBlocks(item: Item): Block[] {
  if (item.type === "web_search_call") return webSearchBlocks(item);
  if (item.type === "code_interpreter_call") return codeBlocks(item);
  if (item.type === "mcp_call") return mcpBlocks(item);
  if (item.type === "tool_search_output") return toolSearchBlocks(item);
  if (item.type !== "tool_search_call") return [];
  return [{ ...serverUse("tool_search_tool_regex", Object(item.arguments) as object), id: toWireId(item.call_id ?? item.id) }];
}

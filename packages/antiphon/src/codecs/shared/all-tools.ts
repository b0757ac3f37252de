import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem, Tool } from "../../model/index.ts";

/**
 * All tools of a request. OpenAI's clients declare some in items of the input, and the other wires have one place for them all. A tool
 * that is declared again stands where it first stood, as it was last declared.
 */
export function allTools({ tools, input }: CreateResponse): readonly Tool[] {
  const own = tools ?? [];
  const items = typeof input === "string" ? [] : (input ?? []);
  const added = items.filter(isAdditional);
  return added.length > 0 ? merged([...own, ...added.flatMap((item) => item.tools)]) : own;
}

/** The request with all its tools in their one place; the items that brought them say nothing else. */
export const withAllTools = (request: CreateResponse): CreateResponse => {
  const tools = allTools(request);
  return tools.length === 0 || tools === request.tools ? request : { ...request, tools: [...tools] };
};

const isAdditional = (item: InputItem): item is InputItem & { tools: Tool[] } =>
  inputType(item) === "additional_tools" && Array.isArray(Reflect.get(item, "tools"));

function merged<T extends Tool>(tools: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const tool of tools) {
    const name = `${tool.type} ${nameOf(tool)}`;
    const before = byName.get(name);
    const isMore = before?.type === "namespace" && tool.type === "namespace";
    byName.set(name, isMore ? { ...tool, tools: merged([...before.tools, ...tool.tools]) } : tool);
  }
  return [...byName.values()];
}

/** What tells two tools of a type apart. An extension may have anything in these fields. */
function nameOf(tool: Tool): string {
  const { name, server_label } = tool as { name?: unknown; server_label?: unknown };
  return typeof name === "string" ? name : typeof server_label === "string" ? server_label : "";
}

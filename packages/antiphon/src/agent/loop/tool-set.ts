import { AntiphonError, toAntiphonError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";
import type { CustomTool, FunctionTool, NamespaceTool, Tool } from "../../model/index.ts";
import type { AgentTool, RunnableTool, ToolSource } from "../../tools/tool.ts";
import { executorsOf } from "./calls.ts";
import type { PendingCall } from "./run-options.ts";

export const isSource = (tool: AgentTool): tool is ToolSource => "listTools" in tool;
const isTool = (tool: AgentTool): tool is RunnableTool | Tool => !isSource(tool);
export const isRunnable = (tool: AgentTool): tool is RunnableTool => "run" in tool && "definition" in tool;

const key = (name: string, namespace: unknown): string =>
  typeof namespace === "string" ? `${namespace}.${name}` : name.replace(/^functions\./, "");

/** The tools of one step: what the model is told of them, and which of them run here. */
export class ToolSet {
  /** What the request's `tools` holds. */
  readonly definitions: readonly Tool[];
  readonly #runnable = new Map<string, RunnableTool>();
  readonly #executors = new Map<string, RunnableTool>();
  readonly #declared = new Set<string>();

  constructor(declared: readonly Tool[], tools: readonly (RunnableTool | Tool)[]) {
    const own = tools.map((tool) => (isRunnable(tool) ? tool.definition : tool));
    const names = new Set(own.flatMap(namesIn));
    // What the request declares and the run has too is declared once.
    const others = declared.flatMap((tool) => without(tool, names));
    this.definitions = mergeNamespaces([...others, ...own]);
    for (const name of this.definitions.flatMap(namesIn)) {
      if (this.#declared.has(name)) throw twice(name);
      this.#declared.add(name);
    }
    for (const tool of tools) if (isRunnable(tool)) this.#add(tool);
  }

  /** The tool that runs a call, if one does. */
  find(call: PendingCall): RunnableTool | undefined {
    const executors = executorsOf(call);
    if (!executors) return this.#runnable.get(keyOf(call));
    for (const type of executors) {
      const tool = this.#executors.get(type);
      if (tool) return tool;
    }
    return undefined;
  }

  /** Whether a call is one that the model may make; if nothing here runs it, the caller must. */
  knows(call: PendingCall): boolean {
    return executorsOf(call) !== undefined || this.#declared.has(keyOf(call));
  }

  /** A sentence for a model that called what is not there. */
  unknown(call: PendingCall): string {
    const names = [...this.#declared];
    const meant = nearest(keyOf(call), names);
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    const list = names.length === 0 ? " No tools are available." : ` Available tools: ${listed(names)}.`;
    return `There is no tool named "${keyOf(call)}".${hint}${list}`;
  }

  #add(tool: RunnableTool): void {
    const { definition } = tool;
    if (isNamed(definition)) this.#runnable.set(definition.name, tool);
    else if (isNamespace(definition)) for (const name of namesIn(definition)) this.#runnable.set(name, tool);
    else if ((this.#executors.get(definition.type) ?? tool) !== tool) throw twice(definition.type);
    else this.#executors.set(definition.type, tool);
  }
}

const keyOf = ({ name, item }: PendingCall): string => key(name, Reflect.get(item, "namespace"));

const namesShown = 30;
const listed = (names: readonly string[]): string =>
  names.length > namesShown ? `${names.slice(0, namesShown).join(", ")} and ${names.length - namesShown} more` : names.join(", ");

const isNamespace = (tool: Tool): tool is NamespaceTool => tool.type === "namespace" && Array.isArray(Reflect.get(tool, "tools"));
const isNamed = (tool: Tool): tool is FunctionTool | CustomTool => tool.type === "function" || tool.type === "custom";

function namesIn(tool: Tool): string[] {
  if (isNamespace(tool)) return tool.tools.map(({ name }) => key(name, tool.name));
  return isNamed(tool) ? [tool.name] : [];
}

const twice = (name: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `Two tools have the name "${name}". Rename one of them; for an MCP server, set \`prefix\`.`, {
    param: "tools",
  });

/** What is left of a tool without these names: nothing, or a namespace with fewer tools in it. */
function without(tool: Tool, names: ReadonlySet<string>): Tool[] {
  if (!namesIn(tool).some((name) => names.has(name))) return [tool];
  if (!isNamespace(tool)) return [];
  const tools = tool.tools.filter(({ name }) => !names.has(key(name, tool.name)));
  return tools.length > 0 ? [{ ...tool, tools }] : [];
}

/** One namespace of each name: tools that were made one by one may share it. */
function mergeNamespaces(tools: readonly Tool[]): Tool[] {
  const merged = new Map<unknown, Tool>();
  for (const tool of tools) {
    if (!isNamespace(tool)) {
      merged.set(tool, tool);
      continue;
    }
    const before = merged.get(tool.name);
    merged.set(tool.name, before && isNamespace(before) ? { ...before, tools: [...before.tools, ...tool.tools] } : tool);
  }
  return [...merged.values()];
}

/** Asks every source for its tools; without sources the answer is always the same, and needs no waiting. */
export function gatherTools(
  declared: readonly Tool[],
  tools: readonly AgentTool[],
): (signal?: AbortSignal) => ToolSet | Promise<ToolSet> {
  if (!tools.some(isSource)) {
    const fixed = new ToolSet(declared, tools.filter(isTool));
    return () => fixed;
  }
  return async (signal) => {
    const lists = await Promise.all(tools.map(async (tool) => (isSource(tool) ? tool.listTools(signal) : [tool]))).catch(
      (thrown: unknown) => {
        throw toAntiphonError(thrown, "CONNECTION_ERROR");
      },
    );
    return new ToolSet(declared, lists.flat());
  };
}

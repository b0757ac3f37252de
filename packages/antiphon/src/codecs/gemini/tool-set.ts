import type { CreateResponse, FunctionTool, McpTool } from "../../model/index.ts";
import { allTools } from "../shared/all-tools.ts";
import { ToolNames } from "../shared/tool-names.ts";
import type { ModelTraits } from "./dialect.ts";
import { nameRules } from "./wire.ts";

/** The tools of one exchange under the wire's names. */
export interface ToolSet {
  names: ToolNames;
  /** The wire's name of the hidden function by which the model gives a typed answer. */
  answer?: string;
  /** The labels of MCP servers that the provider calls, longest first: one may begin with another. */
  mcpLabels: readonly string[];
}

/** Made from the request alone, so that encoder and decoder agree on it. */
export function toolSet(request: CreateResponse, traits: ModelTraits): ToolSet {
  const tools = allTools(request);
  const hidden = answerTool(request, traits);
  const names = new ToolNames(hidden ? [...tools, hidden] : tools, nameRules);
  const answer = hidden && names.declared.at(-1)?.wireName;
  const labels = tools.filter((tool): tool is McpTool => tool.type === "mcp").map(({ server_label }) => server_label);
  const mcpLabels = labels.sort((a, b) => b.length - a.length);
  return answer === undefined ? { names, mcpLabels } : { names, answer, mcpLabels };
}

const functionTypes: ReadonlySet<string> = new Set(["function", "custom", "namespace"]);

/** Whether a request declares functions of the caller's. */
export const hasFunctions = (request: CreateResponse): boolean => allTools(request).some(({ type }) => functionTypes.has(type));

/** The hidden function of models that take no schema beside functions: its arguments are the answer. */
function answerTool(request: CreateResponse, { schemaBesideTools }: ModelTraits): FunctionTool | undefined {
  const format = request.text?.format;
  if (format?.type !== "json_schema" || schemaBesideTools || !hasFunctions(request)) return undefined;
  return {
    type: "function",
    name: format.name || "answer",
    description: format.description || "Returns the final answer to the user, in this format.",
    parameters: format.schema ?? null,
  };
}

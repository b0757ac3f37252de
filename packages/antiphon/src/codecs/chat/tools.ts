import type { CreateResponse, FunctionTool } from "../../model/index.ts";
import { allTools } from "../shared/all-tools.ts";
import { ToolNames } from "../shared/tool-names.ts";
import type { ChatDialect } from "./dialect.ts";

/** The tools of one exchange under the wire's names. */
export interface ToolSet {
  names: ToolNames;
  /** The wire's name of the hidden tool by which the model gives a typed answer. */
  answer?: string;
}

/** Made from the request alone, so that encoder and decoder agree on it. */
export function toolSet(request: CreateResponse, dialect: ChatDialect): ToolSet {
  const hidden = answerTool(request, dialect);
  const tools = allTools(request);
  const names = new ToolNames(hidden ? [...tools, hidden] : tools, dialect.names);
  const answer = hidden && names.declared.at(-1)?.wireName;
  return answer === undefined ? { names } : { names, answer };
}

/** The hidden tool of servers without JSON schemas: its arguments are the answer. */
function answerTool({ text }: CreateResponse, { formats }: ChatDialect): FunctionTool | undefined {
  const format = text?.format;
  if (format?.type !== "json_schema" || formats.includes("json_schema")) return undefined;
  return {
    type: "function",
    name: format.name || "answer",
    description: format.description || "Returns the final answer to the user, in this format.",
    parameters: format.schema ?? null,
    strict: format.strict ?? null,
  };
}

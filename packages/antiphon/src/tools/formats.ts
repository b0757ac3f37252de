import { AntiphonError } from "../core/error.ts";
import { checkArgument } from "../core/options.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { FunctionTool, JsonSchema } from "../model/index.ts";
import type { RunnableTool } from "./tool.ts";

/** A function as Chat Completions declares it. */
export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters?: JsonSchema; strict?: boolean | null };
}

/** A tool as Anthropic's Messages declare it. */
export interface AnthropicTool {
  type?: "custom";
  name: string;
  description?: string;
  input_schema: JsonSchema;
  strict?: boolean;
}

/** A tool as an MCP server lists it. */
export interface McpToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: { [hint: string]: unknown };
}

/** A function without a wrapper, as Gemini and the oldest of OpenAI's forms declare it. */
export interface BareFunction {
  name: string;
  description?: string;
  parameters?: JsonSchema;
  parametersJsonSchema?: JsonSchema;
}

/** A function in any of the forms that are about. */
export type ToolForm = FunctionTool | ChatTool | AnthropicTool | McpToolDefinition | BareFunction;

const nothing: JsonSchema = { type: "object", properties: {} };

const isRunnable = (form: ToolForm | RunnableTool): form is RunnableTool => "definition" in form && "run" in form;

/** What a form declares, wherever it keeps it. */
function fieldsOf(form: JsonObject): JsonObject {
  const fields = isObject(form["function"]) ? form["function"] : form;
  const parameters = fields["input_schema"] ?? fields["inputSchema"] ?? fields["parameters"] ?? fields["parametersJsonSchema"];
  return { ...fields, parameters };
}

/**
 * Converts a function definition of any form to the Responses form.
 *
 * @example
 * toolDefinition({ name: "clock", input_schema: { type: "object", properties: {} } }).parameters;
 */
export function toolDefinition(form: ToolForm | RunnableTool): FunctionTool {
  checkArgument("toolDefinition", "the definition of a tool", isObject(form), form);
  const declared = isRunnable(form) ? form.definition : form;
  const { name, description, parameters, strict } = fieldsOf({ ...declared });
  const type = "type" in declared ? declared.type : undefined;
  if (typeof name !== "string" || (type !== undefined && type !== "function" && !("input_schema" in declared)))
    throw new AntiphonError(
      "UNSUPPORTED",
      `A tool definition must declare a function with a name, not ${JSON.stringify(declared).slice(0, 200)}.`,
      { param: "definition" },
    );
  return {
    type: "function",
    name,
    ...(typeof description === "string" && { description }),
    parameters: isObject(parameters) ? parameters : nothing,
    ...(typeof strict === "boolean" && { strict }),
  };
}

/** Converts a function definition to the Responses form, like `toolDefinition`. */
export const toResponses = (form: ToolForm | RunnableTool): FunctionTool => toolDefinition(form);

/** Converts a function definition to the form of Chat Completions. */
export function toChat(form: ToolForm | RunnableTool): ChatTool {
  const { type, ...fields } = declarationOf(form);
  return { type, function: fields };
}

/** Converts a function definition to the form of Anthropic's Messages API. */
export function toAnthropic(form: ToolForm | RunnableTool): AnthropicTool {
  const { type: _, parameters, ...fields } = declarationOf(form);
  return { ...fields, input_schema: parameters };
}

/**
 * Converts a function definition to the form of an MCP server's tool list. MCP has no `strict`; the schema says the
 * same without.
 */
export function toMcp(form: ToolForm | RunnableTool): McpToolDefinition {
  const { type: _, strict: __, parameters, ...fields } = declarationOf(form);
  return { ...fields, inputSchema: parameters };
}

type Declaration = { type: "function"; name: string; description?: string; parameters: JsonSchema; strict?: boolean };

/** A definition with nothing null in it. */
function declarationOf(form: ToolForm | RunnableTool): Declaration {
  const { type, name, description, parameters, strict } = toolDefinition(form);
  return {
    type,
    name,
    ...(description && { description }),
    parameters: parameters ?? nothing,
    ...(typeof strict === "boolean" && { strict }),
  };
}

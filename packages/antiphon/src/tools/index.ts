export {
  customTool,
  tool,
  type CustomToolOptions,
  type DefinedToolOptions,
  type FunctionToolOptions,
  type JsonToolOptions,
  type PlainToolOptions,
  type StandardToolOptions,
  type ToolOptions,
} from "./define.ts";
export {
  toAnthropic,
  toChat,
  toMcp,
  toolDefinition,
  toResponses,
  type AnthropicTool,
  type BareFunction,
  type ChatTool,
  type McpToolDefinition,
  type ToolForm,
} from "./formats.ts";
export { toolOutput } from "./output.ts";
export { restoreArguments, type RestoreOptions, type RestorePlan } from "./restore.ts";
export type { OutputOf, StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
export { strictForm, toStrict, type StrictForm, type StrictFormOptions, type StrictSchema } from "./strict.ts";
export { strictRules, type StrictRule } from "./strict-rules.ts";
export type { AgentTool, RunnableTool, SchemaChange, ToolContext, ToolSource } from "./tool.ts";
export { compileSchema, validate, type CompileOptions } from "./validate.ts";
export type { Problem } from "./validate-visit.ts";

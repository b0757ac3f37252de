import type { CustomTool, FunctionTool, HostedTool, NamespaceTool, ToolChoice } from "antiphon";
import {
  anyOf,
  anything,
  boolean,
  constant,
  either,
  list,
  maybe,
  object,
  objectOf,
  optional,
  record,
  ref,
  string,
  words,
  type Schema,
} from "./schema.ts";

/** Their options are the provider's, and are passed on as they are. */
const hostedTypes: Readonly<Record<HostedTool["type"], true>> = {
  web_search: true,
  web_search_2025_08_26: true,
  web_search_preview: true,
  web_search_preview_2025_03_11: true,
  file_search: true,
  code_interpreter: true,
  image_generation: true,
  mcp: true,
  computer: true,
  computer_use_preview: true,
  local_shell: true,
  shell: true,
  apply_patch: true,
  tool_search: true,
  programmatic_tool_calling: true,
};

type Mode = Extract<ToolChoice, string>;
const mode = words<Mode>({ none: true, auto: true, required: true });
const extension = { type: "string", pattern: "^[^:]+:.+$" };

/** What the model may use. */
export const toolSchemas: Readonly<Record<string, Schema>> = {
  FunctionTool: objectOf<FunctionTool>({
    type: constant("function"),
    name: string(),
    description: maybe(string()),
    parameters: maybe(record(anything(), "A JSON Schema.")),
    strict: maybe(boolean()),
    defer_loading: optional(boolean()),
  }),
  CustomTool: objectOf<CustomTool>({
    type: constant("custom"),
    name: string(),
    description: optional(string()),
    format: optional(ref("CustomToolFormat")),
    defer_loading: optional(boolean()),
  }),
  CustomToolFormat: either(
    object({ type: constant("text") }),
    objectOf<Extract<CustomTool["format"], { type: "grammar" }>>({
      type: constant("grammar"),
      syntax: words<"lark" | "regex">({ lark: true, regex: true }),
      definition: string(),
    }),
  ),
  NamespaceTool: objectOf<NamespaceTool>({
    type: constant("namespace"),
    name: string(),
    description: optional(string()),
    tools: list(anyOf(["FunctionTool", "CustomTool"])),
  }),
  HostedTool: object({ type: words(hostedTypes) }, "A tool that runs at the provider, with its options."),
  ExtensionTool: object({ type: extension }, "A tool of somebody's own making."),
  Tool: anyOf(["FunctionTool", "CustomTool", "NamespaceTool", "HostedTool", "ExtensionTool"]),
  ToolChoice: either(
    mode,
    object({
      type: string("The type of a tool, or `allowed_tools`."),
      name: optional(string()),
      mode: optional(mode),
      tools: optional(list(object({ type: string() }))),
    }),
  ),
};

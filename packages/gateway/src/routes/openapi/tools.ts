import type {
  BareTool,
  CodeInterpreterTool,
  ComputerTool,
  CustomTool,
  FileSearchTool,
  FunctionTool,
  HostedTool,
  ImageGenerationTool,
  McpTool,
  NamespaceTool,
  ToolChoice,
  WebSearchTool,
} from "antiphon";
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
  oneOf,
  record,
  ref,
  string,
  typeOfField,
  words,
  type Schema,
} from "./schema.ts";

const webSearchTypes: Readonly<Record<WebSearchTool["type"], true>> = {
  web_search: true,
  web_search_2025_08_26: true,
  web_search_preview: true,
  web_search_preview_2025_03_11: true,
};

/** Tools whose options the gateway does not read. */
const plainTypes: Readonly<Record<(ImageGenerationTool | ComputerTool | BareTool)["type"], true>> = {
  image_generation: true,
  computer: true,
  computer_use_preview: true,
  local_shell: true,
  shell: true,
  apply_patch: true,
  tool_search: true,
  programmatic_tool_calling: true,
};

const hostedTypes: Readonly<Record<HostedTool["type"], true>> = {
  ...webSearchTypes,
  ...plainTypes,
  file_search: true,
  code_interpreter: true,
  mcp: true,
};

type Mode = Extract<ToolChoice, string>;
const mode = words<Mode>({ none: true, auto: true, required: true });
const extension = { type: "string", pattern: "^[^:]+:.+$" };
const texts = list(string());
const description = maybe(string());
const deferred = maybe(boolean());

/** A tool that has no schema here. An upstream of the Responses API may know it. */
const otherType = { type: "string", not: { enum: ["function", "custom", "namespace", ...Object.keys(hostedTypes)] } };

/** The fields of hosted tools that codecs read; other fields are passed on. */
const hostedSchemas: Readonly<Record<string, Schema>> = {
  WebSearchTool: object({
    type: words(webSearchTypes),
    search_context_size: maybe(oneOf("low", "medium", "high")),
    user_location: maybe(
      object({
        type: maybe(string()),
        country: maybe(string()),
        region: maybe(string()),
        city: maybe(string()),
        timezone: maybe(string()),
      }),
    ),
    filters: maybe(object({ allowed_domains: maybe(texts) })),
    external_web_access: maybe(boolean()),
  }),
  FileSearchTool: object({
    type: constant("file_search" satisfies FileSearchTool["type"]),
    vector_store_ids: maybe(texts),
    ranking_options: maybe(record(anything())),
    filters: maybe(record(anything())),
  }),
  CodeInterpreterTool: object({
    type: constant("code_interpreter" satisfies CodeInterpreterTool["type"]),
    container: maybe(either(string(), object({ file_ids: maybe(texts), memory_limit: maybe(string()) }))),
  }),
  McpTool: object({
    type: constant("mcp" satisfies McpTool["type"]),
    server_label: string(),
    server_url: maybe(string()),
    connector_id: maybe(string()),
    authorization: maybe(string()),
    headers: maybe(record(string())),
    allowed_tools: maybe(either(texts, object({ tool_names: maybe(texts), read_only: maybe(boolean()) }))),
  }),
  HostedTool: object({ type: words(plainTypes) }, "A tool that runs at the provider, with options that depend on the provider."),
};

const choices: Readonly<Record<string, Schema>> = {
  FunctionToolChoice: object({ type: oneOf("function", "custom"), name: string() }, "A tool, by name."),
  McpToolChoice: object({ type: constant("mcp"), server_label: string(), name: maybe(string()) }),
  AllowedTools: object(
    { type: constant("allowed_tools"), mode: maybe(mode), tools: list(object({ type: string() })) },
    "The tools that the model can choose from.",
  ),
  OtherToolChoice: object(
    { type: { type: "string", not: { enum: ["function", "custom", "mcp", "allowed_tools"] } } },
    "A tool that runs at the provider, or one that only some servers support.",
  ),
};

/** The tools that a request offers the model. */
export const toolSchemas: Readonly<Record<string, Schema>> = {
  FunctionTool: objectOf<FunctionTool>({
    type: constant("function"),
    name: string(),
    description,
    parameters: maybe(record(anything(), "A JSON Schema.")),
    strict: maybe(boolean()),
    defer_loading: deferred,
  }),
  CustomTool: objectOf<CustomTool>({
    type: constant("custom"),
    name: string(),
    description,
    format: maybe(ref("CustomToolFormat")),
    defer_loading: deferred,
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
    description,
    tools: list(ref("Tool")),
  }),
  ...hostedSchemas,
  ExtensionTool: object({ type: extension }, "A vendor-specific tool; its type starts with the vendor's prefix."),
  OtherTool: {
    ...object(
      { type: otherType },
      "A tool that only some servers support. The gateway forwards it to providers with the Responses API and reports a loss for others.",
    ),
    ...typeOfField("parameters", "function"),
  },
  Tool: anyOf(["FunctionTool", "CustomTool", "NamespaceTool", ...Object.keys(hostedSchemas), "ExtensionTool", "OtherTool"]),
  ...choices,
  ToolChoice: either(mode, ...Object.keys(choices).map(ref)),
};

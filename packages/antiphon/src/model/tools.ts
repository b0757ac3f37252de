/** A JSON Schema, read as plain data. */
export type JsonSchema = { [keyword: string]: unknown };

/** A function of the caller's that the model may ask for. */
export interface FunctionTool {
  type: "function";
  name: string;
  description?: string | null;
  parameters?: JsonSchema | null;
  strict?: boolean | null;
  defer_loading?: boolean;
}

/** A tool whose input is free text, perhaps bound by a grammar. */
export interface CustomTool {
  type: "custom";
  name: string;
  description?: string;
  format?: { type: "text" } | { type: "grammar"; syntax: "lark" | "regex"; definition: string };
  defer_loading?: boolean;
}

/** Tools grouped under one name. */
export interface NamespaceTool {
  type: "namespace";
  name: string;
  description?: string;
  tools: (FunctionTool | CustomTool)[];
}

/** Searches the web. */
export interface WebSearchTool {
  type: "web_search" | "web_search_2025_08_26" | "web_search_preview" | "web_search_preview_2025_03_11";
  search_context_size?: "low" | "medium" | "high";
  user_location?: { type?: "approximate"; country?: string; region?: string; city?: string; timezone?: string } | null;
  filters?: { allowed_domains?: string[] | null } | null;
  external_web_access?: boolean;
}

/** Searches vector stores. */
export interface FileSearchTool {
  type: "file_search";
  vector_store_ids: string[];
  max_num_results?: number;
  ranking_options?: { ranker?: string; score_threshold?: number; [option: string]: unknown };
  filters?: { [field: string]: unknown } | null;
}

/** Runs code in a container. */
export interface CodeInterpreterTool {
  type: "code_interpreter";
  container: string | { type: "auto"; file_ids?: string[]; memory_limit?: string | null; [option: string]: unknown };
}

/** Draws pictures. */
export interface ImageGenerationTool {
  type: "image_generation";
  model?: string;
  partial_images?: number;
  quality?: string;
  size?: string;
  background?: string;
  output_format?: string;
  output_compression?: number;
  moderation?: string;
  input_fidelity?: string | null;
  input_image_mask?: { image_url?: string; file_id?: string };
}

/** Which of an MCP server's tools a rule speaks of. */
export interface McpToolFilter {
  tool_names?: string[];
  read_only?: boolean;
}

/** A remote MCP server that the provider talks to. */
export interface McpTool {
  type: "mcp";
  server_label: string;
  server_url?: string;
  connector_id?: string;
  server_description?: string;
  authorization?: string;
  headers?: Record<string, string> | null;
  allowed_tools?: string[] | McpToolFilter | null;
  require_approval?: "always" | "never" | { always?: McpToolFilter; never?: McpToolFilter } | null;
}

/** A screen that the model may use. */
export interface ComputerTool {
  type: "computer" | "computer_use_preview";
  environment?: string;
  display_width?: number;
  display_height?: number;
}

/** Tools that are configured by their name alone, or nearly so. */
export interface BareTool {
  type: "local_shell" | "shell" | "apply_patch" | "tool_search" | "programmatic_tool_calling";
  [option: string]: unknown;
}

/** A tool of somebody's own making; its type carries the maker's prefix. */
export interface ExtensionTool {
  type: `${string}:${string}`;
  [option: string]: unknown;
}

/** A tool that runs at the provider, not at the caller. */
export type HostedTool =
  | WebSearchTool
  | FileSearchTool
  | CodeInterpreterTool
  | ImageGenerationTool
  | McpTool
  | ComputerTool
  | BareTool;

/** Anything that a request's `tools` may hold. */
export type Tool = FunctionTool | CustomTool | NamespaceTool | HostedTool | ExtensionTool;

/** Whether, and which, tools the model uses. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { type: "function"; name: string }
  | { type: "custom"; name: string }
  | { type: "mcp"; server_label: string; name?: string | null }
  | {
      type: "allowed_tools";
      mode?: "none" | "auto" | "required";
      tools: { type: string; name?: string; [field: string]: unknown }[];
    }
  | { type: HostedTool["type"] };

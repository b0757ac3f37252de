import type { InputItem } from "./items.ts";
import type { JsonSchema, Tool, ToolChoice } from "./tools.ts";

/** How hard the model should think. The specification has no `minimal`; some models take it. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** How the model should think, and what of it should be told. */
export interface ReasoningConfig {
  effort?: ReasoningEffort | null;
  summary?: "concise" | "detailed" | "auto" | null;
}

/** The form of the answer's text. */
export type TextFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; name?: string; description?: string | null; schema?: JsonSchema | null; strict?: boolean | null };

/** The form and length of the answer's text. */
export interface TextConfig {
  format?: TextFormat | null;
  verbosity?: "low" | "medium" | "high" | null;
}

/** Extra data that the answer should carry. */
export type Include =
  | "reasoning.encrypted_content"
  | "message.output_text.logprobs"
  | "message.input_image.image_url"
  | "file_search_call.results"
  | "web_search_call.results"
  | "web_search_call.action.sources"
  | "code_interpreter_call.outputs"
  | "computer_call_output.output.image_url";

/** The body of `POST /responses`. */
export interface CreateResponse {
  model?: string | null;
  input?: string | InputItem[] | null;
  instructions?: string | null;
  previous_response_id?: string | null;
  conversation?: string | { id: string } | null;
  tools?: Tool[] | null;
  tool_choice?: ToolChoice | null;
  parallel_tool_calls?: boolean | null;
  max_tool_calls?: number | null;
  text?: TextConfig | null;
  reasoning?: ReasoningConfig | null;
  include?: Include[] | null;
  temperature?: number | null;
  top_p?: number | null;
  presence_penalty?: number | null;
  frequency_penalty?: number | null;
  top_logprobs?: number | null;
  max_output_tokens?: number | null;
  truncation?: "auto" | "disabled" | null;
  metadata?: Record<string, string> | null;
  store?: boolean | null;
  background?: boolean | null;
  stream?: boolean | null;
  stream_options?: { include_obfuscation?: boolean } | null;
  service_tier?: string | null;
  safety_identifier?: string | null;
  user?: string | null;
  prompt_cache_key?: string | null;
  prompt_cache_retention?: string | null;
  prompt?: { id: string; version?: string | null; variables?: Record<string, unknown> | null } | null;
  context_management?: unknown;
  /** Not of the Responses wire; sent where a wire has it. */
  seed?: number | null;
  /** Not of the Responses wire; sent where a wire has it. */
  stop?: string | string[] | null;
}

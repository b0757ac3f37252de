import type { Item } from "./items.ts";
import type { ReasoningConfig, TextConfig } from "./request.ts";
import type { Tool, ToolChoice } from "./tools.ts";

/** What a response cost in tokens. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  input_tokens_details: {
    cached_tokens: number;
    /** Tokens written to a prompt cache, where the provider bills them apart. */
    cache_write_tokens?: number;
  };
  output_tokens_details: { reasoning_tokens: number };
  /** Set where the provider reported nothing and the figures are a guess from lengths. */
  estimated?: true;
}

/** Where a response is in its life. */
export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** Why an answer stopped short. */
export interface IncompleteDetails {
  reason: "max_output_tokens" | "content_filter" | "cancelled" | (string & {});
}

/** Why a response failed. */
export interface ResponseError {
  code: string;
  message: string;
  type?: string | null;
  param?: string | null;
  /** The provider's id of the request, to quote to its support. */
  request_id?: string;
}

/** A response: everything that a request led to. */
export interface ResponseResource {
  id: string;
  object: "response";
  created_at: number;
  completed_at: number | null;
  status: ResponseStatus;
  incomplete_details: IncompleteDetails | null;
  error: ResponseError | null;
  model: string;
  output: Item[];
  usage: Usage | null;
  previous_response_id: string | null;
  instructions: string | null;
  tools: Tool[];
  tool_choice: ToolChoice;
  parallel_tool_calls: boolean;
  max_tool_calls: number | null;
  text: TextConfig;
  reasoning: ReasoningConfig | null;
  truncation: "auto" | "disabled";
  temperature: number;
  top_p: number;
  presence_penalty: number;
  frequency_penalty: number;
  top_logprobs: number;
  max_output_tokens: number | null;
  metadata: Record<string, string>;
  store: boolean;
  background: boolean;
  service_tier: string;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
  conversation?: { id: string } | null;
}

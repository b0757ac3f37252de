import type { CreateResponse } from "../model/index.ts";
import type { Loss } from "./loss.ts";

const fields: Readonly<Record<keyof CreateResponse, true>> = {
  model: true,
  input: true,
  instructions: true,
  previous_response_id: true,
  conversation: true,
  tools: true,
  tool_choice: true,
  parallel_tool_calls: true,
  max_tool_calls: true,
  text: true,
  reasoning: true,
  include: true,
  temperature: true,
  top_p: true,
  presence_penalty: true,
  frequency_penalty: true,
  top_logprobs: true,
  max_output_tokens: true,
  truncation: true,
  metadata: true,
  store: true,
  background: true,
  stream: true,
  stream_options: true,
  service_tier: true,
  safety_identifier: true,
  user: true,
  prompt_cache_key: true,
  prompt_cache_retention: true,
  prompt: true,
  context_management: true,
  seed: true,
  stop: true,
};

/**
 * Returns a loss for each field that requests do not have, such as a misspelt one.
 *
 * @param prefix Fields with this prefix are read.
 */
export function unknownFields(request: CreateResponse, reason: string, prefix?: string): Loss[] {
  const losses: Loss[] = [];
  for (const name in request) {
    if (Object.hasOwn(fields, name) || (prefix !== undefined && name.startsWith(prefix))) continue;
    const value: unknown = Reflect.get(request, name);
    if (value !== undefined && value !== null) losses.push({ path: name, reason });
  }
  return losses;
}

import type { CreateResponse } from "../model/index.ts";
import type { AgentOptions, RequestFields } from "./agent-options.ts";

// A record, so that a field that is missing or misspelt does not compile.
const fields: { readonly [Field in keyof RequestFields]-?: true } = {
  previous_response_id: true,
  conversation: true,
  tool_choice: true,
  parallel_tool_calls: true,
  max_tool_calls: true,
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

/** The part of an agent's options that goes into the request as it is. */
export function requestFields(options: Partial<AgentOptions>): CreateResponse {
  const given = Object.keys(fields).map((name) => [name, Reflect.get(options, name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Fields that an agent does not leave to whoever asks it as a model. */
const agents: ReadonlySet<string> = new Set(["model", "input", "tools", "stream", "stream_options"]);

/** What a request to an agent says itself. */
export const ownFields = (request: CreateResponse): CreateResponse =>
  Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !agents.has(name) && value !== undefined && value !== null),
  );

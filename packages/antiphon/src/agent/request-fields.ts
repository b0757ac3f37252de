import {
  anyText,
  anything,
  either,
  listOf,
  nullable,
  number,
  object,
  text,
  whole,
  yesOrNo,
  type Rules,
} from "../core/options.ts";
import type { CreateResponse } from "../model/index.ts";
import type { AgentOptions, RequestFields } from "./agent-options.ts";

/** A rule for every field of a request that is an agent's option too, and for all fields with a vendor's prefix. */
export const requestFieldRules: Rules<RequestFields & Record<"*:*", unknown>> = {
  previous_response_id: nullable(text),
  conversation: nullable(either("be an id or an object", text, object)),
  tool_choice: nullable(either("be a mode or an object that names a tool", text, object)),
  parallel_tool_calls: nullable(yesOrNo),
  max_tool_calls: nullable(whole(1)),
  reasoning: nullable(object),
  include: nullable(listOf(text)),
  temperature: nullable(number),
  top_p: nullable(number),
  presence_penalty: nullable(number),
  frequency_penalty: nullable(number),
  top_logprobs: nullable(whole(0)),
  max_output_tokens: nullable(whole(1)),
  truncation: nullable(text),
  metadata: nullable(object),
  store: nullable(yesOrNo),
  background: nullable(yesOrNo),
  service_tier: nullable(text),
  safety_identifier: nullable(anyText),
  user: nullable(anyText),
  prompt_cache_key: nullable(anyText),
  prompt_cache_retention: nullable(text),
  prompt: nullable(object),
  context_management: anything,
  seed: nullable(number),
  stop: nullable(either("be text or a list of texts", anyText, listOf(anyText))),
  "*:*": anything,
};

/** The options of an agent that are sent unchanged, those with a vendor's prefix included. */
export function requestFields(options: Partial<AgentOptions>): CreateResponse {
  const isField = (name: string): boolean => Object.hasOwn(requestFieldRules, name) || name.includes(":");
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== undefined && isField(name)));
}

/** Fields that an agent does not leave to whoever asks it as a model. */
const agents: ReadonlySet<string> = new Set(["model", "input", "tools", "stream", "stream_options"]);

/** What a request to an agent says itself. */
export const ownFields = (request: CreateResponse): CreateResponse =>
  Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !agents.has(name) && value !== undefined && value !== null),
  );

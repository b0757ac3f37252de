import { isObject } from "../model/guards.ts";
import type { CreateResponse, ResponseResource, Tool } from "../model/index.ts";
import { checkArgument } from "./options.ts";

/** The specification's resource shows every field of a function tool, also the empty ones. */
const echoTool = (tool: Tool): Tool =>
  tool.type === "function"
    ? { ...tool, description: tool.description ?? null, parameters: tool.parameters ?? null, strict: tool.strict ?? null }
    : tool;

/** Creates a response that has just started: all fields of the specification, from the request and its defaults. */
export function blankResponse(id: string, created_at: number, request: CreateResponse): ResponseResource {
  checkArgument("blankResponse", "a request as its third argument", isObject(request), request);
  return {
    id,
    object: "response",
    created_at,
    completed_at: null,
    status: "in_progress",
    incomplete_details: null,
    error: null,
    model: request.model ?? "",
    output: [],
    usage: null,
    previous_response_id: request.previous_response_id ?? null,
    instructions: request.instructions ?? null,
    tools: (request.tools ?? []).map(echoTool),
    tool_choice: echoChoice(request),
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    max_tool_calls: request.max_tool_calls ?? null,
    text: { ...echoText(request) },
    reasoning: request.reasoning
      ? { effort: request.reasoning.effort ?? null, summary: request.reasoning.summary ?? null }
      : null,
    truncation: request.truncation ?? "disabled",
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    store: request.store ?? true,
    background: request.background ?? false,
    service_tier: request.service_tier ?? "default",
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
  };
}

function echoChoice({ tool_choice }: CreateResponse): ResponseResource["tool_choice"] {
  if (typeof tool_choice === "object" && tool_choice?.type === "allowed_tools")
    return { ...tool_choice, mode: tool_choice.mode ?? "auto" };
  return tool_choice ?? "auto";
}

// `verbosity: null` is not lawful in a response, so the key is left out.
function echoText({ text }: CreateResponse): ResponseResource["text"] {
  const format = text?.format ?? { type: "text" };
  return text?.verbosity ? { format, verbosity: text.verbosity } : { format };
}

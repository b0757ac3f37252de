import { finishReason } from "../core/views.ts";
import { inputType, isObject, own } from "../model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource, Usage } from "../model/index.ts";

/** What a span or a measurement may say of itself. */
export type Attributes = { [name: string]: string | number | boolean | string[] };

const requestFields: readonly (readonly [keyof CreateResponse, string])[] = [
  ["model", "gen_ai.request.model"],
  ["temperature", "gen_ai.request.temperature"],
  ["top_p", "gen_ai.request.top_p"],
  ["max_output_tokens", "gen_ai.request.max_tokens"],
  ["frequency_penalty", "gen_ai.request.frequency_penalty"],
  ["presence_penalty", "gen_ai.request.presence_penalty"],
  ["seed", "gen_ai.request.seed"],
];

/** What the conventions want to know of a request. */
export function requestAttributes(request: CreateResponse): Attributes {
  const attributes: Attributes = {};
  for (const [field, name] of requestFields) {
    const value = request[field];
    if (typeof value === "string" || typeof value === "number") attributes[name] = value;
  }
  const { stop, conversation, text } = request;
  if (stop != null) attributes["gen_ai.request.stop_sequences"] = typeof stop === "string" ? [stop] : stop;
  if (conversation != null)
    attributes["gen_ai.conversation.id"] = typeof conversation === "string" ? conversation : conversation.id;
  if (text?.format) attributes["gen_ai.output.type"] = text.format.type === "text" ? "text" : "json";
  return attributes;
}

/** What the conventions want to know of a response. */
export function responseAttributes(response: ResponseResource): Attributes {
  const reason = finishReason(response);
  return {
    "gen_ai.response.id": response.id,
    "gen_ai.response.model": response.model,
    ...(reason ? { "gen_ai.response.finish_reasons": [reason] } : {}),
    ...(response.usage ? usageAttributes(response.usage) : {}),
  };
}

function usageAttributes(usage: Usage): Attributes {
  const { cached_tokens, cache_write_tokens = 0 } = usage.input_tokens_details;
  const { reasoning_tokens } = usage.output_tokens_details;
  return {
    "gen_ai.usage.input_tokens": usage.input_tokens,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    ...(cached_tokens > 0 ? { "gen_ai.usage.cache_read.input_tokens": cached_tokens } : {}),
    ...(cache_write_tokens > 0 ? { "gen_ai.usage.cache_creation.input_tokens": cache_write_tokens } : {}),
    ...(reasoning_tokens > 0 ? { "gen_ai.usage.reasoning.output_tokens": reasoning_tokens } : {}),
  };
}

/** What was asked, as JSON in the conventions' own message form. */
export function inputContent({ instructions, input, tools }: CreateResponse): Attributes {
  const items: readonly InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  return {
    ...(instructions ? { "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: instructions }]) } : {}),
    "gen_ai.input.messages": JSON.stringify(items.map(message)),
    ...(tools?.length ? { "gen_ai.tool.definitions": JSON.stringify(tools) } : {}),
  };
}

/** What was answered, likewise: one message, however many items. */
export function outputContent(response: ResponseResource): Attributes {
  const parts = response.output.flatMap((item) => message(item).parts);
  const answer = { role: "assistant", parts, finish_reason: finishReason(response) ?? "stop" };
  return { "gen_ai.output.messages": JSON.stringify([answer]) };
}

interface Message {
  role: string;
  parts: object[];
}

type Fields = { [field: string]: unknown };

// Kinds that the conventions have no part for pass as they are: a part may be of any type.
const messages: Readonly<Record<string, (item: Fields) => Message>> = {
  message: (item) => ({ role: String(item["role"]), parts: contentParts(item["content"]) }),
  reasoning: (item) => ({
    role: "assistant",
    parts: [...list(item["summary"]), ...list(item["content"])].map(({ text }) => ({ type: "reasoning", content: text })),
  }),
  function_call: ({ call_id, name, arguments: written }) => ({
    role: "assistant",
    parts: [{ type: "tool_call", id: call_id, name, arguments: written }],
  }),
  function_call_output: ({ call_id, output }) => ({
    role: "tool",
    parts: [{ type: "tool_call_response", id: call_id, response: output }],
  }),
};

function message(item: InputItem): Message {
  const type = inputType(item);
  const make = own(messages, type);
  return make ? make({ ...item }) : { role: "assistant", parts: [item] };
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

const contentParts = (content: unknown): object[] =>
  typeof content === "string"
    ? [{ type: "text", content }]
    : list(content).map((part) => (typeof part["text"] === "string" ? { type: "text", content: part["text"] } : part));

import {
  anything,
  boolean,
  constant,
  either,
  integer,
  list,
  maybe,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  ref,
  string,
  type Schema,
} from "./schema.ts";

const finishReason = oneOf("stop", "length", "tool_calls", "content_filter");
const logprobs = maybe(object({ content: orNull(list(ref("LogProb"))) }));

const request = object({
  model: maybe(string("One of `GET /models`.")),
  messages: list(ref("ChatMessage")),
  tools: maybe(list(record(anything()), "Functions and custom tools.")),
  tool_choice: maybe(either(string(), record(anything()))),
  parallel_tool_calls: maybe(boolean()),
  max_completion_tokens: maybe(integer()),
  max_tokens: maybe(integer()),
  response_format: maybe(object({ type: oneOf("text", "json_object", "json_schema") })),
  reasoning_effort: maybe(oneOf("none", "minimal", "low", "medium", "high", "xhigh")),
  verbosity: maybe(string()),
  temperature: maybe(number()),
  top_p: maybe(number()),
  presence_penalty: maybe(number()),
  frequency_penalty: maybe(number()),
  logprobs: maybe(boolean()),
  top_logprobs: maybe(integer()),
  seed: maybe(integer()),
  stop: maybe(either(string(), list(string()))),
  n: maybe(integer("Every answer has one choice.", { const: 1 })),
  stream: maybe(boolean()),
  stream_options: maybe(object({ include_usage: maybe(boolean()), include_obfuscation: maybe(boolean()) })),
  metadata: maybe(record(anything())),
  store: maybe(boolean("Whether the response is kept: false where it is left out.")),
  user: maybe(string()),
});

/** A completion, or a piece of one: what it says is in `field` of its one choice. */
const completion = (type: string, field: "message" | "delta", finish: Schema): Schema =>
  object({
    id: string(),
    object: constant(type),
    created: integer("Seconds since 1970."),
    model: string(),
    choices: list(object({ index: integer(), [field]: ref("ChatAnswer"), finish_reason: finish, logprobs })),
    usage: maybe(object({ prompt_tokens: integer(), completion_tokens: integer(), total_tokens: integer() })),
    service_tier: maybe(string()),
    system_fingerprint: maybe(string()),
  });

/** What clients of Chat Completions send and read. */
export const chatSchemas: Readonly<Record<string, Schema>> = {
  CreateChatCompletion: request,
  ChatMessage: object({
    role: oneOf("system", "developer", "user", "assistant", "tool", "function"),
    content: maybe(either(string(), list(record(anything())))),
    tool_calls: maybe(list(ref("ChatToolCall"))),
    tool_call_id: maybe(string("The call that a message of a tool answers.")),
  }),
  ChatToolCall: object({
    id: optional(string()),
    index: optional(integer("In a stream: which call this belongs to.")),
    type: optional(oneOf("function", "custom")),
    function: optional(object({ name: optional(string()), arguments: optional(string("JSON.")) })),
    custom: optional(object({ name: optional(string()), input: optional(string()) })),
  }),
  ChatAnswer: object({
    role: optional(constant("assistant")),
    content: maybe(string()),
    refusal: maybe(string()),
    reasoning_content: maybe(string("What the model thought.")),
    tool_calls: optional(list(ref("ChatToolCall"))),
    annotations: optional(list(record(anything()))),
  }),
  ChatCompletion: completion("chat.completion", "message", finishReason),
  ChatCompletionChunk: completion("chat.completion.chunk", "delta", orNull(finishReason)),
};

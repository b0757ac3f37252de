import {
  anyOf,
  anything,
  body,
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

const effort = oneOf("none", "minimal", "low", "medium", "high", "xhigh");
const finishReason = oneOf("stop", "length", "tool_calls", "content_filter");
const logprobs = maybe(object({ content: orNull(list(ref("LogProb"))) }));

const text = either(string(), list(object({ text: string() })));
const content = either(string(), list(ref("ChatPart")));
const functionFields = object({
  name: string(),
  description: maybe(string()),
  parameters: maybe(record(anything(), "A JSON Schema.")),
  strict: maybe(boolean()),
});
const namedFunction = maybe(object({ name: string() }));

const request = body({
  model: maybe(string("A model of `GET /models`; by default, the gateway's default model.")),
  messages: { ...list(ref("ChatMessage")), minItems: 1 },
  tools: maybe(list(ref("ChatTool"))),
  tool_choice: maybe(
    either(
      oneOf("none", "auto", "required", "any"),
      object({ type: maybe(string()), function: namedFunction, custom: namedFunction }),
    ),
  ),
  functions: maybe(list(functionFields)),
  function_call: maybe(either(oneOf("none", "auto"), object({ name: string() }))),
  web_search_options: maybe(record(anything())),
  parallel_tool_calls: maybe(boolean()),
  max_completion_tokens: maybe(integer(undefined, { minimum: 1 })),
  max_tokens: maybe(integer(undefined, { minimum: 1 })),
  response_format: maybe(ref("ChatResponseFormat")),
  reasoning_effort: maybe(effort),
  reasoning: maybe(object({ effort: maybe(effort) }, "OpenRouter's form of `reasoning_effort`.")),
  thinking: maybe(object({ type: maybe(string()) }, "`disabled` is equivalent to the effort `none`.")),
  enable_thinking: maybe(boolean("`false` is equivalent to the effort `none`.")),
  verbosity: maybe(oneOf("low", "medium", "high")),
  temperature: maybe(number(undefined, { minimum: 0, maximum: 2 })),
  top_p: maybe(number(undefined, { minimum: 0, maximum: 1 })),
  presence_penalty: maybe(number(undefined, { minimum: -2, maximum: 2 })),
  frequency_penalty: maybe(number(undefined, { minimum: -2, maximum: 2 })),
  logprobs: maybe(boolean()),
  top_logprobs: maybe(integer(undefined, { minimum: 0, maximum: 20 })),
  seed: maybe(integer()),
  random_seed: maybe(integer("Mistral's name for `seed`.")),
  stop: maybe(either(string(), list(string()))),
  n: maybe(integer("Must be 1: every response has one choice.", { const: 1 })),
  stream: maybe(boolean()),
  stream_options: maybe(object({ include_usage: maybe(boolean()), include_obfuscation: maybe(boolean()) })),
  metadata: maybe(ref("Metadata")),
  store: maybe(boolean("Whether to store the response; false by default.")),
  service_tier: maybe(string()),
  safety_identifier: maybe(string()),
  prompt_cache_key: maybe(string()),
  prompt_cache_retention: maybe(string()),
  user: maybe(string()),
});

/** The messages of a request, by role. */
const messages: Readonly<Record<string, Schema>> = {
  ChatSystemMessage: object({ role: oneOf("system", "developer"), content: text }),
  ChatUserMessage: object({ role: constant("user"), content }),
  ChatAssistantMessage: object({
    role: constant("assistant"),
    content: maybe(either(string(), list(record(anything())))),
    refusal: maybe(string()),
    tool_calls: maybe(list(ref("ChatToolCallParam"))),
    function_call: maybe(ref("ChatCalledFunction")),
    reasoning_content: maybe(string("The model's reasoning, in the field that most servers use.")),
  }),
  ChatToolMessage: object({
    role: constant("tool"),
    tool_call_id: string("The id of the tool call that the message answers."),
    content: maybe(content),
  }),
  ChatFunctionMessage: object({ role: constant("function"), content: maybe(string()) }),
};

/** The parts of a message of a user or a tool. */
const parts: Readonly<Record<string, Schema>> = {
  ChatTextPart: object({ type: constant("text"), text: string() }),
  ChatImagePart: object({
    type: constant("image_url"),
    image_url: either(string(), object({ url: string(), detail: maybe(string()) })),
  }),
  ChatAudioPart: object({
    type: constant("input_audio"),
    input_audio: either(string(), object({ data: string("Base64."), format: string() })),
  }),
  ChatFilePart: object({
    type: constant("file"),
    file: object({ file_data: maybe(string()), file_id: maybe(string()), filename: maybe(string()) }),
  }),
  ChatVideoPart: object({ type: constant("video_url"), video_url: either(string(), object({ url: string() })) }),
};

const customFields = object({ name: string(), description: maybe(string()), format: maybe(record(anything())) });

/** The tools and the calls of a request. */
const toolSchemas: Readonly<Record<string, Schema>> = {
  ChatTool: either(
    // The fields may also stand beside the type, as in the Responses API.
    object({ type: maybe(constant("function")), function: maybe(functionFields), name: maybe(string()) }),
    object({ type: constant("custom"), custom: maybe(customFields), name: maybe(string()) }),
    object({ type: { type: "string", pattern: "^[^:]+:.+$" } }, "A vendor-specific tool."),
  ),
  ChatToolCallParam: either(
    object({ id: string(), type: maybe(constant("function")), function: ref("ChatCalledFunction") }),
    object({ id: string(), type: maybe(constant("custom")), custom: object({ name: string(), input: string() }) }),
  ),
  ChatCalledFunction: object({ name: string(), arguments: either(string("JSON."), record(anything())) }),
};

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
  ...messages,
  ChatMessage: anyOf(Object.keys(messages)),
  ...parts,
  ChatPart: anyOf(Object.keys(parts)),
  ...toolSchemas,
  ChatResponseFormat: either(
    object({ type: constant("text") }),
    object({ type: constant("json_object") }),
    object({
      type: constant("json_schema"),
      json_schema: object({
        name: maybe(string()),
        description: maybe(string()),
        schema: record(anything(), "A JSON Schema."),
        strict: maybe(boolean()),
      }),
    }),
  ),
  ChatToolCall: object({
    id: optional(string()),
    index: optional(integer("In a stream: the index of the call that this delta belongs to.")),
    type: optional(oneOf("function", "custom")),
    function: optional(object({ name: optional(string()), arguments: optional(string("JSON.")) })),
    custom: optional(object({ name: optional(string()), input: optional(string()) })),
  }),
  ChatAnswer: object({
    role: optional(constant("assistant")),
    content: maybe(string()),
    refusal: maybe(string()),
    reasoning_content: maybe(string("The model's reasoning.")),
    tool_calls: optional(list(ref("ChatToolCall"))),
    annotations: optional(list(record(anything()))),
  }),
  ChatCompletion: completion("chat.completion", "message", finishReason),
  ChatCompletionChunk: completion("chat.completion.chunk", "delta", orNull(finishReason)),
};

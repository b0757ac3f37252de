import type {
  CreateResponse,
  Include,
  IncompleteDetails,
  ReasoningConfig,
  ReasoningEffort,
  ResponseError,
  ResponseResource,
  ResponseStatus,
  TextConfig,
  TextFormat,
  Usage,
} from "antiphon";
import {
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
  objectOf,
  optional,
  orNull,
  record,
  ref,
  string,
  words,
  type Fields,
  type Schema,
} from "./schema.ts";

const between = (minimum: number, maximum: number): Schema => number(undefined, { minimum, maximum });
const positive = integer(undefined, { minimum: 1 });
const conversation = object({ id: string() });
const truncation = words<ResponseResource["truncation"]>({ auto: true, disabled: true });
const include = words<Include>({
  "reasoning.encrypted_content": true,
  "message.output_text.logprobs": true,
  "message.input_image.image_url": true,
  "file_search_call.results": true,
  "web_search_call.results": true,
  "web_search_call.action.sources": true,
  "code_interpreter_call.outputs": true,
  "computer_call_output.output.image_url": true,
});

const requestFields: Fields<CreateResponse> = {
  model: maybe(string("A model of `GET /models`; by default, the gateway's default model.")),
  input: maybe(either(string(), list(ref("InputItem")))),
  instructions: maybe(string("Apply to this response only, not to later ones.")),
  previous_response_id: maybe(string("The id of the response to continue. Its input and output precede this input.")),
  conversation: maybe(either(string(), conversation)),
  tools: maybe(list(ref("Tool"))),
  tool_choice: maybe(ref("ToolChoice")),
  parallel_tool_calls: maybe(boolean()),
  max_tool_calls: maybe(positive),
  text: maybe(ref("TextConfigParam")),
  reasoning: maybe(ref("ReasoningConfigParam")),
  include: maybe(list(include)),
  temperature: maybe(between(0, 2)),
  top_p: maybe(between(0, 1)),
  presence_penalty: maybe(between(-2, 2)),
  frequency_penalty: maybe(between(-2, 2)),
  top_logprobs: maybe(integer(undefined, { minimum: 0, maximum: 20 })),
  max_output_tokens: maybe(positive),
  truncation: maybe(truncation),
  metadata: maybe(ref("Metadata")),
  store: maybe(boolean("Whether to store the response. Default: true.")),
  background: maybe(boolean("Whether to return immediately and run in the background. Requires `store`.")),
  stream: maybe(boolean("Whether to return a stream of events.")),
  stream_options: maybe(object({ include_obfuscation: maybe(boolean()) })),
  service_tier: maybe(string()),
  safety_identifier: maybe(string()),
  user: maybe(string()),
  prompt_cache_key: maybe(string()),
  prompt_cache_retention: maybe(string()),
  prompt: maybe(
    objectOf<NonNullable<CreateResponse["prompt"]>>({
      id: string(),
      version: maybe(string()),
      variables: maybe(record(anything())),
    }),
  ),
  context_management: optional(anything()),
  seed: maybe(integer()),
  stop: maybe(either(string(), list(string()))),
};

/** One of these fields, with a value. */
const someOf = (fields: Readonly<Record<string, Schema>>): Schema => ({
  anyOf: Object.entries(fields).map(([name, field]) => object({ [name]: field })),
});

/** What a response can be made from. */
const hasInput = someOf({
  input: either(string(), list(anything())),
  previous_response_id: string(),
  conversation: either(string(), conversation),
  prompt: record(anything()),
});

const response = objectOf<ResponseResource>({
  id: string(),
  object: constant("response"),
  created_at: integer("Seconds since 1970."),
  completed_at: orNull(integer("Seconds since 1970.")),
  status: words<ResponseStatus>({
    queued: true,
    in_progress: true,
    completed: true,
    incomplete: true,
    failed: true,
    cancelled: true,
  }),
  incomplete_details: orNull(
    objectOf<IncompleteDetails>({
      reason: string("`max_output_tokens`, `content_filter`, `cancelled` or another reason of the provider."),
    }),
  ),
  error: orNull(ref("ResponseError")),
  model: string(),
  output: list(ref("Item")),
  usage: orNull(ref("Usage")),
  previous_response_id: orNull(string()),
  instructions: orNull(string()),
  tools: list(ref("Tool")),
  tool_choice: ref("ToolChoice"),
  parallel_tool_calls: boolean(),
  max_tool_calls: orNull(integer()),
  text: ref("TextConfig"),
  reasoning: orNull(ref("ReasoningConfig")),
  truncation,
  temperature: number(),
  top_p: number(),
  presence_penalty: number(),
  frequency_penalty: number(),
  top_logprobs: integer(),
  max_output_tokens: orNull(integer()),
  metadata: ref("Metadata"),
  store: boolean(),
  background: boolean(),
  service_tier: string(),
  safety_identifier: orNull(string()),
  prompt_cache_key: orNull(string()),
  conversation: maybe(conversation),
});

const verbosity = words<NonNullable<TextConfig["verbosity"]>>({ low: true, medium: true, high: true });
const efforts: Readonly<Record<ReasoningEffort, true>> = {
  none: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
};
const summary = words<NonNullable<ReasoningConfig["summary"]>>({ concise: true, detailed: true, auto: true });

/** Requests for responses, and responses. */
export const responseSchemas: Readonly<Record<string, Schema>> = {
  ResponseRequest: body(requestFields, "The fields of a request that creates a response."),
  CreateResponse: { type: "object", allOf: [ref("ResponseRequest"), hasInput] },
  CompactResponse: { type: "object", allOf: [ref("ResponseRequest"), hasInput, object({ model: string() })] },
  Response: response,
  Metadata: {
    ...record(string(undefined, { maxLength: 512 }), "Up to 16 pairs of short strings."),
    propertyNames: { type: "string", maxLength: 64 },
    maxProperties: 16,
  },
  Usage: objectOf<Usage>({
    input_tokens: integer(),
    output_tokens: integer(),
    total_tokens: integer(),
    input_tokens_details: objectOf<Usage["input_tokens_details"]>({
      cached_tokens: integer(),
      cache_write_tokens: optional(integer()),
    }),
    output_tokens_details: objectOf<Usage["output_tokens_details"]>({ reasoning_tokens: integer() }),
    estimated: optional(boolean("Whether the numbers are estimates because the provider reported none.")),
  }),
  ResponseError: objectOf<ResponseError>({
    code: string(),
    message: string(),
    type: maybe(string()),
    param: maybe(string()),
    request_id: optional(string("The id that the provider gave the request.")),
  }),
  TextFormat: object({
    type: words<TextFormat["type"]>({ text: true, json_object: true, json_schema: true }),
    name: optional(string()),
    description: maybe(string()),
    schema: maybe(record(anything())),
    strict: maybe(boolean()),
  }),
  TextConfig: objectOf<TextConfig>({ format: maybe(ref("TextFormat")), verbosity: maybe(verbosity) }),
  TextConfigParam: objectOf<TextConfig>({ format: maybe(ref("TextFormatParam")), verbosity: maybe(verbosity) }),
  TextFormatParam: either(
    object({ type: constant("text") }),
    object({ type: constant("json_object") }),
    object({
      type: constant("json_schema"),
      name: maybe(string()),
      description: maybe(string()),
      schema: record(anything(), "A JSON Schema."),
      strict: maybe(boolean()),
    }),
  ),
  ReasoningConfig: objectOf<ReasoningConfig>({ effort: maybe(words(efforts)), summary: maybe(summary) }),
  ReasoningConfigParam: object({ effort: maybe(words({ ...efforts, max: true })), summary: maybe(summary) }),
  DeletedResponse: object({
    id: string(),
    object: constant("response.deleted"),
    deleted: boolean(),
  }),
  InputTokens: object({
    object: constant("response.input_tokens"),
    input_tokens: integer("An estimate."),
  }),
  CompactedResponse: object({
    id: string(),
    object: constant("response.compaction"),
    created_at: integer("Seconds since 1970."),
    output: list(ref("InputItem"), "Send this as the input of the next request. It replaces the conversation so far."),
    usage: ref("Usage"),
  }),
};

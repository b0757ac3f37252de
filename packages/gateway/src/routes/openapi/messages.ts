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
  orNull,
  record,
  ref,
  string,
  type Schema,
} from "./schema.ts";

const blocks = list(ref("MessagesBlock"));
const between = (minimum: number, maximum: number): Schema => number(undefined, { minimum, maximum });
const usage = object({ input_tokens: integer(), output_tokens: integer() });
const stopReason = orNull(
  string("`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, `pause_turn` or another reason."),
);

const content = either(string(), list(ref("MessagesBlockParam")));
const format = maybe(object({ type: constant("json_schema"), schema: record(anything(), "A JSON Schema.") }));
const effort = oneOf("minimal", "low", "medium", "high", "xhigh", "max");
const alone = { disable_parallel_tool_use: maybe(boolean()) };

const request = body({
  model: maybe(string("A model of `GET /models`; by default, the gateway's default model.")),
  max_tokens: maybe(integer(undefined, { minimum: 1 })),
  messages: list(object({ role: oneOf("user", "assistant", "system"), content })),
  system: maybe(either(string(), list(ref("MessagesBlockParam")))),
  tools: maybe(list(ref("MessagesTool"))),
  tool_choice: maybe(ref("MessagesToolChoice")),
  thinking: maybe(
    object({
      type: oneOf("enabled", "disabled", "adaptive", "between_tools"),
      budget_tokens: maybe(integer()),
      display: maybe(string()),
    }),
  ),
  output_config: maybe(object({ effort: maybe(effort), format })),
  output_format: format,
  temperature: maybe(between(0, 1)),
  top_p: maybe(between(0, 1)),
  top_k: maybe(integer(undefined, { minimum: 0 })),
  stop_sequences: maybe(list(string())),
  metadata: maybe(object({ user_id: maybe(string()) })),
  service_tier: maybe(string()),
  stream: maybe(boolean()),
  mcp_servers: maybe(list(record(anything()))),
  container: maybe(either(string(), record(anything()))),
  context_management: maybe(record(anything())),
});

const cached = { cache_control: maybe(record(anything())) };

/** The blocks that the gateway reads. */
const blockParams: Readonly<Record<string, Schema>> = {
  MessagesTextParam: object({ type: constant("text"), text: string(), ...cached }),
  MessagesImageParam: object({ type: constant("image"), source: object({ type: string() }), ...cached }),
  MessagesDocumentParam: object({
    type: constant("document"),
    source: object({ type: string() }),
    title: maybe(string()),
    ...cached,
  }),
  MessagesThinkingParam: object({ type: constant("thinking"), thinking: string(), signature: maybe(string()) }),
  MessagesRedactedThinkingParam: object({ type: constant("redacted_thinking"), data: string() }),
  MessagesToolUseParam: object({ type: constant("tool_use"), id: string(), name: string(), input: anything(), ...cached }),
  MessagesToolResultParam: object({
    type: constant("tool_result"),
    tool_use_id: string(),
    content: maybe(content),
    is_error: maybe(boolean()),
    ...cached,
  }),
};
const readTypes = ["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"];

/** The content and the tools of a request. */
const paramSchemas: Readonly<Record<string, Schema>> = {
  ...blockParams,
  MessagesOtherParam: object(
    {
      type: {
        anyOf: [
          { type: "string", enum: ["compaction", "fallback"] },
          { type: "string", pattern: "^[a-z][a-z0-9]*_[a-z0-9_]+$", not: { enum: readTypes } },
        ],
      },
    },
    "A block that only Anthropic's servers support, such as `search_result`. The gateway forwards it to providers with the Messages API.",
  ),
  MessagesBlockParam: anyOf([...Object.keys(blockParams), "MessagesOtherParam"]),
  MessagesTool: either(
    object({
      type: maybe(constant("custom")),
      name: string(),
      description: maybe(string()),
      input_schema: record(anything(), "A JSON Schema."),
      strict: maybe(boolean()),
    }),
    object({ type: constant("mcp_toolset"), mcp_server_name: string() }),
    object({ type: { type: "string", not: { enum: ["custom", "mcp_toolset"] } } }, "A tool that runs on Anthropic's servers."),
  ),
  MessagesToolChoice: either(
    object({ type: oneOf("auto", "any", "none"), ...alone }),
    object({ type: constant("tool"), name: string(), ...alone }),
  ),
};

const head = { id: string(), type: constant("message"), role: constant("assistant"), model: string() };
const index = integer();

/** What a stream of the wire tells, by its name. */
const events: Readonly<Record<string, Schema>> = {
  MessageStart: object({ type: constant("message_start"), message: ref("MessagesAnswer") }),
  ContentBlockStart: object({ type: constant("content_block_start"), index, content_block: ref("MessagesBlock") }),
  ContentBlockDelta: object({ type: constant("content_block_delta"), index, delta: object({ type: string() }) }),
  ContentBlockStop: object({ type: constant("content_block_stop"), index }),
  MessageDelta: object({
    type: constant("message_delta"),
    delta: object({ stop_reason: stopReason, stop_sequence: orNull(string()) }),
    usage: object({ output_tokens: integer() }),
  }),
  MessageStop: object({ type: constant("message_stop") }),
  Ping: object({ type: constant("ping") }),
};

/** What clients of Messages send and read. */
export const messagesSchemas: Readonly<Record<string, Schema>> = {
  CreateMessage: request,
  ...paramSchemas,
  MessagesBlock: object({ type: string("`text`, `thinking`, `tool_use`, `tool_result`, `image`, `document` or another type.") }),
  MessagesTokens: object({ input_tokens: integer() }),
  MessagesAnswer: object({ ...head, content: blocks, stop_reason: stopReason, stop_sequence: orNull(string()), usage }),
  ...events,
  MessagesEvent: anyOf([...Object.keys(events), "MessagesError"], "An event of a stream."),
};

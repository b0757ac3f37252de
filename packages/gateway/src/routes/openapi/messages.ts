import {
  anyOf,
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
  orNull,
  record,
  ref,
  string,
  type Schema,
} from "./schema.ts";

const blocks = list(ref("MessagesBlock"));
const between = (minimum: number, maximum: number): Schema => number(undefined, { minimum, maximum });
const usage = object({ input_tokens: integer(), output_tokens: integer() });
const stopReason = orNull(string("`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal`, `pause_turn` or another."));

const request = object({
  model: maybe(string("One of `GET /models`.")),
  max_tokens: maybe(integer(undefined, { minimum: 1 })),
  messages: list(object({ role: oneOf("user", "assistant", "system"), content: either(string(), blocks) })),
  system: maybe(either(string(), blocks)),
  tools: maybe(list(record(anything()))),
  tool_choice: maybe(object({ type: oneOf("auto", "any", "tool", "none") })),
  thinking: maybe(object({ type: string() })),
  output_config: maybe(record(anything())),
  temperature: maybe(between(0, 1)),
  top_p: maybe(between(0, 1)),
  stop_sequences: maybe(list(string())),
  metadata: maybe(record(anything())),
  service_tier: maybe(string()),
  stream: maybe(boolean()),
});

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
  MessagesBlock: object({ type: string("`text`, `thinking`, `tool_use`, `tool_result`, `image`, `document` or another.") }),
  MessagesTokens: object({ input_tokens: integer() }),
  MessagesAnswer: object({ ...head, content: blocks, stop_reason: stopReason, stop_sequence: orNull(string()), usage }),
  ...events,
  MessagesEvent: anyOf([...Object.keys(events), "MessagesError"], "One event of a stream."),
};

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
  oneOf,
  optional,
  orNull,
  record,
  ref,
  string,
  type Schema,
} from "./schema.ts";

const created = integer("Seconds since 1970.");
const text = string(undefined, { minLength: 1 });

/** Conversations, models, vectors, errors, and how the gateway is. */
export const resourceSchemas: Readonly<Record<string, Schema>> = {
  Conversation: object({ id: string(), object: constant("conversation"), created_at: created, metadata: ref("Metadata") }),
  CreateConversation: body({ items: maybe(list(ref("InputItem"))), metadata: maybe(ref("Metadata")) }),
  UpdateConversation: body({ metadata: ref("Metadata") }),
  DeletedConversation: object({ id: string(), object: constant("conversation.deleted"), deleted: boolean() }),
  CreateItems: body({ items: list(ref("InputItem")) }),
  ItemList: object({
    object: constant("list"),
    data: list(ref("InputItem")),
    first_id: orNull(string()),
    last_id: orNull(string()),
    has_more: boolean(),
  }),
  Model: object({
    id: string("The name to use as `model` in requests."),
    object: constant("model"),
    created: integer("Seconds since 1970; 0 if unknown."),
    owned_by: string(),
  }),
  ModelList: object({ object: constant("list"), data: list(ref("Model")) }),
  CreateEmbeddings: body({
    model: maybe(string()),
    input: either(text, { ...list(text), minItems: 1, maxItems: 2048 }),
    dimensions: maybe(integer(undefined, { minimum: 1, maximum: 65_536 })),
    encoding_format: maybe(oneOf("float", "base64")),
    user: maybe(string()),
  }),
  EmbeddingList: object({
    object: constant("list"),
    data: list(
      object({
        object: constant("embedding"),
        index: integer(),
        embedding: either(list(number()), string("Little-endian 32-bit floats, encoded as base64.")),
      }),
    ),
    model: string(),
    usage: object({ prompt_tokens: integer(), total_tokens: integer() }),
  }),
  Error: object({
    error: object({
      message: string(),
      type: string(),
      param: orNull(string("The field that caused the error.")),
      code: orNull(string()),
    }),
  }),
  MessagesError: object({
    type: constant("error"),
    error: object({ type: string(), message: string() }),
    request_id: maybe(string()),
  }),
  Description: object({ openapi: string(), info: record(anything()), paths: record(anything()) }),
  Start: object({
    name: string(),
    description: string(),
    base_urls: list(object({ url: string(), description: string() })),
    requires_key: boolean(),
    models: optional(list(string(), "Omitted if the gateway requires a key.")),
    openapi: string("The URL of this API description."),
  }),
  Health: object({ status: constant("ok") }),
  Readiness: object({
    status: oneOf("ready", "not ready"),
    checks: object({ store: string(), models: string(), gateway: string() }, "For each component, `ok` or the problem."),
  }),
};

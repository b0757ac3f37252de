import { boolean, integer, oneOf, string, type Schema } from "./schema.ts";

/** What is asked and answered at one route. */
export interface Operation {
  tag: string;
  summary: string;
  description?: string;
  query?: readonly Parameter[];
  /** The schema of the body. */
  body?: string;
  /** The schema of a good answer, and of each event of a streamed one. */
  answer?: string;
  event?: string;
  /** The media types of a good answer that is plain text. */
  text?: readonly string[];
  /** The schema of a bad answer, where it is not the usual one; `none` where nothing can go wrong. */
  error?: "MessagesError" | "none";
  /** Other answers, by status. */
  others?: Readonly<Record<number, { schema: string; description: string }>>;
  /** Whether everybody may ask, also where the gateway has keys. */
  open?: boolean;
}

export interface Parameter {
  name: string;
  schema: Schema;
  description: string;
}

const stretch: readonly Parameter[] = [
  {
    name: "limit",
    schema: integer(undefined, { minimum: 1, maximum: 100, default: 20 }),
    description: "The maximum number of items.",
  },
  { name: "order", schema: oneOf("asc", "desc"), description: "`desc` for newest first (default), `asc` for oldest first." },
  { name: "after", schema: string(), description: "The id of the last item of the previous page." },
];

/** The routes of the Responses wire, below the prefix of a dialect. `event` is what its streams tell. */
const responses = (event: string): Readonly<Record<string, Operation>> => ({
  "POST /responses": {
    tag: "Responses",
    summary: "Create a response",
    description:
      "Returns the response or, with `stream`, a stream of events that ends with `[DONE]`. " +
      "The same path accepts WebSockets: send a message of type `response.create` with the fields of this body, " +
      "except `stream` and `background`, and receive one message per event.",
    body: "CreateResponse",
    answer: "Response",
    event,
  },
  "GET /responses/:id": {
    tag: "Responses",
    summary: "Get a response or stream its events",
    query: [
      { name: "stream", schema: boolean(), description: "Whether to stream the events, starting with past ones." },
      {
        name: "starting_after",
        schema: integer(),
        description: "With `stream`: return only events with a higher sequence number.",
      },
    ],
    answer: "Response",
    event,
  },
  "DELETE /responses/:id": { tag: "Responses", summary: "Delete a response", answer: "DeletedResponse" },
  "POST /responses/:id/cancel": { tag: "Responses", summary: "Cancel a background response", answer: "Response" },
  "GET /responses/:id/input_items": {
    tag: "Responses",
    summary: "List the input items of a response",
    query: stretch,
    answer: "ItemList",
  },
  "POST /responses/compact": {
    tag: "Responses",
    summary: "Compact a conversation",
    body: "CompactResponse",
    answer: "CompactedResponse",
  },
  "POST /responses/input_tokens": {
    tag: "Responses",
    summary: "Count input tokens",
    body: "ResponseRequest",
    answer: "InputTokens",
  },
});

const conversations: Readonly<Record<string, Operation>> = {
  "POST /conversations": {
    tag: "Conversations",
    summary: "Create a conversation",
    body: "CreateConversation",
    answer: "Conversation",
  },
  "GET /conversations/:id": { tag: "Conversations", summary: "Get a conversation", answer: "Conversation" },
  "POST /conversations/:id": {
    tag: "Conversations",
    summary: "Update the metadata of a conversation",
    body: "UpdateConversation",
    answer: "Conversation",
  },
  "DELETE /conversations/:id": { tag: "Conversations", summary: "Delete a conversation", answer: "DeletedConversation" },
  "GET /conversations/:id/items": {
    tag: "Conversations",
    summary: "List the items of a conversation",
    query: stretch,
    answer: "ItemList",
  },
  "POST /conversations/:id/items": {
    tag: "Conversations",
    summary: "Add items to a conversation",
    body: "CreateItems",
    answer: "ItemList",
  },
  "GET /conversations/:id/items/:item": { tag: "Conversations", summary: "Get an item", answer: "InputItem" },
  "DELETE /conversations/:id/items/:item": { tag: "Conversations", summary: "Delete an item", answer: "Conversation" },
};

const catalogue: Readonly<Record<string, Operation>> = {
  "GET /models": { tag: "Models", summary: "List the available models", answer: "ModelList" },
  "GET /models/:id": { tag: "Models", summary: "Get a model", answer: "Model" },
  "POST /embeddings": { tag: "Models", summary: "Create embeddings", body: "CreateEmbeddings", answer: "EmbeddingList" },
};

const chat: Operation = {
  tag: "Other APIs",
  summary: "Create a chat completion",
  body: "CreateChatCompletion",
  answer: "ChatCompletion",
  event: "ChatCompletionChunk",
};

const messages: Operation = {
  tag: "Other APIs",
  summary: "Create a message",
  body: "CreateMessage",
  answer: "MessagesAnswer",
  event: "MessagesEvent",
  error: "MessagesError",
};

const messagesTokens: Operation = {
  tag: "Other APIs",
  summary: "Count input tokens (Messages)",
  body: "CreateMessage",
  answer: "MessagesTokens",
  error: "MessagesError",
};

const description: Operation = {
  tag: "Operations",
  summary: "Get this API description",
  answer: "Description",
  error: "none",
  open: true,
};

const start: Operation = {
  tag: "Operations",
  summary: "Get the start page",
  description: "Returns HTML if the client accepts it, else a short JSON description.",
  answer: "Start",
  text: ["text/html"],
  error: "none",
  open: true,
};

const operating: Readonly<Record<string, Operation>> = {
  "GET /": start,
  "GET /docs": start,
  "GET /healthz": {
    tag: "Operations",
    summary: "Check that the process is running",
    answer: "Health",
    error: "none",
    open: true,
  },
  "GET /readyz": {
    tag: "Operations",
    summary: "Check that the gateway can accept requests",
    answer: "Readiness",
    others: { 503: { schema: "Readiness", description: "Not ready; `checks` shows why." } },
    error: "none",
    open: true,
  },
  "GET /metrics": {
    tag: "Operations",
    summary: "Get metrics for Prometheus",
    text: ["text/plain", "application/openmetrics-text"],
  },
  "GET /openapi.json": description,
  "GET /v1/openapi.json": description,
};

const below = (prefix: string, table: Readonly<Record<string, Operation>>): Record<string, Operation> =>
  Object.fromEntries(Object.entries(table).map(([route, operation]) => [route.replace(" ", ` ${prefix}`), operation]));

/** Every route, as the gateway's own table writes them. */
export const operations: Readonly<Record<string, Operation>> = {
  ...below("/v1", {
    ...responses("ResponseEvent"),
    ...conversations,
    ...catalogue,
    "POST /chat/completions": chat,
    "POST /messages": messages,
    "POST /messages/count_tokens": messagesTokens,
  }),
  ...below("/openai/v1", { ...responses("OpenAIResponseEvent"), ...conversations, ...catalogue, "POST /chat/completions": chat }),
  ...operating,
};

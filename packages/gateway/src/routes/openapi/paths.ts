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
    description: "How many items, at most.",
  },
  { name: "order", schema: oneOf("asc", "desc"), description: "The newest first (`desc`, where it is left out) or the oldest." },
  { name: "after", schema: string(), description: "The id of the item that the list goes on after." },
];

/** The routes of the Responses wire, below the prefix of a dialect. `event` is what its streams tell. */
const responses = (event: string): Readonly<Record<string, Operation>> => ({
  "POST /responses": {
    tag: "Responses",
    summary: "Ask a model",
    description:
      "Answers with the response, or with `stream` as a stream of events that ends with `[DONE]`. " +
      "The same path takes WebSockets: a message of type `response.create` with the fields of this body, " +
      "but for `stream` and `background`, is answered with one message for each event.",
    body: "CreateResponse",
    answer: "Response",
    event,
  },
  "GET /responses/:id": {
    tag: "Responses",
    summary: "Get a response, or follow it",
    query: [
      { name: "stream", schema: boolean(), description: "Whether to tell its events, those of the past first." },
      { name: "starting_after", schema: integer(), description: "With `stream`: only events with a number above this one." },
    ],
    answer: "Response",
    event,
  },
  "DELETE /responses/:id": { tag: "Responses", summary: "Delete a response", answer: "DeletedResponse" },
  "POST /responses/:id/cancel": { tag: "Responses", summary: "Cancel a background response", answer: "Response" },
  "GET /responses/:id/input_items": {
    tag: "Responses",
    summary: "List what a response was asked with",
    query: stretch,
    answer: "ItemList",
  },
  "POST /responses/compact": {
    tag: "Responses",
    summary: "Compress a history",
    body: "CompactResponse",
    answer: "CompactedResponse",
  },
  "POST /responses/input_tokens": {
    tag: "Responses",
    summary: "Count the tokens of an input",
    body: "ResponseRequest",
    answer: "InputTokens",
  },
});

const conversations: Readonly<Record<string, Operation>> = {
  "POST /conversations": {
    tag: "Conversations",
    summary: "Begin a conversation",
    body: "CreateConversation",
    answer: "Conversation",
  },
  "GET /conversations/:id": { tag: "Conversations", summary: "Get a conversation", answer: "Conversation" },
  "POST /conversations/:id": {
    tag: "Conversations",
    summary: "Change the metadata of a conversation",
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
  "GET /models": { tag: "Models", summary: "List the models that the caller may use", answer: "ModelList" },
  "GET /models/:id": { tag: "Models", summary: "Get a model", answer: "Model" },
  "POST /embeddings": { tag: "Models", summary: "Turn texts into vectors", body: "CreateEmbeddings", answer: "EmbeddingList" },
};

const chat: Operation = {
  tag: "Other wires",
  summary: "Ask a model, in the words of Chat Completions",
  body: "CreateChatCompletion",
  answer: "ChatCompletion",
  event: "ChatCompletionChunk",
};

const messages: Operation = {
  tag: "Other wires",
  summary: "Ask a model, in the words of Messages",
  body: "CreateMessage",
  answer: "MessagesAnswer",
  event: "MessagesEvent",
  error: "MessagesError",
};

const messagesTokens: Operation = {
  tag: "Other wires",
  summary: "Count the tokens of an input, in the words of Messages",
  body: "CreateMessage",
  answer: "MessagesTokens",
  error: "MessagesError",
};

const description: Operation = {
  tag: "Operations",
  summary: "This description",
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
  "GET /healthz": { tag: "Operations", summary: "Whether the process is alive", answer: "Health", error: "none", open: true },
  "GET /readyz": {
    tag: "Operations",
    summary: "Whether the gateway can take requests",
    answer: "Readiness",
    others: { 503: { schema: "Readiness", description: "It cannot: `checks` says why." } },
    error: "none",
    open: true,
  },
  "GET /metrics": {
    tag: "Operations",
    summary: "What the gateway counts, for Prometheus",
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

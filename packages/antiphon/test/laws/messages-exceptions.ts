/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "chunking" | "lifecycle" | "truncation" | "parity" | "mirror",
  Record<string, string>
> = {
  fold: {},
  chunking: {},
  lifecycle: {},
  truncation: {},
  parity: {},
  mirror: {
    "anthropic/synthetic--stream-overloaded-mid-message": "The event that ends a failed stream tells no tokens.",
  },
};

const named = "The field that holds the value says what it is.";

/** Fields that the decoder neither looks at nor passes on, each with the reason. */
export const unread: Record<string, string> = {
  "<content_block_delta>.delta<citations_delta>.type": named,
  "<content_block_delta>.delta<input_json_delta>.type": named,
  "<content_block_delta>.delta<signature_delta>.type": named,
  "<content_block_delta>.delta<text_delta>.type": named,
  "<content_block_delta>.delta<thinking_delta>.type": named,
  "<message_start>.message<message>.role": "It is always the assistant's.",
  "<message_start>.message<message>.type": "The event's name says it.",
};

/** Recordings that are not of the Messages endpoint, by their URL. */
export const otherEndpoints: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\/messages\/count_tokens/, "It counts tokens and asks no model."],
  [/\/messages\/batches/, "It manages batches."],
  [/\/v1\/models/, "It lists models."],
];

/** Recordings without a URL that are not of the Messages endpoint either. */
export const otherKinds: readonly (readonly [feature: string, reason: string])[] = [
  ["batches", "It manages batches."],
  ["count_tokens", "It counts tokens and asks no model."],
  ["models", "It lists models."],
];

/** Plain answers that our server tells otherwise, each with the reason. */
export const retold: Record<string, string> = {
  "anthropic/vercel-ai--anthropic-programmatic-tool-calling-1":
    "Several turns put into one: it ends well, and its calls are open.",
  "anthropic/pydantic-ai--anthropic-text-editor-code-execution-tool":
    "Two calls that ran side by side, each told with its result.",
};

/** Recorded requests that our server and our encoder do not give back as they came, each with the reason. */
export const requests: Record<string, string> = {
  "anthropic/braintrust-rb--beta-structured-outputs": "Its schema is in the wrong place; the real server refused it too.",
};

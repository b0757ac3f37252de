import { refusedByUs } from "../support/reviewed-recordings.ts";

/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "chunking" | "lifecycle" | "truncation" | "parity" | "mirror",
  Record<string, string>
> = {
  fold: {},
  chunking: {},
  lifecycle: {},
  truncation: {},
  parity: {
    "anthropic/vercel-ai--spliced-message-start--stream": "Two messages in one stream; it ends where the second one begins.",
  },
  mirror: {
    "anthropic/synthetic--stream-overloaded-mid-message": "The event that ends a failed stream tells no tokens.",
    "anthropic/vercel-ai--spliced-message-start--stream": "The error of a cut stream comes back under the wire's own name.",
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

const mergedTexts = "Adjacent text blocks of the assistant are sent as one.";
const lostMark = "`cache_control` on the assistant's text is lost, without a declared loss.";
const openCall = "A server-side call without a result is left out, a declared loss; the vendor takes it.";
const assistantFirst = "A user's message is put before the assistant's, a declared loss; the vendor takes it without.";
const addedTool = "`tool_addition` of a system message is lost, without a declared loss.";
const forcedCall = "A forced call becomes `auto` for a model that thinks, a declared loss; this model takes both.";
const sameId = "Two calls have the same id; the second one gets another.";

/** Recorded requests that our server and our encoder do not give back as they came, each with the reason. */
export const requests: Record<string, string> = {
  ...refusedByUs,
  "anthropic/activeagent--agent-common-format-sse-server": "An MCP server without a toolset, as in the older beta; one is added.",
  "anthropic/braintrust-rb--beta-structured-outputs": "Its schema is in the wrong place; the real server refused it too.",
  "anthropic/dd-trace-py--anthropic-completion-error": "A message is no object; the real server refused it too.",
  "anthropic/ellmer--anthropic-web-search--02": mergedTexts,
  "anthropic/ellmer--anthropic-web-search--03": mergedTexts,
  "anthropic/lingua--chatcompletionsassistantcachecontrolparam-followup-r--02": lostMark,
  "anthropic/lingua--chatcompletionsassistantcachecontrolparam-followup-r--02--stream": lostMark,
  "anthropic/lingua--chatcompletionsassistantcachecontrolparam-r--01": lostMark,
  "anthropic/mastra--core-src-tools-provider-tools-ordering-e2e--02": openCall,
  "anthropic/mastra--core-src-tools-provider-tools-ordering-e2e--03": mergedTexts,
  "anthropic/mastra--core-src-tools-provider-tools-persistence-e2e--02": openCall,
  "anthropic/mirascope--call-with-strict-tool-and-optional-properties-anthropic-b568d4":
    "A strict schema takes no default, so the default goes into the description.",
  "anthropic/opencode--accepts-malformed-assistant-tool-order-with-default-patch": assistantFirst,
  "anthropic/opencode--rejects-malformed-assistant-tool-order-without-patch": assistantFirst,
  "anthropic/openinference--anthropic-instrumentation-image-input-messages-with-stream":
    "It calls a JPEG image a PNG; the type is corrected.",
  "anthropic/pydantic-ai--anthropic-fable-5-lazy-advertisement-live--02": addedTool,
  "anthropic/pydantic-ai--anthropic-fable-5-lazy-advertisement-live--03": addedTool,
  "anthropic/pydantic-ai--anthropic-lazy-advertisement-live--02": addedTool,
  "anthropic/pydantic-ai--anthropic-lazy-advertisement-live--03": addedTool,
  "anthropic/pydantic-ai--anthropic-model-empty-message-on-history": assistantFirst,
  "anthropic/pydantic-ai--anthropic-opus-46-adaptive-thinking-accepts-tool-output-a85ba1": forcedCall,
  "anthropic/pydantic-ai--anthropic-opus-46-adaptive-thinking-accepts-tool-output-unified": forcedCall,
  "anthropic/pydantic-ai--cross-provider-capability-replay-google-gemini-3-flash-p-9f0b69--04": sameId,
  "anthropic/pydantic-ai--cross-provider-capability-replay-google-gemini-3-flash-p-9f0b69--05": sameId,
  "anthropic/pydantic-ai--in-flight-mcp-call-history-is-accepted": openCall,
  "anthropic/rig--opus-4-7-messages-structured-output-smoke": "The `$schema` of an output schema is left out.",
};

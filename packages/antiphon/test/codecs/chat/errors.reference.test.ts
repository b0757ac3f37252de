import { describe, expect, test } from "vitest";
import { chatCodec } from "../../../src/codecs/chat/index.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { recordings } from "../../support/recordings.ts";

const codec = chatCodec();

/** The code of each recorded error, assigned by a person. The key is the end of the recording's id. */
const recorded: Readonly<Record<string, ErrorCode>> = {
  "azure-openai-chat-completions-post-782ff5d3": "NOT_FOUND",
  "azure-openai-openai-deployments-gpt-4-1-chat-completions-7d624a": "AUTH_ERROR",
  "openllmetry--chat-reasoning--02": "INVALID_MODEL",
  "mai-ds-r1-tool-round-trip-1": "BAD_REQUEST",
  "azure-grok-4-1-fast-non-reason-34424b": "RATE_LIMIT",
  "blocking-audio-part-reaches-the-wire": "BAD_REQUEST",
  "blocking-pdf-document-part-reaches-the-wire": "BAD_REQUEST",
  "streaming-image-part-reaches-the-wire": "BAD_REQUEST",
  "rig--error-matrix-invalid-key-blocking": "PERMISSION",
  "groq/pydantic-ai--tool-regular-error": "INVALID_MODEL",
  "tool-use-failed-error--01": "BAD_REQUEST",
  "tool-use-failed-error-with-text--01": "BAD_REQUEST",
  "llama-4-scout-17b-16e-instruct-tool-round-trip-1": "BAD_REQUEST",
  "groq/req-llm--qwen-qwq-32b-usage": "INVALID_MODEL",
  "error-matrix-context-overflow-streaming": "CONTEXT_LENGTH_EXCEEDED",
  "multimodal-matrix-unfetchable-image-url": "SERVER_ERROR",
  "multimodal-matrix-video-part-is-refused": "BAD_REQUEST",
  "ollama-cloud-gpt-oss-120b-raise-685fea": "AUTH_ERROR",
  "ollama-cloud-gpt-oss-120b-hand-0664ca": "CONTEXT_LENGTH_EXCEEDED",
  "agent-knowledege-with-crewai-knowledge--03": "AUTH_ERROR",
  "langchaingo--testopenrouterstreaming--02": "RATE_LIMIT",
  "minimax-minimax-01-tool-round-trip-1": "NOT_FOUND",
  "req-llm--openai-gpt-4-1-usage": "BAD_REQUEST",
  "qwen-qwen3-8b-free-basic": "RATE_LIMIT",
  "qwen-qwq-32b-free-streaming": "INVALID_MODEL",
  "x-ai-grok-4-fast-free-streaming": "INVALID_MODEL",
  "openrouter-claude-haiku-4-5-rai-78e484": "AUTH_ERROR",
  "perplexity-sonar-raises-appropr-9e2fc2": "AUTH_ERROR",
  "perplexity-sonar-handles-conte-3d5c09": "CONTEXT_LENGTH_EXCEEDED",
  "nonexistent-model-streaming-error-preserv-8789a3": "INVALID_MODEL",
  "req-llm--grok-beta-streaming": "INVALID_MODEL",
  "req-llm--grok-code-fast-1-reasoning-basic": "BAD_REQUEST",
  "ai-gateway--chat-no-messages": "BAD_REQUEST",
  "crewai--custom-llm-within-crew--01": "BAD_REQUEST",
  "crewai--llm-call-with-error": "INVALID_MODEL",
  "authentication-error-stream-openai-gpt-4o-completions": "AUTH_ERROR",
  "call-with-params-openai-gpt-5-mini-completions--01": "BAD_REQUEST",
  "model-not-found-stream-openai-gpt-4o-completions--01": "INVALID_MODEL",
  getchatcompletionmessageshandlesnonexistentcompletion: "NOT_FOUND",
  "structuredoutputs-withoutschema-strict-failureexpected": "INVALID_SCHEMA",
  "chat-prompt-builder-and-chat-generat-ec0ad7--12": "AUTH_ERROR",
  "test-input-value-hides-regular-f1be51": "BAD_REQUEST",
  "openllmetry--vision-base64--04": "BAD_REQUEST",
  "tool-return-content-url-au-cab8dd--03": "BAD_REQUEST",
  "openai-o1-mini-system-role-developer": "BAD_REQUEST",
  "openai-o1-mini-system-role-system": "BAD_REQUEST",
  "openai-web-search-tool-model-not-supported": "BAD_REQUEST",
  "gpt-5-chat-latest-object-streaming": "BAD_REQUEST",
  "chat-completions-validation-error-ca-dfc62e": "BAD_REQUEST",
  "synthetic--429-rate-limit-tpm": "TOKEN_RATE_LIMIT",
};

describe("recorded errors", () => {
  const failed = recordings("openai-chat", "chat-compatible-").filter(({ status }) => status >= 400);

  test(`${failed.length} of them have the codes that a person gave them`, () => {
    const found = failed.map(({ id, status, json, meta }) => {
      const key = Object.keys(recorded).find((end) => id.endsWith(end)) ?? id;
      return [key, codec.decodeError(status, new Headers(meta().response_headers ?? {}), json()).code];
    });
    expect(Object.fromEntries(found)).toEqual(recorded);
  });
});

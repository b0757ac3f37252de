import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../../src/codecs/chat/index.ts";
import { errorCodes, type ErrorCode } from "../../../src/core/error-codes.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { testCtx } from "../../support/ctx.ts";
import { haveRecordings, recordings } from "../../support/recordings.ts";

const codec = chatCodec();
const none = new Headers();

/** Recorded errors and what they are, by the end of their ids. */
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

describe.skipIf(!haveRecordings)("recorded errors", () => {
  const failed = recordings("openai-chat", "chat-compatible-").filter(({ status }) => status >= 400);

  test(`${failed.length} of them have the codes that a person gave them`, () => {
    const found = failed.map(({ id, status, json, meta }) => {
      const key = Object.keys(recorded).find((end) => id.endsWith(end)) ?? id;
      return [key, codec.decodeError(status, new Headers(meta().response_headers ?? {}), json()).code];
    });
    expect(Object.fromEntries(found)).toEqual(recorded);
  });
});

describe("errors", () => {
  test("E7: a proxy's numbers are statuses, and what the model's own server said stands in its words", () => {
    const raw = JSON.stringify({
      error: { message: "Too low.", type: "invalid_request_error", param: "max_tokens", code: "integer_below_min_value" },
    });
    const error = codec.decodeError(400, none, { error: { message: "Provider returned error", code: 400, metadata: { raw } } });
    expect(error).toMatchObject({
      code: "BAD_REQUEST",
      message: "Too low.",
      param: "max_tokens",
      vendorCode: "integer_below_min_value",
    });
    expect(
      codec.errorIn({ error: { message: "Provider returned error", code: 503, metadata: { raw: "upstream down" } } }),
    ).toMatchObject({ code: "SERVER_OVERLOADED", message: "upstream down" });
  });

  test("E8: a page, a list, nothing at all: each becomes a sentence", () => {
    expect(codec.decodeError(502, none, "<html><title>Bad Gateway</title></html>").message).toContain("Bad Gateway");
    expect(codec.decodeError(400, none, [{ error: { message: "API key not valid." } }])).toMatchObject({
      code: "AUTH_ERROR",
      message: "API key not valid.",
    });
    expect(codec.decodeError(400, none, { errors: [{ message: "No such model: x", code: 5007 }] })).toMatchObject({
      code: "INVALID_MODEL",
    });
    expect(codec.decodeError(500, none, undefined)).toMatchObject({
      code: "SERVER_ERROR",
      message: "The server answered with status 500 and no reason.",
    });
  });

  test("E8: the wait is read from headers, or from those that a proxy passes on in its body", () => {
    expect(codec.decodeError(429, new Headers({ "retry-after": "2" }), {}).retryAfter).toBe(2_000);
    const reset = String(Date.now() + 60_000);
    const body = { error: { message: "Rate limit exceeded", code: 429, metadata: { headers: { "X-RateLimit-Reset": reset } } } };
    expect(codec.decodeError(429, none, body).retryAfter).toBeGreaterThan(50_000);
  });

  test("E8: an error inside HTTP 200 is found, and an answer is none", () => {
    expect(codec.errorIn({ error: { message: "Insufficient credits", code: 402 } })).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(codec.errorIn({ object: "error", message: "Bad input", type: "invalid_request_error" })?.message).toBe("Bad input");
    expect(codec.errorIn({ detail: "Not allowed" })?.message).toBe("Not allowed");
    expect(codec.errorIn({ object: "chat.completion", choices: [], error: null })).toBeUndefined();
    expect(codec.errorIn({ id: "chatcmpl-1", choices: [{ index: 0, delta: { content: "error" } }] })).toBeUndefined();
  });

  test("an error inside a stream is read with the status that it names", () => {
    const error = { message: "The arguments of the call do not fit the tool.", code: "arguments_mismatch", status_code: 422 };
    expect(codec.errorIn({ error })).toMatchObject({ code: "BAD_REQUEST", status: 422 });
    const failed = { message: "The tool call could not be validated.", type: "invalid_request_error", code: "tool_use_failed" };
    expect(codec.errorIn({ error: failed })).toMatchObject({ code: "BAD_REQUEST", vendorCode: "tool_use_failed" });
  });

  test("a safety check of the model's own server, passed on by a proxy, is a matter of policy", () => {
    const raw = JSON.stringify({ code: "permission-denied", error: "Content violates usage guidelines. Failed check: X" });
    const error = { message: "Provider returned error", code: 403, metadata: { raw } };
    expect(codec.decodeError(403, none, { error })).toMatchObject({ code: "CONTENT_POLICY" });
  });

  test("a plain answer without choices is no answer", () => {
    expect(() => codec.decodeResponse(testCtx(), { hello: "world" })).toThrow(expect.objectContaining({ code: "PROTOCOL" }));
    expect(() => codec.decodeResponse(testCtx(), [])).toThrow(expect.objectContaining({ code: "PROTOCOL" }));
  });

  test.each(Object.keys(errorCodes) as ErrorCode[])("E7: our server tells %s in a form that our codec reads back", (code) => {
    const { status, body } = chatServer().encodeError(new AntiphonError(code, "It went wrong.", { param: "model" }));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toEqual({
      error: { message: "It went wrong.", type: expect.any(String), code: expect.any(String), param: "model" },
    });
    const read = codec.decodeError(status, none, body).code;
    expect(read === code || code === "TOKEN_RATE_LIMIT").toBe(true);
  });
});

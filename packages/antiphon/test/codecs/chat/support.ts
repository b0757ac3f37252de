import { chatCodec, type ChatDialect } from "../../../src/codecs/chat/index.ts";
import { reduce } from "../../../src/core/reduce.ts";
import type { CreateResponse, Item, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { decodeValues, foldLaw, lifecycleLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";

/** The body that a request becomes, and the paths of what is lost. */
export function encode(request: CreateResponse, dialect: Partial<ChatDialect> = {}) {
  const { body, losses } = chatCodec(dialect).encodeRequest(testCtx(request));
  return {
    body: body as { messages: Record<string, unknown>[]; [field: string]: unknown },
    lost: losses.map(({ path }) => path),
  };
}

/** The messages that an input becomes. */
export const messagesOf = (input: CreateResponse["input"], dialect: Partial<ChatDialect> = {}) =>
  encode({ model: "m", input }, dialect).body.messages;

/** A chunk with one choice. */
export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_001,
  model: "test-model",
  choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  ...more,
});

/** A chunk with pieces of tool calls. */
export const calls = (...tool_calls: object[]): object => chunk({ tool_calls });

/** The events of a stream, which must be lawful. */
export function decode(values: unknown[], request: CreateResponse = {}, dialect: Partial<ChatDialect> = {}): ResponseEvent[] {
  const events = decodeValues(chatCodec(dialect), testCtx(request), values);
  const broken = lifecycleLaw(events) ?? foldLaw(events);
  if (broken) throw new Error(broken);
  return events;
}

/** The response that a stream folds to. */
export const respond = (values: unknown[], request: CreateResponse = {}, dialect: Partial<ChatDialect> = {}): ResponseResource =>
  reduce(decode(values, request, dialect));

/** Items less what is made up for them. */
export const bare = (items: readonly Item[]): object[] => items.map(({ id: _, status: __, ...item }) => item);

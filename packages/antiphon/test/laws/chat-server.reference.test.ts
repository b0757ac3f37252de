import { describe, expect, test } from "vitest";
import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import { reduce } from "../../src/core/reduce.ts";
import { isObject, isTerminal, type JsonObject } from "../../src/model/guards.ts";
import type { Item, ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { firstDifference } from "../../src/testing/difference.ts";
import { decodeBytes, decodeValues, lifecycleLaw } from "../../src/testing/laws.ts";
import { accumulate } from "../codecs/chat/accumulate.ts";
import { dialectOf } from "../codecs/chat/vendors.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings } from "../support/recordings.ts";
import { exceptions } from "./chat-exceptions.ts";

const answers = recordings("openai-chat", "chat-compatible-")
  .filter(({ stream }) => stream)
  .map(({ id, provider, body }) => ({ id, events: () => decodeBytes(chatCodec(dialectOf(provider)), testCtx(), [body()]) }));

const encode = (events: readonly ResponseEvent[]): unknown[] => {
  const encoder = chatServer().createEncoder({});
  return JSON.parse(JSON.stringify(events.flatMap((event) => encoder.push(event)))) as unknown[];
};

/** What a client of the wire can be told: no server-side tools, no blobs, and who said it is nobody's business. */
const tellable = (response: ResponseResource): object => ({
  status: response.status,
  incomplete_details: response.incomplete_details,
  model: response.model,
  output: response.output
    .map(withoutSummary)
    .filter(isTold)
    .map(({ encrypted_content: _, id: __, ...item }: Item & { encrypted_content?: unknown }) => item),
});
const isTold = (item: Item): boolean =>
  item.type === "message" || item.type === "function_call" || (item.type === "reasoning" && (item.content?.length ?? 0) > 0);

/** The wire has one field for thoughts, so a summary comes back as their text. */
function withoutSummary(item: Item): Item {
  if (item.type !== "reasoning" || item.summary.length === 0) return item;
  const text = item.summary.map((part) => part.text).join("");
  return { ...item, summary: [], content: [{ type: "reasoning_text", text }] };
}

const findings = (check: (events: ResponseEvent[]) => string | undefined, reviewed: Record<string, string> = {}): string[] =>
  answers.flatMap(({ id, events }) => {
    const finding = check(events());
    if (!finding) return reviewed[id] ? [`${id}: is no exception`] : [];
    return reviewed[id] ? [] : [`${id}: ${finding}`];
  });

describe(`what our server tells of ${answers.length} recorded answers`, () => {
  test("decodes to the same answer again", () => {
    const check = (events: ResponseEvent[]): string | undefined => {
      const again = decodeValues(chatCodec(), testCtx(), encode(events));
      return lifecycleLaw(again) ?? firstDifference(tellable(reduce(again)), tellable(reduce(events)));
    };
    expect(findings(check, exceptions.mirror)).toEqual([]);
  });

  test("is the same in one piece as in chunks", () => {
    const check = (events: ResponseEvent[]): string | undefined => {
      const last = events.at(-1);
      if (!last || !isTerminal(last) || last.type === "response.failed") return undefined;
      const { usage: _, ...whole } = chatServer().encodeResponse(last.response) as { usage: unknown; choices: unknown[] };
      return firstDifference(JSON.parse(JSON.stringify(whole)), completed(accumulate(encode(events))));
    };
    expect(findings(check)).toEqual([]);
  });
});

/** The plain answer says what it does not have, and has no numbers on its calls. */
function completed(reply: JsonObject): JsonObject {
  const choices = (reply["choices"] as JsonObject[]).map(({ message, logprobs, ...choice }) => {
    const { content, refusal, tool_calls, ...said } = message as JsonObject;
    const calls = Array.isArray(tool_calls)
      ? { tool_calls: tool_calls.filter(isObject).map(({ index: _, ...call }) => call) }
      : {};
    const whole = { ...said, ...calls, content: content || null, refusal: refusal || null };
    return { ...choice, message: whole, logprobs: isObject(logprobs) ? { ...logprobs, refusal: null } : null };
  });
  return { ...reply, choices, system_fingerprint: null };
}

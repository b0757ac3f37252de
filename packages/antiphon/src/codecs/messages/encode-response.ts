import type { JsonObject } from "../../model/guards.ts";
import type { Item, Message, ResponseResource } from "../../model/index.ts";
import { errorOf } from "../../core/classify-error.ts";
import { toCustomArguments } from "../shared/custom-input.ts";
import { unseal } from "../shared/envelope.ts";
import { toWireId } from "./call-ids.ts";
import { toCitation, toTextBlocks } from "./citations.ts";
import type { MessagesDialect } from "./dialect.ts";
import { hostedBlocks } from "./encode-hosted-item.ts";
import { blocksIn, extra, extras, isBlock, objectIn, type Block } from "./extension.ts";
import { toThinkingBlock } from "./foreign-reasoning.ts";
import { resultsAfterInnerCalls } from "./inner-calls.ts";
import { differs, parseJson } from "./json.ts";
import { stopReasonOf } from "./stop-reasons.ts";
import { fromWireUsage, toWireUsage } from "./usage.ts";
import { errorBody } from "./wire-errors.ts";

/** A plain answer as a client of the wire reads it; a failed one is an error. */
export function encodeResponse(response: ResponseResource, dialect: MessagesDialect): unknown {
  if (response.status === "failed") return errorBody(errorOf(response));
  return {
    ...messageHead(response),
    content: resultsAfterInnerCalls(response.output.flatMap((item) => itemBlocks(item, dialect))),
    ...messageTail(response),
    usage: wireUsage(response),
  };
}

/** A message's own id: ours is made of it. */
const messageId = ({ id }: ResponseResource): string => (id.startsWith("resp_msg_") ? id.slice("resp_".length) : `msg_${id}`);

/** What a message shows from its beginning. */
export const messageHead = (response: ResponseResource): JsonObject => ({
  id: messageId(response),
  type: "message",
  role: "assistant",
  model: response.model,
});

/** What the wire itself told, where the answer came over it. */
const wireWords = (response: ResponseResource): JsonObject => objectIn(extra(response, "message"));

/** The tokens of a response: in the wire's own words, with all that they tell, where these still say what the response says. */
export function wireUsage(response: ResponseResource): JsonObject {
  const own = objectIn(wireWords(response)["usage"]);
  const isTold = typeof own["output_tokens"] === "number" && response.usage && !differs(fromWireUsage(own), response.usage);
  return isTold ? own : toWireUsage(response.usage);
}

/** Why and how a message ended. */
export function messageTail(response: ResponseResource): JsonObject {
  const { stop_reason, stop_sequence, stop_details, container, context_management } = wireWords(response);
  const derived = stopReasonOf(response);
  const sequence: unknown = stop_sequence ?? Reflect.get(response, "stop_sequence") ?? null;
  const exceeded = derived === "max_tokens" && stop_reason === "model_context_window_exceeded";
  const reason = derived === "end_turn" && sequence !== null ? "stop_sequence" : exceeded ? stop_reason : derived;
  const details = stop_details ?? (stop_reason === "refusal" ? undefined : refusalDetails(response, reason));
  return {
    stop_reason: reason,
    stop_sequence: reason === "stop_sequence" ? sequence : null,
    ...(details ? { stop_details: details } : {}),
    ...(container ? { container } : {}),
    ...(context_management ? { context_management } : {}),
  };
}

function refusalDetails({ output }: ResponseResource, reason: unknown): JsonObject | undefined {
  if (reason !== "refusal") return undefined;
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const words = parts.flatMap((part) => (part.type === "refusal" ? [part.refusal] : []));
  return { type: "refusal", category: null, explanation: words.join("") || null };
}

/** An item as blocks; one that the wire has no block for is left out. */
export function itemBlocks(item: Item, dialect: MessagesDialect): Block[] {
  const own = blocksIn(item);
  if (own) return own;
  if (item.type === "message") return messageBlocks(item);
  if (item.type === "reasoning") return [toThinkingBlock(item, dialect.vendor)];
  if (item.type === "function_call") return [{ ...callStart(item), input: parsed(item.arguments) }];
  if (item.type === "custom_tool_call") return [{ ...callStart(item), input: parsed(toCustomArguments(item.input)) }];
  if (item.type === "compaction") return compactionBlocks(item.encrypted_content, dialect);
  return hostedBlocks(item);
}

// The words of a refusal are told with the reason of the end.
const messageBlocks = ({ content }: Message): Block[] =>
  content.flatMap((part) => (part.type === "output_text" ? toTextBlocks(part.text, part.annotations ?? [], toCitation) : []));

/** A call as it begins. */
export const callStart = (item: { call_id: string; name: string }): Block => ({
  type: "tool_use",
  id: toWireId(item.call_id),
  name: item.name,
  input: {},
  ...extras(item),
});

// A call that was cut off has no input that could be told; the reason of the end says so.
const parsed = (json: string): unknown => parseJson(json) ?? {};

function compactionBlocks(content: string, { vendor }: MessagesDialect): Block[] {
  const envelope = unseal(content);
  if (envelope?.wire !== vendor || envelope.kind !== "compaction") return [];
  const block = parseJson(envelope.data);
  return isBlock(block) ? [block] : [];
}

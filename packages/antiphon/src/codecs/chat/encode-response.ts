import { expand } from "../../core/expand.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { LogProb, ResponseResource } from "../../model/index.ts";
import { StreamEncoder, completionId, encodeUsage } from "./encode-stream.ts";

/** A response as a `chat.completion`: the fold of the chunks that would have told it. A failed one is an error body. */
export function encodeResponse(response: ResponseResource): unknown {
  const encoder = new StreamEncoder({});
  const chunks = expand(response)
    .flatMap((event) => encoder.push(event))
    .filter(isObject);
  const failure = chunks.find((chunk) => chunk["error"]);
  if (failure) return failure;
  const message: JsonObject = { role: "assistant", content: null, refusal: null };
  let finish_reason: unknown = null;
  for (const chunk of chunks) {
    const [choice] = Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];
    if (!choice) continue;
    if (isObject(choice["delta"])) fold(message, choice["delta"]);
    finish_reason = choice["finish_reason"] ?? finish_reason;
  }
  const logprobs = logprobsOf(response);
  return {
    id: completionId(response.id),
    object: "chat.completion",
    created: response.created_at,
    model: response.model,
    choices: [{ index: 0, message, logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null, finish_reason }],
    ...(response.usage ? { usage: encodeUsage(response.usage) } : {}),
    service_tier: response.service_tier,
    system_fingerprint: null,
  };
}

/** Adds a delta to a message: strings grow, calls by their index, other lists by their elements. */
function fold(message: JsonObject, delta: JsonObject): void {
  for (const [field, value] of Object.entries(delta)) {
    const known = message[field];
    if (field === "role" || (field === "content" && value === "")) continue;
    if (field === "tool_calls" && Array.isArray(value)) foldCalls(message, value.filter(isObject));
    else if (typeof value === "string") message[field] = (typeof known === "string" ? known : "") + value;
    else if (Array.isArray(value)) message[field] = [...(Array.isArray(known) ? known : []), ...value];
    else message[field] = value;
  }
}

function foldCalls(message: JsonObject, deltas: readonly JsonObject[]): void {
  const calls = (message["tool_calls"] ??= []) as JsonObject[];
  for (const { index, ...call } of deltas) {
    const known = calls[Number(index)];
    if (!known) calls[Number(index)] = call;
    else for (const part of ["function", "custom"]) foldPart(known[part], call[part]);
  }
}

function foldPart(known: unknown, delta: unknown): void {
  if (!isObject(known) || !isObject(delta)) return;
  for (const [field, value] of Object.entries(delta)) known[field] = `${String(known[field])}${String(value)}`;
}

const logprobsOf = ({ output }: ResponseResource): LogProb[] =>
  output.flatMap((item) =>
    item.type === "message" ? item.content.flatMap((part) => (part.type === "output_text" ? (part.logprobs ?? []) : [])) : [],
  );

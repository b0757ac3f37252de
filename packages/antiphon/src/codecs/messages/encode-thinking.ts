import type { JsonObject } from "../../model/guards.ts";
import type { ReasoningEffort } from "../../model/index.ts";
import type { Encoding } from "./encoding.ts";
import { extra, isBlock, stringIn, type Block, type WireMessage } from "./extension.ts";

/** How the model is to think. */
export interface Thinking {
  thinking?: Block;
  /** For `output_config`. */
  effort?: string;
}

/** What was asked about reasoning, in the wire's words. */
export function encodeThinking(encoding: Encoding): Thinking {
  const { request, traits, lose } = encoding;
  const { reasoning } = request;
  if (!reasoning) return {};
  const raw = ownThinking(reasoning);
  if (raw) return raw;
  const { effort, summary } = reasoning;
  if (effort === "none") return { thinking: { type: "disabled" } };
  if (!effort && !(summary && traits.thinking === "adaptive")) {
    if (summary) lose("reasoning.summary", "The model reasons only if `reasoning.effort` is set.");
    return {};
  }
  if (traits.thinking === "none") {
    lose("reasoning", "The model does not support reasoning.");
    return {};
  }
  const display = summary && { display: "summarized" };
  if (traits.thinking === "budget" && effort)
    return { thinking: { type: "enabled", budget_tokens: encoding.dialect.budgets[effort], ...display } };
  return { thinking: { type: "adaptive", ...display }, ...(effort && { effort: effortOf(effort, encoding) }) };
}

/** Thinking in the wire's own words, where the caller used them. */
function ownThinking(reasoning: object): Thinking | undefined {
  const thinking = extra(reasoning, "thinking");
  const effort = stringIn(extra(reasoning, "effort"));
  if (!isBlock(thinking) && effort === undefined) return undefined;
  return { ...(isBlock(thinking) && { thinking }), ...(effort !== undefined && { effort }) };
}

// The nearest that a model may have, the best first.
const nearest: Readonly<Record<Exclude<ReasoningEffort, "none">, readonly string[]>> = {
  minimal: ["minimal", "low"],
  low: ["low"],
  medium: ["medium"],
  high: ["high"],
  xhigh: ["xhigh", "max", "high"],
};

function effortOf(effort: Exclude<ReasoningEffort, "none">, { traits, lose }: Encoding): string {
  const found = nearest[effort].find((name) => traits.efforts.includes(name)) ?? "high";
  if (found !== effort) lose("reasoning.effort", `The model does not support the effort "${effort}"; "${found}" was sent.`);
  return found;
}

/** Whether the model will think. */
export const isThinking = ({ thinking }: Thinking): boolean => thinking !== undefined && thinking.type !== "disabled";

/**
 * A model that thinks by a budget wants its last turn with calls to begin with its thinking. Where that was lost, as after a
 * change of provider, it goes on without.
 */
export function withoutLostThinking(thinking: Thinking, messages: readonly WireMessage[], { lose }: Encoding): Thinking {
  if (thinking.thinking?.type !== "enabled") return thinking;
  const turn = messages.findLast(({ role }) => role === "assistant");
  const calls = turn?.content.some(({ type }) => type === "tool_use") ?? false;
  if (!calls || turn?.content[0]?.type === "thinking" || turn?.content[0]?.type === "redacted_thinking") return thinking;
  lose("reasoning", "The reasoning before the last calls is missing, so reasoning was turned off for this request.");
  const { thinking: _, ...rest } = thinking;
  return rest;
}

/** The longest answer to ask for: the wire wants one, and it must leave room beyond the thinking. */
export function maxTokensFor({ thinking }: Thinking, { request, dialect, traits, lose }: Encoding): number {
  const asked = request.max_output_tokens;
  const wanted = asked ?? dialect.maxTokens ?? traits.maxTokens;
  const budget = thinking?.["budget_tokens"];
  if (typeof budget !== "number" || wanted > budget) return wanted;
  if (asked) lose("max_output_tokens", "The limit must exceed the reasoning budget, so it was raised by this budget.");
  return budget + wanted;
}

/** Temperature and top_p, as far as the model takes them. */
export function encodeSampling(thinks: boolean, encoding: Encoding): JsonObject {
  const { temperature, top_p } = encoding.request;
  const sampling: JsonObject = {};
  const keep = (name: "temperature" | "top_p", value: number | null | undefined, reason: string | undefined): void => {
    if (value === null || value === undefined) return;
    if (reason) encoding.lose(name, reason);
    else sampling[name] = value;
  };
  keep("temperature", temperature, temperatureReason(temperature ?? 1, thinks, encoding));
  keep("top_p", top_p, topReason(top_p ?? 1, thinks, encoding));
  return sampling;
}

function temperatureReason(value: number, thinks: boolean, { traits }: Encoding): string | undefined {
  if (traits.sampling === "none") return "The model does not support `temperature`.";
  if (value > 1) return "The Messages API accepts a `temperature` up to 1, which is its default.";
  return thinks && value !== 1 ? "A model with reasoning turned on requires a `temperature` of 1." : undefined;
}

function topReason(value: number, thinks: boolean, { traits, request }: Encoding): string | undefined {
  if (traits.sampling === "none") return "The model does not support `top_p`.";
  if (traits.sampling === "one" && typeof request.temperature === "number")
    return "The model does not support `top_p` together with `temperature`.";
  return thinks && value < 0.95 ? "A model with reasoning turned on requires a `top_p` of at least 0.95." : undefined;
}

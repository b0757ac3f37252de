import type { FunctionCall, InputItem, Item, MessageContent, ResponseResource } from "../model/index.ts";
import { isAssistantMessage, isItem } from "../model/guards.ts";
import { errorOf } from "./classify-error.ts";
import type { AntiphonError } from "./error.ts";
import { unansweredCalls } from "./pending.ts";

/** Items, or the response that holds them. */
type Holder = readonly Item[] | { output: readonly Item[] };
const itemsOf = (holder: Holder): readonly Item[] => ("output" in holder ? holder.output : holder);

const partsOf = (holder: Holder): MessageContent[] =>
  itemsOf(holder)
    .filter(isAssistantMessage)
    .flatMap((message) => message.content);

/**
 * The text that the model wrote for the user; reasoning and refusals are not in it.
 *
 * @example
 * const answer = text(await collect(respond({ input: "Hello" })));
 */
export const text = (holder: Holder): string =>
  partsOf(holder)
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");

/** The model's words for declining, or `undefined` where it did not. */
export function refusal(holder: Holder): string | undefined {
  const parts = partsOf(holder).filter((part) => part.type === "refusal");
  return parts.length > 0 ? parts.map((part) => part.refusal).join("") : undefined;
}

/** What the model thought: raw where the provider shows it, the summary else. */
export const thinking = (holder: Holder): string =>
  itemsOf(holder)
    .filter(isItem("reasoning"))
    .map((item) => (item.content?.length ? item.content : item.summary).map((part) => part.text).join("\n\n"))
    .filter(Boolean)
    .join("\n\n");

/** The calls of the caller's functions, in order. */
export const functionCalls = (holder: Holder): FunctionCall[] => itemsOf(holder).filter(isItem("function_call"));

/** Why the model stopped. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "error" | "cancelled";

const incompleteReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["content_filter", "content_filter"],
  ["cancelled", "cancelled"],
  // A resumed run that still waits for calls of its input.
  ["tool_calls", "tool_calls"],
]);

/** Why the model stopped, or `null` while it has not. */
export function finishReason(response: ResponseResource): FinishReason | null {
  const { status, output } = response;
  if (status === "failed") return "error";
  if (status === "cancelled") return "cancelled";
  if (status === "incomplete") return incompleteReasons.get(response.incomplete_details?.reason ?? "") ?? "length";
  if (status !== "completed") return null;
  if (unansweredCalls(output).length > 0) return "tool_calls";
  return refusal(output) === undefined ? "stop" : "refusal";
}

/** How a response ended. */
export type Outcome =
  | { state: "completed" }
  | { state: "incomplete"; reason: string }
  | { state: "failed"; error: AntiphonError }
  | { state: "truncated"; error: AntiphonError }
  | { state: "cancelled" };

/** How a response ended, or `null` while it has not. Partial output stands in the response in every case. */
export function outcome(response: ResponseResource): Outcome | null {
  const { status } = response;
  const reason = response.incomplete_details?.reason ?? "unknown";
  if (status === "completed") return { state: "completed" };
  if (status === "cancelled" || (status === "incomplete" && reason === "cancelled")) return { state: "cancelled" };
  if (status === "incomplete") return { state: "incomplete", reason };
  if (status !== "failed") return null;
  const error = errorOf(response);
  return { state: error.code === "TRUNCATED" ? "truncated" : "failed", error };
}

/**
 * Moves system and developer messages at the head of an input into instructions, as wires with a separate system prompt want
 * it. Messages further down stay where they are: moving them would change what they apply to.
 */
export function hoistInstructions(input: readonly InputItem[]): { instructions: string | null; input: InputItem[] } {
  const end = input.findIndex((item) => !("role" in item && (item.role === "system" || item.role === "developer")));
  const head = input.slice(0, end === -1 ? input.length : end);
  const texts = head.map((item) => ("content" in item ? contentText(item.content) : "")).filter(Boolean);
  return { instructions: texts.length > 0 ? texts.join("\n\n") : null, input: input.slice(head.length) };
}

const contentText = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
};

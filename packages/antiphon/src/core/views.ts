import type { FunctionCall, InputItem, Item, MessageContent, ResponseResource } from "../model/index.ts";
import { isAssistantMessage, isItem, isObject } from "../model/guards.ts";
import { errorOf } from "./classify-error.ts";
import type { AntiphonError } from "./error.ts";
import { areObjects, checkArgument, checkResponse } from "./options.ts";
import { unansweredCalls } from "./pending.ts";

/** Items, or the response that holds them. */
type Holder = readonly Item[] | { output: readonly Item[] };
function itemsOf(of: string, holder: Holder): readonly Item[] {
  const items: unknown = isObject(holder) ? holder["output"] : holder;
  checkArgument(of, "a response or a list of items", areObjects(items), holder);
  return "output" in holder ? holder.output : holder;
}

const partsOf = (of: string, holder: Holder): MessageContent[] =>
  itemsOf(of, holder)
    .filter(isAssistantMessage)
    .flatMap((message) => message.content);

/**
 * Returns the text that the model wrote for the user, without reasoning and refusals.
 *
 * @example
 * const answer = text(await collect(respond({ input: "Hello" })));
 */
export const text = (holder: Holder): string =>
  partsOf("text", holder)
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");

/** Returns the text of a refusal, or `undefined` if the model did not refuse. */
export function refusal(holder: Holder): string | undefined {
  const parts = partsOf("refusal", holder).filter((part) => part.type === "refusal");
  return parts.length > 0 ? parts.map((part) => part.refusal).join("") : undefined;
}

/** Returns the model's reasoning: raw if the provider shows it, otherwise the summary. */
export const thinking = (holder: Holder): string =>
  itemsOf("thinking", holder)
    .filter(isItem("reasoning"))
    .map((item) => (item.content?.length ? item.content : item.summary).map((part) => part.text).join("\n\n"))
    .filter(Boolean)
    .join("\n\n");

/** Returns the function calls in a response or a list of items, in order. */
export const functionCalls = (holder: Holder): FunctionCall[] => itemsOf("functionCalls", holder).filter(isItem("function_call"));

/** Why the model stopped. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "error" | "cancelled";

const incompleteReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["content_filter", "content_filter"],
  ["cancelled", "cancelled"],
  // A resumed run that still waits for calls of its input.
  ["tool_calls", "tool_calls"],
]);

/** Returns why the model stopped, or `null` if the response has not ended. */
export function finishReason(response: ResponseResource): FinishReason | null {
  checkResponse("finishReason", response);
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

/** Returns how a response ended, or `null` if it has not. Partial output stands in the response in every case. */
export function outcome(response: ResponseResource): Outcome | null {
  checkResponse("outcome", response);
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
 * Moves leading system and developer messages into instructions, for APIs with a separate system prompt. Messages
 * further down stay where they are: moving them would change what they apply to.
 */
export function hoistInstructions(input: readonly InputItem[]): { instructions: string | null; input: InputItem[] } {
  checkArgument("hoistInstructions", "a list of items", areObjects(input), input);
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

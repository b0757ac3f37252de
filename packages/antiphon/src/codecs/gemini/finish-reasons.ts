import { own } from "../../model/guards.ts";
import { AntiphonError } from "../../core/error.ts";
import type { Finish } from "../../core/writer.ts";
import type { ResponseResource } from "../../model/index.ts";

const completed: Finish = { status: "completed" };
const cutOff: Finish = { status: "incomplete", reason: "max_output_tokens" };
const filtered: Finish = { status: "incomplete", reason: "content_filter" };

/** The end of an answer: lawful, or a failure with a sentence about it. */
export type Ending = Finish | AntiphonError;

const finishes: ReadonlyMap<string, Finish> = new Map([
  ["STOP", completed],
  ["MAX_TOKENS", cutOff],
  ["SAFETY", filtered],
  ["RECITATION", filtered],
  ["BLOCKLIST", filtered],
  ["PROHIBITED_CONTENT", filtered],
  ["SPII", filtered],
  ["LANGUAGE", filtered],
  ["MODEL_ARMOR", filtered],
  ["IMAGE_SAFETY", filtered],
  ["IMAGE_PROHIBITED_CONTENT", filtered],
  ["IMAGE_RECITATION", filtered],
]);

// The model did not stop by itself, and nothing that it was asked for explains why: asking again may help.
const failures: ReadonlyMap<string, string> = new Map([
  ["OTHER", "The model stopped, and the provider gave no reason."],
  ["IMAGE_OTHER", "The model generated no image, and the provider gave no reason."],
  ["NO_IMAGE", "The model did not generate the requested image."],
  ["MALFORMED_FUNCTION_CALL", "The model wrote a function call that cannot be parsed."],
  ["MALFORMED_RESPONSE", "The model wrote a response that cannot be parsed."],
  ["UNEXPECTED_TOOL_CALL", "The model called a tool that was not declared."],
  ["TOO_MANY_TOOL_CALLS", "The model made too many tool calls in a row."],
  ["MISSING_THOUGHT_SIGNATURE", "A reasoning signature is missing from the history."],
]);

// Some clients ask for numbers in place of names; beyond these the two APIs of the wire count differently.
const numbers: readonly string[] = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];

/** A finish reason by its name. */
export function reasonName(value: unknown): string | undefined {
  if (typeof value === "number") return numbers[value] ?? String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * How an answer ends that stopped for a reason; one that is not known is told as it came. A call that was not offered is still a
 * call, for the caller to answer that there is no such tool.
 */
export function endingOf(reason: string, message: string | undefined, hasCalls: boolean): Ending {
  const finish = finishes.get(reason);
  if (finish) return finish;
  const failure = failures.get(reason);
  if (failure === undefined) return { status: "incomplete", reason: reason.toLowerCase() };
  if (reason === "UNEXPECTED_TOOL_CALL" && hasCalls) return completed;
  return new AntiphonError("SERVER_ERROR", message || failure, { vendorCode: reason.toLowerCase() });
}

/** How an answer ends whose prompt was blocked. */
export const promptBlocked: Finish = filtered;

const incompleteReasons: Readonly<Record<string, string>> = { max_output_tokens: "MAX_TOKENS", content_filter: "SAFETY" };

/** The reason that the wire gives for the end of a response. */
export function finishReasonOf({ status, incomplete_details }: ResponseResource): string {
  if (status === "completed") return "STOP";
  const reason = incomplete_details?.reason ?? "other";
  return own(incompleteReasons, reason) ?? reason.toUpperCase();
}

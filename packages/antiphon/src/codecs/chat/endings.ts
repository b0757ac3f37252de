import { own } from "../../model/guards.ts";
import { AntiphonError } from "../../core/error.ts";
import type { Finish } from "../../core/writer.ts";

const stop: Finish = { status: "completed" };
const length: Finish = { status: "incomplete", reason: "max_output_tokens" };
const filtered: Finish = { status: "incomplete", reason: "content_filter" };
const failed = (message: string) => () => new AntiphonError("SERVER_ERROR", message);

/** What each `finish_reason` means, OpenAI's own and those that other servers made up. */
const endings: Readonly<Record<string, Finish | (() => AntiphonError)>> = {
  stop,
  tool_calls: stop,
  tool_call: stop,
  function_call: stop,
  eos: stop,
  end_turn: stop,
  stop_sequence: stop,
  length,
  max_tokens: length,
  model_length: length,
  content_filter: filtered,
  sensitive: filtered,
  safety: filtered,
  error: failed("The provider stopped the response because of an error."),
  network_error: failed("The provider lost its connection to the model."),
  insufficient_system_resource: () => new AntiphonError("SERVER_OVERLOADED", "The provider ran out of capacity."),
};

/** How an answer with this `finish_reason` ends; `known` is false for one that nobody heard of, which ends well. */
export function endingOf(reason: string): { ending: Finish | AntiphonError; known: boolean } {
  const ending = own(endings, reason.toLowerCase());
  return { ending: typeof ending === "function" ? ending() : (ending ?? stop), known: ending !== undefined };
}

import type { Finish } from "../../core/writer.ts";
import { finishReason } from "../../core/views.ts";
import type { ResponseResource } from "../../model/index.ts";

// A turn that pauses, or that ends with a compaction, is to be sent back as it is, for the model to go on with.
const finishes: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["end_turn", { status: "completed" }],
  ["stop_sequence", { status: "completed" }],
  ["tool_use", { status: "completed" }],
  ["refusal", { status: "completed" }],
  ["max_tokens", { status: "incomplete", reason: "max_output_tokens" }],
  ["model_context_window_exceeded", { status: "incomplete", reason: "max_output_tokens" }],
]);

/** How an answer ends that stopped for a reason; one that is not known is told as it came. */
export const finishOf = (reason: string): Finish => finishes.get(reason) ?? { status: "incomplete", reason };

const incompleteReasons: ReadonlyMap<string, string> = new Map([
  ["content_filter", "refusal"],
  ["pause_turn", "pause_turn"],
  ["compaction", "compaction"],
  // A resumed run of an agent that still waits for calls.
  ["tool_calls", "tool_use"],
]);

/** The reason that the wire gives for the end of a response. */
export function stopReasonOf(response: ResponseResource): string {
  if (response.status === "incomplete" || response.status === "cancelled")
    return incompleteReasons.get(response.incomplete_details?.reason ?? "") ?? "max_tokens";
  const finish = finishReason(response);
  if (finish === "tool_calls") return "tool_use";
  return finish === "refusal" ? "refusal" : "end_turn";
}

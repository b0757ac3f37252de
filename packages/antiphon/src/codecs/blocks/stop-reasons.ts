import { finishReason, type FinishReason } from "../../core/views.ts";
import type { Finish } from "../../core/writer.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { BlockStatus, StopReason } from "./block-events.ts";

const stopReasonOf: Partial<Record<FinishReason, StopReason>> = { stop: "end_turn", tool_calls: "tool_use", refusal: "refusal" };

const incompleteReasons: ReadonlyMap<string, StopReason> = new Map([
  ["max_output_tokens", "max_tokens"],
  // A resumed run of an agent that still waits for calls.
  ["tool_calls", "tool_use"],
]);

/** Stop reasons of an answer that is whole. */
const completed: ReadonlySet<StopReason> = new Set(["end_turn", "stop_sequence", "tool_use", "refusal"]);

/**
 * Open Responses cannot say that a stop sequence was met, so the sequence stands in the response beside the fields of the
 * specification; empty where only the fact is known.
 */
export interface StopSequenceField {
  stop_sequence?: string | null;
}

/** The final status of a response that was neither cancelled nor failed. */
export function completedStatus(response: ResponseResource & StopSequenceField): BlockStatus {
  if (response.status === "incomplete") {
    const reason = response.incomplete_details?.reason ?? "unknown";
    return { type: "status", status: "completed", stop_reason: incompleteReasons.get(reason) ?? reason };
  }
  const stop_reason = stopReasonOf[finishReason(response) ?? "stop"] ?? "end_turn";
  const { stop_sequence } = response;
  if (stop_reason !== "end_turn" || typeof stop_sequence !== "string")
    return { type: "status", status: "completed", stop_reason };
  return { type: "status", status: "completed", stop_reason: "stop_sequence", ...(stop_sequence && { stop_sequence }) };
}

/** How a response ends that stopped for a reason. */
export function finishOf(reason: StopReason): Finish {
  if (completed.has(reason)) return { status: "completed" };
  return { status: "incomplete", reason: reason === "max_tokens" ? "max_output_tokens" : reason };
}

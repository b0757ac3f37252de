import type { ExtensionEvent, ResponseEvent, ResponseResource } from "../../model/index.ts";
import type { PendingCall } from "./run-options.ts";

/** Why a call has no result: it broke, ran out of time, was declined, nobody knows what came of it, or it was cut off. */
export type ToolFailure = "error" | "timeout" | "refused" | "interrupted" | "not_run";

/** How a call was dealt with. */
export type ToolStatus = "ok" | "replaced" | ToolFailure;

interface OfCall {
  call_id: string;
  name: string;
}

/** What a run tells out of band, beside the events of its one response. */
export interface RunEventFields {
  /** A step's own response, with the provider's id. */
  "antiphon:step": { index: number; response: ResponseResource };
  "antiphon:tool_started": OfCall;
  /** What a tool that is an async generator yielded. */
  "antiphon:tool_progress": OfCall & { data: unknown };
  "antiphon:tool_done": OfCall & { status: ToolStatus; milliseconds: number };
  /** The run ends here, until somebody decides. */
  "antiphon:paused": { pending: PendingCall[] };
}
export type RunEventType = keyof RunEventFields;

/** The event of a given name. */
export type RunEventOf<T extends RunEventType> = ExtensionEvent & { type: T } & RunEventFields[T];

/**
 * Narrows an event to one that an agent's run emits out of band.
 *
 * @example
 * if (isRunEvent(event, "antiphon:tool_progress")) console.log(event.name, event.data);
 */
export const isRunEvent = <T extends RunEventType>(event: ResponseEvent, type: T): event is RunEventOf<T> => event.type === type;

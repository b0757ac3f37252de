import type { CreateResponse, ResponseEvent, ResponseResource } from "../model/index.ts";
import { closeSlot } from "./close.ts";
import type { AntiphonError } from "./error.ts";
import type { Reducer } from "./reduce.ts";
import { estimateUsage } from "./usage.ts";

/** Closes every open item as incomplete, folding what it says. */
export function closeAll(fold: Reducer, status: "completed" | "incomplete"): ResponseEvent[] {
  return fold.slots.flatMap((slot, index) => {
    if (!slot?.open) return [];
    const events = closeSlot(slot, index, status);
    events.forEach((event) => fold.push(event));
    return events;
  });
}

/**
 * Ends a response that was cut short: what is open is closed as incomplete, and the terminal event keeps all that had come.
 * A stop by the caller is `response.incomplete` with the reason `cancelled`; everything else is `response.failed`.
 */
export function interrupt(fold: Reducer, request: CreateResponse, error: AntiphonError): ResponseEvent[] {
  const events = closeAll(fold, "incomplete");
  const response: ResponseResource = { ...fold.response, output: fold.items };
  response.usage ??= estimateUsage(request, response.output);
  if (error.code === "ABORTED") {
    const stopped: ResponseResource = { ...response, status: "incomplete", incomplete_details: { reason: "cancelled" } };
    events.push({ type: "response.incomplete", sequence_number: 0, response: stopped });
  } else {
    const failed: ResponseResource = { ...response, status: "failed", error: responseError(error) };
    events.push({ type: "response.failed", sequence_number: 0, response: failed });
  }
  fold.push(events.at(-1)!);
  return events;
}

/** An error as a response carries it; `classify` reads it back. */
export function responseError(error: AntiphonError): NonNullable<ResponseResource["error"]> {
  return {
    code: error.vendorCode ?? error.code.toLowerCase(),
    message: error.message,
    ...(error.param ? { param: error.param } : {}),
    ...(error.requestId ? { request_id: error.requestId } : {}),
  };
}

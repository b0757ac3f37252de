import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { ResponseResource, ResponseStatus } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { completeItem, completeResponse } from "./complete.ts";

const statuses: ReadonlySet<unknown> = new Set<ResponseStatus>([
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
]);

const unheard = (): void => {};

/**
 * Decodes a plain answer. Compatible servers omit many fields, but JSON with none of these is no response. If the status is missing
 * or unknown, the other fields show how the response ended.
 */
export function decodeResponse(ctx: Ctx, reply: unknown): ResponseResource {
  if (!isObject(reply) || !["object", "status", "output"].some((name) => name in reply))
    throw new AntiphonError("PROTOCOL", "The server's answer is not a response: it has neither `status` nor `output`.");
  if (!statuses.has(reply["status"]))
    reply["status"] = reply["error"] ? "failed" : reply["incomplete_details"] ? "incomplete" : "completed";
  const response = completeResponse(reply, ctx, unheard);
  response.output = response.output.filter(isObject).map((item) => completeItem(item as unknown as JsonObject, ctx, unheard));
  if (response.status === "incomplete") response.incomplete_details ??= { reason: "unknown" };
  if (response.status === "cancelled") response.incomplete_details ??= { reason: "cancelled" };
  if (response.status === "failed")
    response.error ??= { code: "server_error", message: "The response failed, and the provider gave no reason." };
  return response;
}

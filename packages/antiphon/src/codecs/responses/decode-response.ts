import { isObject, type JsonObject } from "../../model/guards.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { completeItem, completeResponse } from "./complete.ts";

const unheard = (): void => {};

/** Reads a plain answer. */
export function decodeResponse(ctx: Ctx, reply: unknown): ResponseResource {
  const response = completeResponse(reply, ctx, unheard);
  response.output = response.output.filter(isObject).map((item) => completeItem(item as unknown as JsonObject, ctx, unheard));
  if (response.status === "incomplete") response.incomplete_details ??= { reason: "unknown" };
  if (response.status === "cancelled") response.incomplete_details ??= { reason: "cancelled" };
  if (response.status === "failed") response.error ??= { code: "server_error", message: "The response failed without a reason." };
  return response;
}

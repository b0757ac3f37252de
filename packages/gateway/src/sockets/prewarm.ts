import { expand, noUsage, type ResponseEvent } from "antiphon";
import type { Context } from "../context.ts";
import type { Job } from "../runs/job.ts";

/** A response without an answer: what was asked is there to go on from. */
export async function* prewarmed({ store, now }: Context, { stored, keeps }: Job): AsyncIterable<ResponseEvent[]> {
  const response = { ...stored.response, status: "completed" as const, completed_at: now(), usage: noUsage };
  if (keeps) await store.createResponse({ ...stored, response });
  yield expand(response);
}

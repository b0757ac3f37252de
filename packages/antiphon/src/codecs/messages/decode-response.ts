import { AntiphonError } from "../../core/error.ts";
import { isObject } from "../../model/guards.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { Answer } from "./answer.ts";
import type { MessagesDialect } from "./dialect.ts";

/** Reads a plain answer, by the same verbs as a streamed one. */
export function decodeResponse(ctx: Ctx, reply: unknown, dialect: MessagesDialect): ResponseResource {
  if (!isObject(reply) || !Array.isArray(reply["content"]))
    throw new AntiphonError("PROTOCOL", "The server's response is not a message: it has no `content`.");
  const answer = new Answer(ctx, dialect);
  answer.begin(reply);
  answer.finish();
  const last = answer.writer.drain().at(-1);
  if (!last || !("response" in last)) throw new AntiphonError("PROTOCOL", "The server's response is incomplete.");
  // An extension event may carry anything under this name, but the writer makes none.
  return last.response as ResponseResource;
}

import { AntiphonError } from "../../core/error.ts";
import { isObject, isTerminal } from "../../model/guards.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { StreamDecoder } from "./decode-stream.ts";
import type { ChatDialect } from "./dialect.ts";

/** Reads a plain answer: the same as a stream that tells it in one chunk. */
export function decodeResponse(ctx: Ctx, reply: unknown, dialect: ChatDialect): ResponseResource {
  if (!isObject(reply) || !Array.isArray(reply["choices"]))
    throw new AntiphonError("PROTOCOL", "The server's response has no `choices`.");
  const decoder = new StreamDecoder(ctx, dialect, "message");
  const last = [...decoder.push(reply), ...decoder.end()].at(-1);
  if (!last || !isTerminal(last)) throw new AntiphonError("PROTOCOL", "The server's response is incomplete.");
  return last.response;
}

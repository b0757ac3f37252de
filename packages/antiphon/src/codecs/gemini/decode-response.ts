import { AntiphonError } from "../../core/error.ts";
import { isTerminal } from "../../model/guards.ts";
import type { ResponseResource } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { errorIn } from "./decode-error.ts";
import { StreamDecoder } from "./decode-stream.ts";
import type { GeminiDialect } from "./dialect.ts";

/** Reads a plain answer: the fold of the stream that would have told it. Takes the list form of a stream as well. */
export function decodeResponse(ctx: Ctx, reply: unknown, dialect: GeminiDialect): ResponseResource {
  const error = errorIn(reply);
  if (error) throw error;
  const decoder = new StreamDecoder(ctx, dialect);
  const events = [...decoder.push(reply), ...(decoder.begun ? decoder.endWhole() : [])];
  const last = events.at(-1);
  if (!last || !isTerminal(last))
    throw new AntiphonError("PROTOCOL", "The server's response is not a Gemini response: it has none of the expected fields.");
  return last.response;
}

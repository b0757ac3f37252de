import { geminiCodec, type GeminiDialect } from "../../../src/codecs/gemini/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import type { CreateResponse } from "../../../src/model/index.ts";
import { ctxFor } from "./support.ts";

/** What goes out for a request, and the paths of what is lost. */
export interface Sent {
  path: string;
  body: Record<string, unknown>;
  lost: string[];
}

/** Encodes a request. */
export function send(request: CreateResponse, dialect?: Partial<GeminiDialect>): Sent {
  const { path, body, losses } = geminiCodec(dialect).encodeRequest(ctxFor(request));
  return { path, body: body as Record<string, unknown>, lost: losses.map((loss) => loss.path) };
}

/** The error that encoding a request throws. */
export function thrown(request: CreateResponse): AntiphonError {
  try {
    send(request);
  } catch (error) {
    if (error instanceof AntiphonError) return error;
  }
  throw new Error("Nothing was thrown.");
}

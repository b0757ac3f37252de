import type { Codec } from "../codec.ts";
import { decodeError, errorIn } from "./decode-error.ts";
import { decodeResponse } from "./decode-response.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { fullDialect, type GeminiDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";

/** Returns the codec for Google's generateContent. `dialect` describes how a server differs. */
export function geminiCodec(dialect: Partial<GeminiDialect> = {}): Codec {
  const full = fullDialect(dialect);
  return {
    encodeRequest: (ctx) => encodeRequest(ctx, full),
    decodeResponse: (ctx, reply) => decodeResponse(ctx, reply, full),
    createDecoder: (ctx) => new StreamDecoder(ctx, full),
    decodeError,
    errorIn,
  };
}

import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { fullDialect, type GeminiDialect } from "./dialect.ts";
import { encodeError } from "./encode-error.ts";
import { encodeResponse } from "./encode-response.ts";
import { ChunkEncoder } from "./encode-stream.ts";

/**
 * Returns the codec for clients that call the gateway through generateContent. The model and the method are in the
 * URL: a router merges what `geminiRoute` finds there into the body.
 *
 * @example
 * const route = geminiRoute(url.pathname);
 * const request = geminiServer().decodeRequest({ ...body, ...route });
 */
export function geminiServer(dialect: Partial<GeminiDialect> = {}): ServerCodec {
  const full = fullDialect(dialect);
  return {
    decodeRequest: (body) => decodeRequest(body, full),
    encodeResponse,
    createEncoder: (request) => new ChunkEncoder(request),
    encodeError,
    // Google sends an error bare. Its clients know it so only when nothing else comes in the same read, and in a `data` line always.
    encodeFrame: (value) => `data: ${JSON.stringify(value)}\r\n\r\n`,
    lastFrame: "",
  };
}

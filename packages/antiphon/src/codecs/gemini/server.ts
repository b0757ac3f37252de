import { isObject } from "../../model/guards.ts";
import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { fullDialect, type GeminiDialect } from "./dialect.ts";
import { encodeError } from "./encode-error.ts";
import { encodeResponse } from "./encode-response.ts";
import { ChunkEncoder } from "./encode-stream.ts";

/**
 * How a client that speaks generateContent calls us. The model and the method are in the URL: a router merges what `geminiRoute` finds
 * there into the body.
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
    // An error in a stream stands bare, as Google sends it: that is how its own clients know it.
    encodeFrame: (value) => {
      const json = JSON.stringify(value);
      return isObject(value) && value["error"] !== undefined ? `${json}\r\n\r\n` : `data: ${json}\r\n\r\n`;
    },
    lastFrame: "",
  };
}

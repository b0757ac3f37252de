import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeError } from "./encode-error.ts";
import { encodeResponse } from "./encode-response.ts";
import { StreamEncoder } from "./encode-stream.ts";
import { TextChunk } from "./text-chunk.ts";

/** How a client that speaks Chat Completions calls us. */
export const chatServer = (): ServerCodec => ({
  decodeRequest,
  encodeResponse,
  createEncoder: (request) => new StreamEncoder(request),
  encodeError,
  encodeFrame: (value) => (value instanceof TextChunk ? value.frame : `data: ${JSON.stringify(value)}\n\n`),
  lastFrame: "data: [DONE]\n\n",
});

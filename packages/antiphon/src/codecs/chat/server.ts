import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeError } from "./encode-error.ts";
import { encodeResponse } from "./encode-response.ts";
import { StreamEncoder } from "./encode-stream.ts";
import { TextChunk, TextChunks } from "./text-chunk.ts";

function encodeFrame(value: unknown): string {
  if (value instanceof TextChunk) return value.frame;
  return value instanceof TextChunks ? value.frames : `data: ${JSON.stringify(value)}\n\n`;
}

/** How a client that speaks Chat Completions calls us. */
export const chatServer = (): ServerCodec => ({
  decodeRequest,
  encodeResponse,
  createEncoder: (request) => new StreamEncoder(request),
  encodeError,
  encodeFrame,
  takesRuns: true,
  lastFrame: "data: [DONE]\n\n",
});

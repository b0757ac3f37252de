import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { encodeError } from "./encode-error.ts";
import { encodeResponse } from "./encode-response.ts";
import { StreamEncoder } from "./encode-stream.ts";
import { TextChunk, TextChunks } from "./text-chunk.ts";

const isText = (value: unknown): value is TextChunk | TextChunks => value instanceof TextChunk || value instanceof TextChunks;

const encodeFrame = (value: unknown): string => (isText(value) ? value.frame : `data: ${JSON.stringify(value)}\n\n`);

const writeFrame = (value: unknown, room: Uint8Array, at: number): number | string =>
  isText(value) ? value.write(room, at) : encodeFrame(value);

/** Returns the codec for clients that call the gateway through Chat Completions. */
export const chatServer = (): ServerCodec => ({
  decodeRequest,
  encodeResponse,
  createEncoder: (request) => new StreamEncoder(request),
  encodeError,
  encodeFrame,
  writeFrame,
  takesRuns: true,
  lastFrame: "data: [DONE]\n\n",
});

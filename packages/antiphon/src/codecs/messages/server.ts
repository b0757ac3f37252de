import type { ServerCodec } from "../codec.ts";
import { decodeRequest } from "./decode-request.ts";
import { plainDialect, type MessagesDialect } from "./dialect.ts";
import { encodeResponse } from "./encode-response.ts";
import { StreamEncoder } from "./encode-stream.ts";
import { encodeError } from "./wire-errors.ts";

/** Returns the codec for clients that call the gateway through Messages. */
export function messagesServer(dialect: Partial<MessagesDialect> = {}): ServerCodec {
  const full = { ...plainDialect, ...dialect };
  return {
    decodeRequest: (body) => decodeRequest(body, full),
    encodeResponse: (response) => encodeResponse(response, full),
    createEncoder: () => new StreamEncoder(full),
    encodeError,
    encodeFrame: (value) => `event: ${(value as { type: string }).type}\ndata: ${JSON.stringify(value)}\n\n`,
    lastFrame: "",
  };
}

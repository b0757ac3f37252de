import type { Codec } from "../codec.ts";
import { decodeError, errorIn } from "./decode-error.ts";
import { decodeResponse } from "./decode-response.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { plainDialect, type MessagesDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";
import { createRelay } from "./relay.ts";

/** Returns the codec for Messages servers. `dialect` describes how a server differs. */
export function messagesCodec(dialect: Partial<MessagesDialect> = {}): Codec {
  const full = { ...plainDialect, ...dialect };
  return {
    encodeRequest: (ctx) => encodeRequest(ctx, full),
    decodeResponse: (ctx, reply) => decodeResponse(ctx, reply, full),
    createDecoder: (ctx) => new StreamDecoder(ctx, full),
    createRelay: (ctx) => createRelay(ctx, full),
    decodeError,
    errorIn,
  };
}

import type { Codec } from "../codec.ts";
import { decodeError, errorIn } from "./decode-error.ts";
import { decodeResponse } from "./decode-response.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { fullDialect, type ChatDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";
import { createRelay } from "./relay.ts";

/** Returns the codec for Chat Completions servers. `dialect` describes how a server differs. */
export function chatCodec(dialect: Partial<ChatDialect> = {}): Codec {
  const full = fullDialect(dialect);
  return {
    encodeRequest: (ctx) => encodeRequest(ctx, full),
    decodeResponse: (ctx, reply) => decodeResponse(ctx, reply, full),
    createDecoder: (ctx) => new StreamDecoder(ctx, full),
    createRelay: (ctx) => createRelay(ctx, full),
    decodeError,
    errorIn,
  };
}

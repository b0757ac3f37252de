import type { Codec } from "../codec.ts";
import { decodeError, errorIn } from "./decode-error.ts";
import { decodeResponse } from "./decode-response.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { plainDialect, type ResponsesDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";
import { StreamRelay } from "./relay.ts";

/** Returns the codec for Responses servers. `dialect` describes how a server differs. */
export function responsesCodec(dialect: Partial<ResponsesDialect> = {}): Codec {
  const full = { ...plainDialect, ...dialect };
  return {
    wire: "responses",
    encodeRequest: (ctx) => encodeRequest(ctx, full),
    decodeResponse,
    createDecoder: (ctx, from) => new StreamDecoder(ctx, from),
    createRelay: (ctx) => new StreamRelay(ctx),
    decodeError,
    errorIn,
  };
}

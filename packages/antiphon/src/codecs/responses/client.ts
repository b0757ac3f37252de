import type { Codec } from "../codec.ts";
import { decodeError, errorIn } from "./decode-error.ts";
import { decodeResponse } from "./decode-response.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { plainDialect, type ResponsesDialect } from "./dialect.ts";
import { encodeRequest } from "./encode-request.ts";
import { StreamRelay } from "./relay.ts";

/** The codec of servers that speak Responses; `dialect` names what one of them does differently. */
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

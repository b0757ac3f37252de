import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import type { WireUpstream } from "../../../src/transport/upstream.ts";

/** A key that must never show up in a message. */
export const secret = "sk-test-9f8e7d6c5b4a";

/** An upstream that speaks the Responses wire. */
export const upstreamAt = (origin: string): WireUpstream => ({
  name: "test",
  baseUrl: origin.endsWith("/v1") ? origin : `${origin}/v1`,
  codec: responsesCodec(),
  model: "test-model",
  headers: () => ({ Authorization: `Bearer ${secret}` }),
});

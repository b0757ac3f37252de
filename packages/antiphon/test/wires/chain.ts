import { chatCodec, chatServer } from "../../src/codecs/chat/index.ts";
import type { Codec, Ctx, ServerCodec } from "../../src/codecs/codec.ts";
import { geminiCodec, geminiRoute, geminiServer } from "../../src/codecs/gemini/index.ts";
import { messagesCodec, messagesServer } from "../../src/codecs/messages/index.ts";
import { responsesCodec, responsesServer } from "../../src/codecs/responses/index.ts";
import type { Loss } from "../../src/core/loss.ts";
import type { Respond } from "../../src/core/respond.ts";
import { SseParser } from "../../src/transport/sse.ts";
import type { CreateResponse, ResponseEvent } from "../../src/model/index.ts";
import { reduce } from "../../src/core/reduce.ts";
import { lifecycleLaw, foldLaw } from "../../src/testing/laws.ts";
import { testCtx } from "../support/ctx.ts";

export interface WirePair {
  codec: Codec;
  server: ServerCodec;
}

/** Every wire with both of its ends. */
export const wires: Readonly<Record<"responses" | "chat" | "messages" | "gemini", WirePair>> = {
  // A client of this wire sends blobs back as they are, whoever made them.
  responses: { codec: responsesCodec({ envelopes: true }), server: responsesServer("openai") },
  chat: { codec: chatCodec({ replay: { as: "reasoning_content", on: "all" } }), server: chatServer() },
  messages: { codec: messagesCodec(), server: messagesServer() },
  gemini: { codec: geminiCodec(), server: geminiServer() },
};
export type WireName = keyof typeof wires;
export const wireNames = Object.keys(wires) as WireName[];

/** What one hop over a wire did to a question and its answer. */
export interface Hop {
  losses: Loss[];
}

/** A model behind a wire: whoever asks it speaks to a server of that wire, in bytes. */
export function over({ codec, server }: WirePair, model: (request: CreateResponse) => Promise<ResponseEvent[]>, hop: Hop) {
  return async (request: CreateResponse): Promise<ResponseEvent[]> => {
    const ctx: Ctx = testCtx(request);
    const { path, body, losses } = codec.encodeRequest(ctx);
    hop.losses.push(...losses);
    const wire = { ...(JSON.parse(JSON.stringify(body)) as object), ...geminiRoute(path) };
    const asked = server.decodeRequest(wire);
    const encoder = server.createEncoder(asked);
    const values = [...(await model(asked)).flatMap((event) => encoder.push(event)), ...encoder.end()];
    const text = values.map((value) => server.encodeFrame(value)).join("") + server.lastFrame;
    return decode(codec, ctx, new TextEncoder().encode(text));
  };
}

function decode(codec: Codec, ctx: Ctx, bytes: Uint8Array): ResponseEvent[] {
  const parser = new SseParser();
  const decoder = codec.createDecoder(ctx);
  const events = [...parser.push(bytes), ...parser.end()]
    .filter((data) => data !== "[DONE]")
    .flatMap((data) => decoder.push(JSON.parse(data)));
  return [...events, ...decoder.end()];
}

/** The response that events tell, which must be lawful. */
export function answerOf(events: ResponseEvent[]) {
  const broken = lifecycleLaw(events) ?? foldLaw(events);
  if (broken) throw new Error(broken);
  return reduce(events);
}

/** A model as a plain function. */
export const asking =
  (respond: Respond) =>
  async (request: CreateResponse): Promise<ResponseEvent[]> => {
    const events: ResponseEvent[] = [];
    for await (const event of respond(request)) events.push(event);
    return events;
  };

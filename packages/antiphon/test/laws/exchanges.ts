import type { Codec } from "../../src/codecs/codec.ts";
import { geminiRoute } from "../../src/codecs/gemini/index.ts";
import { unrun } from "../../src/core/runs.ts";
import { functionTool, type CreateResponse, type ResponseEvent } from "../../src/model/index.ts";
import { isTerminal } from "../../src/model/guards.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { testCtx } from "../support/ctx.ts";
import { asking, type WirePair } from "../wires/chain.ts";

/** An answer as a server of one API sends it. */
export interface Exchange {
  codec: Codec;
  /** The stream, as JSON values and as bytes. */
  values: unknown[];
  bytes: Uint8Array;
  /** The answer to the same request without `stream`. A response that failed has none: servers send an error instead. */
  plain: unknown;
}

/** Returns the exchange in which a server of an API answers our client with these events. */
export function exchangeOf({ codec, server }: WirePair, events: ResponseEvent[]): Exchange {
  const { path, body } = codec.encodeRequest(testCtx({ model: "m", input: "Hello", stream: true }));
  const request = { ...(JSON.parse(JSON.stringify(body)) as object), ...geminiRoute(path) };
  const encoder = server.createEncoder(server.decodeRequest(request));
  const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()];
  const last = events.at(-1);
  if (!last || !isTerminal(last)) throw new Error("The last event is not terminal.");
  return {
    codec,
    values: JSON.parse(JSON.stringify(frames)) as unknown[],
    bytes: new TextEncoder().encode(frames.map((frame) => server.encodeFrame(frame)).join("") + server.lastFrame),
    plain: last.response.status === "failed" ? undefined : JSON.parse(JSON.stringify(server.encodeResponse(last.response))),
  };
}

const weather = functionTool("weather", "Returns the weather in a city.", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});
const requests: Readonly<Record<string, CreateResponse>> = {
  text: { input: "Repeat after me: naïve 世 😀 and some more words" },
  reasoning: { input: "What is 6 * 7?", reasoning: { effort: "high" } },
  calls: { input: "What is the weather in Oslo and Rome?", tools: [weather] },
  JSON: { input: "How warm is it?", text: { format: { type: "json_schema", name: "w", schema: { type: "object" } } } },
  refusal: { input: "[[refuse:Not that.]]" },
  "an answer that stops short": { input: "[[stop]] [[say:One two three four]]" },
};

/** Returns the events of the offline model's answers to different requests. */
export const offlineAnswers = (): Promise<[string, ResponseEvent[]][]> =>
  Promise.all(
    Object.entries(requests).map(async ([name, request]): Promise<[string, ResponseEvent[]]> => {
      const { newId, now } = testCtx();
      const events = await asking(offline({ newId, now }))({ model: "offline", ...request });
      return [name, [...unrun(events)]];
    }),
  );

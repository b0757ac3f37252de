import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { AntiphonError, toAntiphonError } from "../../src/core/error.ts";
import type { Respond } from "../../src/core/respond.ts";
import { geminiRoute } from "../../src/codecs/gemini/index.ts";
import type { InputItem } from "../../src/model/index.ts";
import { tool } from "../../src/tools/define.ts";
import type { WireUpstream } from "../../src/transport/upstream.ts";
import { listen } from "../transport/support/servers.ts";
import { wires, type WireName } from "../wires/chain.ts";

/** A tool that every model can be made to call. */
export const weather = tool({
  name: "weather",
  description: "Tells the weather in a city.",
  input: z.object({ city: z.string() }),
  run: ({ city }) => `It is sunny in ${city}.`,
});

/** A call as a script writes it. */
export const call = (call_id: string, name: string, input: unknown = {}): InputItem => ({
  type: "function_call",
  call_id,
  name,
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});

/** Thoughts as a script writes them. */
export const thought = (...texts: string[]): InputItem => ({
  type: "reasoning",
  summary: texts.map((text) => ({ type: "summary_text", text })),
});

/** An answer as a script writes it. */
export const said = (text: string): InputItem => ({ type: "message", role: "assistant", content: text });

export const refused = (refusal: string): InputItem => ({
  type: "message",
  role: "assistant",
  content: [{ type: "refusal", refusal }],
});

/** All that a loop over something gives. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** The error that something fails with. */
export async function failure<E extends AntiphonError = AntiphonError>(
  promise: Promise<unknown>,
  kind: abstract new (...parts: never[]) => E = AntiphonError as never,
): Promise<E> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof kind) return outcome;
  throw new Error(`It should have failed with ${kind.name}.`, { cause: outcome });
}

/** A model behind a server of a wire, on a socket of this machine. */
export async function behind(wire: WireName, respond: Respond): Promise<WireUpstream> {
  const { codec } = wires[wire];
  const { origin } = await listen(createServer((request, response) => void answer(wire, respond, request, response)));
  return { name: wire, baseUrl: origin, codec, model: wire === "messages" ? "claude-opus-4-6" : "m", headers: () => ({}) };
}

async function answer(wire: WireName, respond: Respond, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { server } = wires[wire];
  const write = (values: unknown[]): unknown => response.write(values.map((value) => server.encodeFrame(value)).join(""));
  try {
    const asked = server.decodeRequest({ ...((await json(request)) as object), ...geminiRoute(request.url ?? "") });
    const encoder = server.createEncoder(asked);
    for await (const event of respond(asked)) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      const values = encoder.push(event);
      if (values.length > 0) write(values);
    }
    write(encoder.end());
    response.end(server.lastFrame);
  } catch (thrown) {
    const error = server.encodeError(toAntiphonError(thrown, "SERVER_ERROR"));
    response.writeHead(error.status, { "content-type": "application/json" }).end(JSON.stringify(error.body));
  }
}

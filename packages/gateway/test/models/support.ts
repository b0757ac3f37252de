import { collect, type CreateResponse, type ServerCodec } from "antiphon";
import { chatServer } from "antiphon/codecs/chat";
import { messagesServer } from "antiphon/codecs/messages";
import { responsesServer } from "antiphon/codecs/responses";
import { scripted } from "antiphon/testing";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { configuredModels, type ModelsOptions } from "../../src/models/configured-models.ts";
import type { ModelRoute, Models } from "../../src/models/models.ts";
import type { ModelsConfig } from "../../src/models/models-config.ts";

/** What a server was asked. */
export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: CreateResponse & Record<string, unknown>;
}

/** What it answers: a JSON value, or a stream. */
export type Answer = { status?: number; headers?: Record<string, string>; json: unknown } | { stream: string } | { hangs: true };

export interface Upstream {
  url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** A server on this machine; it is closed when the test is over. */
export async function serve(answer: (asked: Asked) => Answer | Promise<Answer>, port = 0): Promise<Upstream> {
  const all: Asked[] = [];
  const server = createServer((request, response) => void reply(request, response));
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const piece of request) text += String(piece);
    const asked: Asked = { path: request.url ?? "", headers: request.headers, body: text ? JSON.parse(text) : {} };
    all.push(asked);
    const told = await answer(asked);
    if ("hangs" in told) return;
    if ("stream" in told) response.writeHead(200, { "content-type": "text/event-stream" }).end(told.stream);
    else
      response
        .writeHead(told.status ?? 200, { "content-type": "application/json", ...told.headers })
        .end(JSON.stringify(told.json));
  };
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked: all, close };
}

const codecs: Record<string, ServerCodec> = {
  "/v1/responses": responsesServer("openai"),
  "/v1/chat/completions": chatServer(),
  "/v1/messages": messagesServer(),
};

/** Says something, on the wire and in the way that it is asked. */
export async function say(words: string, { path, body }: Asked): Promise<Answer> {
  const codec = codecs[path.split("?")[0] ?? ""];
  if (!codec) return { status: 404, json: { error: { message: `nothing at ${path}` } } };
  const request = codec.decodeRequest(body);
  const stream = scripted([words])(request);
  if (!request.stream) return { json: codec.encodeResponse(await collect(stream)) };
  const encoder = codec.createEncoder(request);
  let frames = "";
  for await (const event of stream) for (const value of encoder.push(event)) frames += codec.encodeFrame(value);
  for (const value of encoder.end()) frames += codec.encodeFrame(value);
  return { stream: frames + codec.lastFrame };
}

/** A server that always says the same. */
export const speaker = (words: string): Promise<Upstream> => serve((asked) => say(words, asked));

/** A server that always fails. */
export const failing = (status: number, code: string, headers: Record<string, string> = {}): Promise<Upstream> =>
  serve(() => ({ status, headers, json: { error: { message: "No.", code, type: code } } }));

/** Settings of a server that speaks Responses, or another wire. */
export const at = ({ url }: Upstream, wire: "responses" | "chat" | "messages" = "responses") => ({ wire, baseUrl: url });

/** Models without anything from the environment, unless a test says so. */
export const modelsOf = (config: ModelsConfig = {}, options: ModelsOptions = {}): Promise<Models> =>
  configuredModels({ discover: config.models ? [] : ["environment"], ...config }, { env: {}, ...options });

/** What a route says to a question. */
export const answerOf = (route: ModelRoute, request: CreateResponse = {}) => collect(route.respond({ input: "Hi", ...request }));

/** What is thrown. */
export async function thrownBy(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

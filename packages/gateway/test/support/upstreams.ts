import { AntiphonError, batchesOf, collect, connect, provider, type Respond } from "antiphon";
import { geminiRoute, geminiServer } from "antiphon/codecs/gemini";
import { offline } from "antiphon/testing";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelRoute, Models } from "../../src/models/models.ts";
import { startGateway } from "../../src/node.ts";

/** Servers of every wire, with the offline model behind each. */
export interface Upstreams {
  /** How each is asked, by the name of its wire; `offline` needs no server. */
  models: Record<string, Respond>;
  close(): Promise<void>;
}

/** Starts a server for each wire. */
export async function startUpstreams(): Promise<Upstreams> {
  const served = await startGateway({ port: 0, catalogue: catalogueOf({ offline: offline() }) });
  const gemini = createServer((request, response) => void answerGemini(request, response).catch(() => response.destroy())).listen(
    0,
    "127.0.0.1",
  );
  await new Promise((resolve) => gemini.once("listening", resolve));
  const at = (name: string, baseUrl: string): Respond =>
    connect(provider(name, { baseUrl, apiKey: "none", model: "offline" }), { retry: { retries: 0 } });
  return {
    models: {
      offline: offline(),
      responses: at("openai", `${served.url}/openai/v1`),
      chat: at("openai-chat", `${served.url}/v1`),
      messages: at("anthropic", `${served.url}/v1`),
      gemini: at("gemini", `http://127.0.0.1:${(gemini.address() as AddressInfo).port}/v1beta`),
    },
    close: async () => {
      gemini.close();
      await served.close();
    },
  };
}

/** Models by name, each asked as it is. */
export function catalogueOf(models: Record<string, Respond>): Models {
  const [first = ""] = Object.keys(models);
  return {
    resolve(asked): ModelRoute {
      const name = asked ?? first;
      const respond = models[name];
      if (!respond) throw new AntiphonError("INVALID_MODEL", `There is no model ${name}.`, { status: 404 });
      return { name, model: "offline", provider: name, respond, cost: () => undefined };
    },
    resolveEmbeddings: () => {
      throw new Error("no embeddings");
    },
    list: () => Promise.resolve(Object.keys(models).map((id) => ({ id, provider: id, kind: "chat" as const }))),
  };
}

const model = offline();
const codec = geminiServer();

async function answerGemini(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const fields = geminiRoute(pathname);
  if (!fields) {
    response.writeHead(404).end();
    return;
  }
  const asked = codec.decodeRequest(Object.assign(JSON.parse(Buffer.concat(pieces).toString()) as object, fields));
  const stream = model(asked);
  if (!asked.stream) {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(codec.encodeResponse(await collect(stream))));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const encoder = codec.createEncoder(asked);
  const batches = batchesOf(stream);
  for (let next = await batches.next(); !next.done; next = await batches.next())
    for (const event of next.value) for (const value of encoder.push(event)) response.write(codec.encodeFrame(value));
  for (const value of encoder.end()) response.write(codec.encodeFrame(value));
  response.end(codec.lastFrame);
}

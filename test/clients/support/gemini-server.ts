import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AntiphonError, batchesOf, collect, outcome, type Respond } from "antiphon";
import { geminiRoute, geminiServer } from "antiphon/codecs/gemini";

/** Something that listens on this machine. */
export interface Listening {
  url: string;
  close(): Promise<void>;
}

const codec = geminiServer();

/** Puts a model behind Google's wire, which the gateway speaks to its upstreams and not to its clients. */
export async function startGemini(model: Respond): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(model, request, response).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, thrown);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function answer(model: Respond, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const fields = geminiRoute(new URL(request.url ?? "/", "http://localhost").pathname);
  if (!fields) throw new AntiphonError("NOT_FOUND", `There is nothing at ${request.url}.`);
  const asked = codec.decodeRequest(Object.assign(JSON.parse(Buffer.concat(pieces).toString()) as object, fields));
  const events = model(asked, { signal: gone.signal });
  if (asked.stream) return stream(events, asked, response);
  const told = await collect(events);
  const end = outcome(told);
  if (end && "error" in end) throw end.error;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(codec.encodeResponse(told)));
}

type Asked = ReturnType<typeof codec.decodeRequest>;

async function stream(events: ReturnType<Respond>, asked: Asked, response: ServerResponse): Promise<void> {
  const encoder = codec.createEncoder(asked);
  const batches = batchesOf(events);
  // What fails before the first event is an HTTP error: nothing is written until there is one.
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(next.value.flatMap((event) => encoder.push(event).map(codec.encodeFrame)).join(""));
  }
  response.end(encoder.end().map(codec.encodeFrame).join("") + codec.lastFrame);
}

function refuse(response: ServerResponse, thrown: unknown): void {
  const error = thrown instanceof AntiphonError ? thrown : new AntiphonError("SERVER_ERROR", String(thrown));
  const { status, body } = codec.encodeError(error);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

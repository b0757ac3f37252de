import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Handler } from "../handler.ts";

/** Puts a handler on a socket of this machine. */
export async function listen(handler: Handler): Promise<{ url: string; close(): void }> {
  const server = createServer((incoming, outgoing) => void answer(handler, incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const parts: Uint8Array[] = [];
  for await (const part of incoming) parts.push(part as Uint8Array);
  const { method = "GET", url = "/" } = incoming;
  const request = new Request(`http://local${url}`, { method, body: Buffer.concat(parts), signal: gone.signal });
  const { status, headers, body } = await handler(request);
  outgoing.writeHead(status, Object.fromEntries(headers));
  // A client that leaves breaks the pipeline, which cancels the body, and that is all there is to do.
  if (body) await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing).catch(() => undefined);
  else outgoing.end();
}

import { createServer, type Server, type ServerResponse } from "node:http";
import type { Gateway } from "../gateway.ts";
import type { Reply } from "../http/exchange.ts";
import type { Limits } from "../limits.ts";
import { Incoming } from "./incoming.ts";
import { NodeExchange, NodeSink } from "./node-exchange.ts";

const maxHeaderSize = 64 * 1024;
const longestCheck = 30_000;
const late = 408;

/** Node's own server in front of a gateway; it does not listen yet. */
export function serverOf(gateway: Gateway): Server {
  const { limits } = gateway.context;
  const server = createServer(
    {
      IncomingMessage: Incoming,
      maxHeaderSize,
      // Slow-loris: headers and body must arrive in time; connections that say nothing are closed.
      headersTimeout: limits.bodyTimeout,
      connectionsCheckingInterval: Math.min(limits.bodyTimeout, longestCheck),
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      noDelay: true,
      // Of two keys, or two hosts, Node would take the first, and a proxy maybe the other. Joined they are neither.
      joinDuplicateHeaders: true,
    },
    (request, response) => void respond(gateway, request, response, limits),
  );
  server.timeout = 0;
  return server;
}

async function respond(gateway: Gateway, request: Incoming, response: ServerResponse, limits: Limits): Promise<void> {
  try {
    const reply = await gateway.handle(new NodeExchange(request, response, limits.bodyTimeout));
    // Whoever keeps a connection would keep a gateway that closes.
    if (reply.status === late || gateway.context.draining) response.setHeader("connection", "close");
    await write(response, reply, limits.stallTimeout);
    if (!request.complete) readRest(request, limits.bodyTimeout);
  } catch {
    // A stream that breaks off must not look like one that ended.
    response.destroy();
  }
}

async function write(response: ServerResponse, reply: Reply, stallTimeout: number): Promise<void> {
  const { status, headers, body, stream } = reply;
  if (response.destroyed) return;
  if (stream) {
    response.writeHead(status, headers);
    await stream(new NodeSink(response, stallTimeout));
    response.end();
  } else {
    const length = body === undefined ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    response.writeHead(status, { "content-length": length, ...headers }).end(body);
  }
  // Whoever takes nothing would hold on to the rest for ever.
  if (response.writableLength > 0) response.setTimeout(stallTimeout);
}

/** Throws away the rest of a body that was refused: a client that is cut off while it still sends may never read why. */
function readRest(request: Incoming, timeout: number): void {
  const timer = setTimeout(() => request.destroy(), timeout).unref();
  request
    .on("error", () => {})
    .once("close", () => clearTimeout(timer))
    .resume();
}

import type { IncomingMessage } from "node:http";
import type { Socket as NetSocket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import type { Gateway } from "../gateway.ts";
import { faces, refuse, type Face } from "../http/faces.ts";
import type { Reply } from "../http/exchange.ts";
import { AntiphonError, newId } from "antiphon";
import type { RequestHead } from "./request-head.ts";
import { SocketSession, type Socket } from "../sockets/socket-session.ts";

const paths: Readonly<Record<string, Face>> = { "/v1/responses": faces.strict, "/openai/v1/responses": faces.openai };
/** How much may wait to be sent before a run's events wait too. */
const highWater = 256 * 1024;
/** Milliseconds between two pings; a client that does not answer one is gone. */
export const pingEvery = 30_000;
const longestGoodbye = 30_000;
const lastGoodbye = 1_000;

/** WebSockets beside the requests of a server. */
export interface Sockets {
  /** Takes over a socket; it is paused, and `first` came behind the head. */
  upgrade(head: RequestHead, socket: NetSocket, first: Buffer): void;
  /** Closes them all. */
  close(): void;
  readonly size: number;
}

export function acceptSockets(gateway: Gateway): Sockets {
  const { limits } = gateway.context;
  const options = {
    noServer: true,
    maxPayload: limits.maxBodyBytes,
    perMessageDeflate: false,
    // Whoever sends pings and reads no answers would fill the memory.
    autoPong: false,
    // How long a client may take to say goodbye. The types do not know of it, so that this is no literal in the call.
    closeTimeout: Math.min(limits.stallTimeout, longestGoodbye),
    clientTracking: true,
  };
  const sockets = new WebSocketServer(options);
  sockets.on("headers", (headers, request) => headers.push(`x-request-id: ${idOf(request)}`));
  return {
    upgrade: (head, socket, first) => void upgrade(gateway, sockets, handshakeOf(head, socket), first),
    get size() {
      return sockets.clients.size;
    },
    close: () => {
      for (const socket of sockets.clients) socket.close(1001, "The gateway is shutting down.");
      // Who does not take leave is not waited for.
      setTimeout(() => sockets.clients.forEach((socket) => socket.terminate()), lastGoodbye).unref();
      sockets.close();
    },
  };
}

/** As much of a request as `ws` looks at. */
type Handshake = Pick<IncomingMessage, "method" | "url" | "headers" | "socket">;

function handshakeOf(head: RequestHead, socket: NetSocket): Handshake {
  const headers = head.all();
  if (head.parts.host !== undefined) headers["host"] = head.parts.host;
  return { method: head.method, url: head.parts.path, headers, socket };
}

async function upgrade(gateway: Gateway, sockets: WebSocketServer, request: Handshake, first: Buffer): Promise<void> {
  const { context } = gateway;
  const started = performance.now();
  const { url: path = "", socket: stream } = request;
  stream.on("error", () => stream.destroy());
  const face = Object.hasOwn(paths, path) ? paths[path] : undefined;
  const headers = { get: (name: string) => headerOf(request, name) };
  const requestId = idOf(request);
  try {
    if (!face) throw new AntiphonError("NOT_FOUND", "This path does not accept WebSockets. Use /v1/responses.");
    const caller = await context.gatekeeper.authenticate(headers);
    if (context.limits.maxSockets === 0) throw noSockets();
    if (context.draining || sockets.clients.size >= context.limits.maxSockets)
      throw new AntiphonError("SERVER_OVERLOADED", "Too many WebSockets are open. Try again later.");
    // It looks at nothing but what a handshake has.
    sockets.handleUpgrade(request as IncomingMessage, stream, first, (socket) => {
      const handshake = { path, headers, address: stream.remoteAddress, requestId, caller };
      const session = new SocketSession(context, face, handshake, wrap(socket, context.limits.stallTimeout));
      attach(socket, session, context.limits.socketLifetime);
    });
    stream.resume();
  } catch (thrown) {
    const { status, body } = refuse(face ?? faces.strict, thrown);
    hangUp(stream, { status, body, requestId });
    const milliseconds = performance.now() - started;
    const route = face ? path : "unmatched";
    context.telemetry.request({ method: "GET", route, status, milliseconds, owner: undefined, requestId });
  }
}

/** The status after which clients turn to plain HTTP at once; after others they try again first. */
const noSockets = (): AntiphonError =>
  new AntiphonError("UNSUPPORTED", "This gateway does not accept WebSockets. Use plain HTTP.", { status: 426 });

const ids = new WeakMap<Handshake, string>();

/** What the client is told, and finds in the logs. */
function idOf(request: Handshake): string {
  const id = ids.get(request) ?? newId("req");
  ids.set(request, id);
  return id;
}

const headerOf = ({ headers }: Handshake, name: string): string | null => {
  const value = headers[name];
  return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
};

interface Refusal extends Pick<Reply, "status" | "body"> {
  requestId: string;
}

function hangUp(stream: NetSocket, { status, body = "", requestId }: Refusal): void {
  const length = Buffer.byteLength(body);
  const headers = `content-type: application/json\r\ncontent-length: ${length}\r\nx-request-id: ${requestId}\r\nconnection: close`;
  stream.end(
    `HTTP/1.1 ${status} Refused\r\n${headers}\r\n\r\n${String(body)}`,
    // Nobody else looks after this connection any more.
    () => stream.destroy(),
  );
}

function attach(socket: WebSocket, session: SocketSession, lifetime: number): void {
  let heard = true;
  const ping = setInterval(() => {
    if (!heard) socket.terminate();
    heard = false;
    socket.ping();
  }, pingEvery).unref();
  const end = setTimeout(() => expire(socket), lifetime).unref();
  socket.on("pong", () => (heard = true));
  socket.on("ping", (data) => (socket.bufferedAmount < highWater ? socket.pong(data) : socket.terminate()));
  socket.on("error", () => socket.terminate());
  socket.on("message", (data, isBinary) => {
    heard = true;
    if (isBinary) socket.close(1003, "Messages must be text.");
    else session.receive((data as Buffer).toString());
  });
  socket.on("close", () => {
    clearInterval(ping);
    clearTimeout(end);
    session.leave();
  });
}

const expired = {
  code: "websocket_connection_limit_reached",
  message: "The connection has reached its maximum age. Open a new one.",
};

function expire(socket: WebSocket): void {
  socket.send(JSON.stringify({ type: "error", status: 400, error: { type: "invalid_request", param: null, ...expired } }));
  socket.close(1000, "expired");
}

function wrap(socket: WebSocket, stallTimeout: number): Socket {
  return {
    send: (text) => socket.send(text),
    drained: () => (isFull(socket) ? untilDrained(socket, stallTimeout) : undefined),
    close: (code, reason) => socket.close(code, reason),
  };
}

const isFull = (socket: WebSocket): boolean => socket.bufferedAmount >= highWater && socket.readyState === socket.OPEN;

const pollEvery = 10;

/** `ws` tells of no drain: its buffer is looked at now and then. Whoever takes nothing of it for so long is cut off. */
async function untilDrained(socket: WebSocket, stallTimeout: number): Promise<void> {
  let left = socket.bufferedAmount;
  let since = performance.now();
  while (isFull(socket)) {
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
    if (socket.bufferedAmount !== left) since = performance.now();
    else if (performance.now() - since > stallTimeout) socket.terminate();
    left = socket.bufferedAmount;
  }
}

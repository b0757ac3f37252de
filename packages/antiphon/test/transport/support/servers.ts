import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server on a free port of the loopback interface, closed with all its connections when the test ends. */
export async function listen<T extends Server | TcpServer>(server: T): Promise<{ server: T; port: number; origin: string }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    if (server.listening) await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `http://127.0.0.1:${port}` };
}

/** A request as its server saw it. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Handler = (response: ServerResponse, seen: Seen, index: number) => unknown;

/** An HTTP server that keeps what it was asked, and counts connections. */
export async function serve(
  ...handlers: Handler[]
): Promise<{ origin: string; port: number; seen: Seen[]; connections: () => number }> {
  const seen: Seen[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { method = "", url = "", headers } = request;
      const index = seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() }) - 1;
      handlers[Math.min(index, handlers.length - 1)]?.(response, seen[index]!, index);
    });
  });
  server.on("connection", () => (connections += 1));
  const { origin, port } = await listen(server);
  return { origin, port, seen, connections: () => connections };
}

/** A server that speaks no HTTP but what its handler writes. */
export const serveRaw = (handler: (socket: Socket, index: number) => void): Promise<{ origin: string; port: number }> => {
  let index = 0;
  return listen(createTcpServer((socket) => handler(socket, index++)));
};

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A promise with its resolver, for what a test waits for. */
export function signalled<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** Ends a connection as a crash would: the other side sees a reset. */
export const reset = (response: ServerResponse): void => void response.socket?.resetAndDestroy();

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { WebSocketServer, type WebSocket } from "ws";
import { AntiphonError } from "../../../src/core/error.ts";
import { Writer } from "../../../src/core/writer.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";
import { answer, stream } from "../../faults/support.ts";
import { certificate, certificateKey } from "./certificate.ts";
import { listen } from "./servers.ts";

/** A message of the client's, as the server sees it. */
export interface SeenMessage extends CreateResponse {
  type: string;
  generate?: boolean;
}

/** One request on a connection, to be answered. */
export interface ServerTurn {
  message: SeenMessage;
  /** Which request this is, of all and counted from 0. */
  index: number;
  /** Which connection it came on. */
  connection: number;
  socket: WebSocket;
  /** The events of a good answer. */
  events: ResponseEvent[];
  send(...events: object[]): void;
}

export interface SocketServerOptions {
  /** The status that an upgrade is refused with; nothing lets it in. */
  refuse?: (request: IncomingMessage, index: number) => number | undefined;
  /** Answers a request that keeps the rules; `turn.send(...turn.events)` where left out. */
  answer?: (turn: ServerTurn) => unknown;
  /** Whether it speaks TLS. */
  secure?: boolean;
  /** Whether pings are answered; they are where nothing is said. */
  pongs?: boolean;
  /** Answers over plain HTTP. */
  http?: (response: ServerResponse, body: string) => void;
}

export interface SocketServer {
  origin: string;
  port: number;
  /** The upgrades that were asked for. */
  upgrades: IncomingMessage[];
  /** All messages, by connection. */
  seen: { connection: number; message: SeenMessage }[];
  /** The connections that are open. */
  open(): number;
  /** How many requests came over plain HTTP. */
  posts: string[];
  /** Requests that came while another one was being answered on the same connection. */
  overlaps: number;
  /** The sockets, in the order in which they were opened. */
  sockets: WebSocket[];
}

const forbidden = ["stream", "stream_options", "background"] as const;

/** What a server of WebSocket mode says to what breaks its rules. */
const refusal = (status: number, code: string, message: string, param: string | null = null): object => ({
  type: "error",
  status,
  error: { type: "invalid_request_error", code, message, param },
});

/** The state of one connection: the last response, until a request that goes on from it fails. */
class Connection {
  readonly #server: SocketServer;
  readonly #socket: WebSocket;
  readonly #options: SocketServerOptions;
  readonly #stored: Map<string, ResponseResource>;
  readonly #number: number;
  #last: string | undefined;
  #busy = false;

  constructor(
    server: SocketServer,
    socket: WebSocket,
    number: number,
    options: SocketServerOptions,
    stored: Map<string, ResponseResource>,
  ) {
    this.#server = server;
    this.#socket = socket;
    this.#number = number;
    this.#options = options;
    this.#stored = stored;
  }

  listen(): void {
    this.#socket.on("message", (data) => this.#hear(String(data)));
    this.#socket.on("error", () => {});
  }

  #hear(text: string): void {
    const message = JSON.parse(text) as SeenMessage;
    const index = this.#server.seen.push({ connection: this.#number, message }) - 1;
    if (this.#busy) this.#server.overlaps += 1;
    this.#busy = true;
    const broken = this.#brokenRule(message);
    if (broken) {
      if (message.previous_response_id === this.#last) this.#last = undefined;
      return this.#send(message, undefined, [broken]);
    }
    const events = message.generate === false ? speak(index, message) : speak(index, message, `Answer`, ` ${index}.`);
    const response = (events.at(-1) as { response: ResponseResource }).response;
    const turn: ServerTurn = {
      message,
      index,
      connection: this.#number,
      socket: this.#socket,
      events,
      send: (...sent) => this.#send(message, response, sent),
    };
    if (this.#options.answer) void this.#options.answer(turn);
    else turn.send(...events);
  }

  #brokenRule(message: SeenMessage): object | undefined {
    const { previous_response_id: previous, input } = message;
    if (message.type !== "response.create") return refusal(400, "invalid_type", `What is ${message.type}?`);
    const field = forbidden.find((name) => name in message);
    if (field) return refusal(400, "unknown_parameter", `Unknown parameter: ${field}`, field);
    if (previous && previous !== this.#last && !this.#stored.has(previous))
      return refusal(400, "previous_response_not_found", `Response ${previous} not found.`, "previous_response_id");
    if (Array.isArray(input) && input.some((item) => "call_id" in item && item.call_id === "call_unknown"))
      return refusal(400, "invalid_request", "No tool call found for the output.", "input");
    return undefined;
  }

  #send(message: SeenMessage, response: ResponseResource | undefined, events: readonly object[]): void {
    for (const event of events) {
      const { type } = event as { type: string };
      if (/^(response\.(completed|incomplete|failed)|error)$/.test(type)) {
        this.#busy = false;
        if (response && !/failed|error/.test(type)) this.#keep(message, response);
        else if (message.previous_response_id === this.#last) this.#last = undefined;
      }
      this.#socket.send(JSON.stringify(event));
    }
  }

  #keep({ store }: SeenMessage, response: ResponseResource): void {
    this.#last = response.id;
    if (store !== false) this.#stored.set(response.id, response);
  }
}

/** A lawful answer under an id of its own. */
function speak(index: number, request: CreateResponse, ...words: string[]): ResponseEvent[] {
  const writer = new Writer({ ...testCtx(), request, newId: (prefix) => `${prefix}_${index}` });
  for (const word of words) writer.text(word);
  writer.finish({ status: "completed" });
  return writer.drain();
}

/** The events of an answer that breaks off by itself. */
export function failing(index: number, code: string, message: string): ResponseEvent[] {
  const writer = new Writer({ ...testCtx(), newId: (prefix) => `${prefix}_${index}` });
  writer.fail(new AntiphonError("SERVER_ERROR", message, { vendorCode: code }));
  return writer.drain();
}

/** A server that speaks WebSocket mode by its rules, and plain HTTP beside. */
export async function serveSockets(options: SocketServerOptions = {}): Promise<SocketServer> {
  const stored = new Map<string, ResponseResource>();
  const sockets = new WebSocketServer({ noServer: true, autoPong: options.pongs ?? true });
  const posts: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.once("end", () => {
      posts.push(body);
      if (options.http) options.http(response, body);
      else stream(response, ...answer("over", " HTTP")).end();
    });
  };
  const http = options.secure ? createTlsServer({ cert: certificate, key: certificateKey }, handle) : createServer(handle);
  const { origin, port } = await listen(http);
  const server: SocketServer = {
    origin,
    port,
    posts,
    upgrades: [],
    seen: [],
    overlaps: 0,
    sockets: [],
    open: () => sockets.clients.size,
  };
  http.on("upgrade", (request: IncomingMessage, socket, head) => {
    const index = server.upgrades.push(request) - 1;
    const status = options.refuse?.(request, index);
    if (status) return void socket.end(refusedUpgrade(status));
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const number = server.sockets.push(opened) - 1;
      new Connection(server, opened, number, options, stored).listen();
    });
  });
  return server;
}

function refusedUpgrade(status: number): string {
  const body = JSON.stringify({ error: { message: "No sockets here.", type: "invalid_request_error", code: null, param: null } });
  return `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Exchange, Reply } from "../http/exchange.ts";
import type { Limits } from "../limits.ts";
import { Connection, type Host, type Phase } from "./connection.ts";
import { keepAliveTimeout } from "./reply-head.ts";
import type { RequestHead } from "./request-head.ts";
import { mostWaiting } from "./socket-sink.ts";

/** What a server is put in front of. */
export interface Answering {
  limits: Pick<Limits, "bodyTimeout" | "stallTimeout">;
  handle(exchange: Exchange): Promise<Reply>;
  /** Takes over a socket for a WebSocket. It is paused; `first` came behind the head. */
  upgrade(head: RequestHead, socket: Socket, first: Buffer): void;
  isClosing(): boolean;
}

const longestTick = 1_000;
const ticksOfShortest = 4;
/** More ticks than there will be; still a small integer, which an infinity is not. */
const never = 2 ** 29;

/**
 * A server of HTTP/1.1 on sockets. One timer looks after all connections, in ticks: that a connection has another deadline is a number, and
 * no timer.
 */
export class HttpServer implements Host {
  readonly stallTimeout: number;
  readonly #answering: Answering;
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  readonly #ticks: Readonly<Record<Phase, number>>;
  readonly #tick: number;
  #timer: NodeJS.Timeout | undefined;
  #now = 0;

  constructor(answering: Answering) {
    const { bodyTimeout, stallTimeout } = answering.limits;
    this.#answering = answering;
    this.stallTimeout = stallTimeout;
    const tick = (this.#tick = Math.min(Math.ceil(bodyTimeout / ticksOfShortest), longestTick));
    // The first tick may be about to come.
    const body = Math.ceil(bodyTimeout / tick) + 1;
    const idle = Math.ceil(keepAliveTimeout / tick) + 1;
    this.#ticks = { head: body, reading: body, rest: body, leaving: body, idle, answering: never };
    const options = { allowHalfOpen: true, noDelay: true, highWaterMark: mostWaiting };
    this.#listener = createServer(options, (socket) => this.#take(socket));
  }

  get isClosing(): boolean {
    return this.#answering.isClosing();
  }

  /** Listens from now on. Errors that come later are told to `onError`. */
  listen(port: number, host: string, onError: (error: Error) => void): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject).listen(port, host, () => {
        this.#listener.off("error", reject).on("error", onError);
        // A server that listens on a port has an address of this kind; those on pipes have others.
        resolve(this.#listener.address() as AddressInfo);
      });
    });
  }

  /** Takes in no more connections, and lets go of those where nobody waits for anything. */
  close(): void {
    this.#listener.close();
    for (const connection of this.#connections) if (connection.isIdle) connection.destroy();
  }

  /** Cuts off all that are left, WebSockets aside. */
  closeAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  answer(exchange: Exchange): Promise<Reply> {
    return this.#answering.handle(exchange);
  }

  upgrade(head: RequestHead, socket: Socket, first: Buffer): void {
    this.#answering.upgrade(head, socket, first);
  }

  deadline(phase: Phase): number {
    return this.#now + this.#ticks[phase];
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  #take(socket: Socket): void {
    this.#connections.add(new Connection(socket, this));
    this.#timer ??= setInterval(() => this.#check(), this.#tick).unref();
  }

  #check(): void {
    this.#now += 1;
    for (const connection of this.#connections) if (connection.deadline <= this.#now) connection.expire();
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

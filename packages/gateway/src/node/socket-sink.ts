import type { Socket } from "node:net";
import type { Sink } from "../http/exchange.ts";
import type { SocketExchange } from "./socket-exchange.ts";

/** So many bytes may wait for a client before its stream does: what is quickly gone need not be waited for. */
export const mostWaiting = 64 * 1024;

/**
 * Writes a stream to a socket. What is written in one turn of the event loop leaves together, as one chunk: with the head before the first,
 * and with the end behind the last. Each chunk is whole when it leaves, as there are clients that wait for the end of a chunk.
 */
export class SocketSink implements Sink {
  readonly #exchange: SocketExchange;
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #untilDrained: () => Promise<void>;
  #head: string;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isDue = false;
  #isOver = false;

  constructor(exchange: SocketExchange, socket: Socket, head: string, untilDrained: () => Promise<void>) {
    this.#exchange = exchange;
    this.#socket = socket;
    this.#isChunked = !exchange.headers.isOld;
    this.#head = this.#isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
    this.#untilDrained = untilDrained;
  }

  get closed(): boolean {
    return this.#exchange.isGone || this.#isOver;
  }

  write(piece: string | Uint8Array): void {
    if (this.closed) return;
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(flush, this);
  }

  drained(): Promise<void> | undefined {
    if (this.#length + this.#socket.writableLength <= mostWaiting || this.closed) return undefined;
    this.flush();
    return this.#socket.writableLength <= mostWaiting ? undefined : this.#untilDrained();
  }

  end(): void {
    if (this.closed) return;
    this.#isOver = true;
    this.#send(this.#isChunked ? "0\r\n\r\n" : "");
  }

  /** Lets leave what was written so far. */
  flush(): void {
    this.#isDue = false;
    if (this.#length > 0 && !this.closed) this.#send("");
  }

  #send(end: string): void {
    const socket = this.#socket;
    const size = this.#isChunked && this.#length > 0 ? `${this.#length.toString(16)}\r\n` : "";
    const before = this.#head + size;
    const after = size === "" ? end : `\r\n${end}`;
    socket.cork();
    if (before !== "") socket.write(before, "latin1");
    for (const piece of this.#pieces) socket.write(piece);
    if (after !== "") socket.write(after, "latin1");
    socket.uncork();
    this.#head = "";
    this.#pieces = [];
    this.#length = 0;
  }
}

const flush = (sink: SocketSink): void => sink.flush();

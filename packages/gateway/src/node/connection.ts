import type { Socket } from "node:net";
import type { Reply } from "../http/exchange.ts";
import { tooLarge } from "../http/unpack.ts";
import { BodyRead, late, left } from "./body-read.ts";
import { refusal, replyHead } from "./reply-head.ts";
import { badRequest, noAnswer, type RequestHead } from "./request-head.ts";
import { RequestParser } from "./request-parser.ts";
import { SocketExchange, type Line } from "./socket-exchange.ts";
import { mostWaiting, SocketSink } from "./socket-sink.ts";

/** What a connection needs of its server. */
export interface Host {
  /** How long a client may take nothing of its answer, in milliseconds. */
  readonly stallTimeout: number;
  /** Whether the server closes, and wants nobody to stay. */
  readonly isClosing: boolean;
  answer(exchange: SocketExchange): Promise<Reply>;
  /** Takes over a socket for a WebSocket. It is paused; `first` came behind the head. */
  upgrade(head: RequestHead, socket: Socket, first: Buffer): void;
  /** By when a connection that is now in a phase must be in another; the number is compared with others of its kind only. */
  deadline(phase: Phase): number;
  forget(connection: Connection): void;
}

/**
 * What a connection waits for: `head` for a request, that was begun or is the first; `idle` for the next one; `answering` for the gateway;
 * `reading` for a body that is asked for; `rest` for the end of one that nobody wants; `leaving` for the client to close.
 */
export type Phase = "head" | "idle" | "answering" | "reading" | "rest" | "leaving";

const timedOut = 408;
const nothing = Buffer.alloc(0);

/** One client's connection: takes in its requests, strictly one after the other, and sends the answers. */
export class Connection implements Line {
  /** When it is too late for what is waited for. */
  deadline: number;
  readonly #socket: Socket;
  readonly #host: Host;
  readonly #parser = new RequestParser();
  #phase: Phase = "head";
  #exchange: SocketExchange | undefined;
  #read: BodyRead | undefined;
  /** Called when the client has taken all that was sent, or is gone. */
  #drained: (() => void) | undefined;

  constructor(socket: Socket, host: Host) {
    this.#socket = socket;
    this.#host = host;
    this.deadline = host.deadline("head");
    socket.on("data", this.#onData).on("end", this.#onEnd).on("drain", this.#onDrain);
    socket.on("close", this.#onClose).on("error", ignore).on("timeout", cutOff);
  }

  get address(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Whether nobody waits for anything. */
  get isIdle(): boolean {
    return this.#phase === "idle" || (this.#phase === "head" && this.#parser.waiting === 0);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.#phase === "head") this.#refuse(timedOut);
    else if (this.#phase === "reading") this.#stopReading()?.fail(late());
    // What still leaves is looked after by the socket's own timer.
    else if (this.#phase !== "leaving" || this.#socket.writableLength === 0) this.destroy();
  }

  readBody({ headers }: SocketExchange, maxBytes: number): Promise<Uint8Array> {
    if (headers.bodyLength > maxBytes) return Promise.reject(tooLarge(maxBytes));
    // Most bodies came together with their heads, and there is nothing to wait for.
    const piece = this.#parser.readBody() ?? nothing;
    const hasCome = typeof piece !== "number" && this.#parser.isComplete && piece.length <= maxBytes;
    if (hasCome) return Promise.resolve(piece);
    const read = (this.#read = new BodyRead(maxBytes));
    this.#enter("reading");
    this.#take(piece);
    if (this.#read === read) this.#letCome(headers);
    return read.whole;
  }

  /** Asks for the rest of a body. Who waits to be asked, and has not begun, is told to go on. */
  #letCome(head: RequestHead): void {
    const isWaiting = head.expectsContinue && this.#parser.waiting === 0 && !this.#read?.hasBegun;
    if (isWaiting) this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
    head.expectsContinue = false;
    this.#socket.resume();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#phase === "leaving") return;
    this.#parser.push(bytes);
    if (this.#phase === "idle" || this.#phase === "head") this.#begin();
    else if (this.#phase === "reading") this.#take(this.#parser.readBody());
    else if (this.#phase === "rest") this.#skip();
    else if (this.#parser.waiting > mostWaiting) this.#socket.pause();
  };

  /** Who says no more is taken for gone, as most who hang up can be told by nothing else. */
  readonly #onEnd = (): void => {
    if (this.#phase === "reading" || (this.#phase === "head" && this.#parser.waiting > 0)) this.#refuse(badRequest);
    else if (this.#phase !== "leaving") this.#hangUp();
  };

  readonly #onDrain = (): void => {
    if (!this.#drained) return;
    this.#socket.setTimeout(0);
    this.#goOn();
  };

  readonly #onClose = (): void => {
    this.#phase = "leaving";
    this.#host.forget(this);
    this.#depart();
  };

  #goOn(): void {
    const drained = this.#drained;
    this.#drained = undefined;
    drained?.();
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.deadline = this.#host.deadline(phase);
  }

  /** Looks whether there is a request. */
  #begin(): void {
    const head = this.#parser.readHead();
    if (head === undefined) {
      if (this.#phase === "idle" && this.#parser.waiting > 0) this.#enter("head");
    } else if (typeof head === "number") this.#refuse(head);
    else if (head.upgrades) this.#handOver(head);
    else {
      this.#enter("answering");
      this.#exchange = new SocketExchange(head, this);
      void this.#answer(this.#exchange);
    }
  }

  async #answer(exchange: SocketExchange): Promise<void> {
    try {
      const reply = await this.#host.answer(exchange);
      if (exchange.isGone) return;
      const keeps = this.#mayStay(exchange.headers, reply);
      const writing = this.#write(exchange, reply, keeps);
      if (writing) await writing;
      if (exchange.isGone) return;
      this.#exchange = undefined;
      if (keeps) this.#next();
      else this.#hangUp();
    } catch {
      // A stream that breaks off must not look like one that ended.
      this.destroy();
    }
  }

  #mayStay(head: RequestHead, { status, stream }: Reply): boolean {
    if (!head.keeps || status === timedOut || this.#host.isClosing) return false;
    // Whoever was not told to go on may send the body, or another request: there is no telling which.
    if (head.expectsContinue && !this.#parser.isComplete) return false;
    // Without chunks, the end of a stream is that of the connection.
    return !(head.isOld && stream);
  }

  #write(exchange: SocketExchange, { status, headers = {}, body, stream }: Reply, keeps: boolean): Promise<void> | undefined {
    const head = replyHead(status, headers, keeps);
    const hasBody = exchange.method !== "HEAD" && status !== 204 && status !== 304;
    if (stream && hasBody) return this.#stream(new SocketSink(exchange, this.#socket, head, this.#untilDrained), stream);
    const socket = this.#socket;
    const length = body === undefined ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const framed =
      hasBody && headers["content-length"] === undefined ? `${head}content-length: ${length}\r\n\r\n` : `${head}\r\n`;
    if (!hasBody || !body) socket.write(framed, "latin1");
    else {
      socket.cork();
      socket.write(framed, "latin1");
      socket.write(body);
      socket.uncork();
    }
    return undefined;
  }

  async #stream(sink: SocketSink, stream: NonNullable<Reply["stream"]>): Promise<void> {
    await stream(sink);
    sink.end();
  }

  /** Whoever takes nothing of what waits for so long is cut off. */
  readonly #untilDrained = (): Promise<void> =>
    new Promise((resolve) => {
      this.#drained = resolve;
      this.#socket.setTimeout(this.#host.stallTimeout);
    });

  /** Goes on to the next request: not before this one was taken in whole, and most of its answer is gone. */
  #next(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
    if (!this.#parser.isComplete) {
      this.#enter("rest");
      this.#skip();
    } else if (this.#socket.writableNeedDrain && this.#socket.writableLength > 0) {
      this.#enter("answering");
      void this.#untilDrained().then(() => this.#phase === "answering" && this.#next());
    } else {
      this.#enter("idle");
      if (this.#parser.waiting > 0) this.#begin();
    }
  }

  /** Takes a piece of the body that is asked for. */
  #take(piece: Buffer | number | undefined): void {
    if (typeof piece === "number") this.#refuse(piece);
    else if (piece && piece.length > 0 && !this.#read?.take(piece)) this.#stopReading();
    else if (this.#parser.isComplete) this.#stopReading()?.end();
  }

  #stopReading(): BodyRead | undefined {
    const read = this.#read;
    this.#read = undefined;
    this.#enter("answering");
    return read;
  }

  /** Throws away the rest of a body that was refused: a client that is cut off while it still sends may never read why. */
  #skip(): void {
    const piece = this.#parser.readBody();
    if (typeof piece === "number") this.#hangUp();
    else if (this.#parser.isComplete) this.#next();
  }

  /** Tells somebody whose request cannot be read; what else comes from there is not looked at. */
  #refuse(status: number): void {
    if (status === noAnswer) return this.destroy();
    this.#socket.write(refusal(status), "latin1");
    this.#hangUp();
  }

  /** Ends the connection behind what was written. Who still sends may do so for a while: cut off, it might never read what it was told. */
  #hangUp(): void {
    const isQuiet = this.#parser.isComplete && this.#parser.waiting === 0;
    this.#enter("leaving");
    this.#parser.takeRest();
    this.#depart();
    if (this.#socket.writableLength > 0) this.#socket.setTimeout(this.#host.stallTimeout);
    if (isQuiet) this.#socket.destroySoon();
    else this.#socket.end().resume();
  }

  /** Tells all who wait that the client is gone. */
  #depart(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.leave();
    this.#read?.fail(left());
    this.#read = undefined;
    this.#goOn();
  }

  #handOver(head: RequestHead): void {
    const socket = this.#socket;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("drain", this.#onDrain);
    socket.off("close", this.#onClose).off("error", ignore).off("timeout", cutOff);
    this.#host.forget(this);
    this.#host.upgrade(head, socket.pause(), this.#parser.takeRest());
  }
}

const ignore = (): void => {};

function cutOff(this: Socket): void {
  this.destroy();
}

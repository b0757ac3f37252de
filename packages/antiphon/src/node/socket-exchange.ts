import { PassThrough } from "node:stream";
import type { HeaderReader } from "../codecs/codec.ts";
import { abortError, toAntiphonError, type AntiphonError } from "../core/error.ts";
import { connectionError, connectTimeoutError, protocolError, systemCode, type Phase } from "../transport/connection-error.ts";
import type { HttpRequest, HttpResponse } from "../transport/upstream.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { RequestWriter } from "./request-writer.ts";
import type { ResponseHead } from "./response-head.ts";
import type { Carried, Connection, Connections } from "./socket-connections.ts";

/** Where a URL leads. */
export interface Place {
  /** What it is called in messages. */
  host: string;
  writer: RequestWriter;
  connections: Connections;
}

/** The codes of a connection that was closed by the other side. One that was closed in good order has none. */
const closings: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE", undefined]);
const noHeaders: HeaderReader = { get: () => null };
/** How many milliseconds before its server a connection is given up, so that no request crosses its end. */
const margin = 1_000;

/** One request and its answer. */
export class Exchange implements Carried, HttpResponse {
  status = 0;
  headers: HeaderReader = noHeaders;
  readonly #request: HttpRequest;
  /** The request as it is written; let go of once the answer has begun. */
  #message: string | Buffer;
  readonly #place: Place;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: AntiphonError) => void;
  #connection: Connection | undefined;
  #onAbort: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #phase: Phase = "connect";
  #again = false;
  #settled = false;
  #keptFor = Number.POSITIVE_INFINITY;
  #queue: ByteQueue | undefined;
  /** Where the bytes go first that are compressed. */
  #packed: PassThrough | undefined;

  constructor(
    request: HttpRequest,
    place: Place,
    resolve: (response: HttpResponse) => void,
    reject: (error: AntiphonError) => void,
  ) {
    this.#request = request;
    this.#message = place.writer.message(request);
    this.#place = place;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { connectTimeout, signal } = this.#request;
    if (signal) signal.addEventListener("abort", (this.#onAbort = () => this.#giveUp(abortError(signal.reason))));
    this.#place.connections.carry(this);
    // A connection that was kept stands already.
    if (connectTimeout && this.#phase === "connect" && !this.#settled)
      this.#timer = setTimeout(() => this.#giveUp(connectTimeoutError(this.#place.host, connectTimeout)), connectTimeout);
  }

  onOpening(connection: Connection): void {
    this.#connection = connection;
  }

  onStanding(connection: Connection): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#connection = connection;
    this.#phase = "answer";
    connection.write(this.#message);
  }

  onHead(head: ResponseHead): void {
    this.#phase = "body";
    this.#message = "";
    this.status = head.status;
    this.headers = head;
    if (head.keptFor !== undefined) this.#keptFor = head.keptFor * 1_000 - margin;
    if (head.encoding === "identity") this.#answer(new ByteQueue(this));
    else void this.#unpack((this.#packed = new PassThrough().on("drain", () => this.resume())), head.encoding);
  }

  onBytes(bytes: Buffer): void {
    if (!this.#packed) this.#queue!.push(bytes);
    else if (!this.#packed.write(bytes)) this.pause();
  }

  onEnd(isLast: boolean): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.keep(isLast ? 0 : this.#keptFor);
    if (this.#packed) this.#packed.end();
    else this.#end();
  }

  onFault(what: string): void {
    this.#giveUp(protocolError(this.#place.host, what));
  }

  onGone(reason: Error | undefined): void {
    if (this.#settled) return;
    if (this.#isStale(reason)) return this.#sendAgain();
    this.#fail(connectionError(this.#place.host, this.#phase, reason ?? new Error("The server closed the connection.")));
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  read(apart?: boolean): Promise<Uint8Array | undefined> {
    return this.#queue!.read(apart);
  }

  more(): Uint8Array | undefined {
    return this.#queue!.more();
  }

  get isOver(): boolean {
    return this.#queue!.isOver;
  }

  cancel(): void {
    if (!this.#settled) this.#giveUp(abortError("cancelled"));
  }

  #answer(queue: ByteQueue): void {
    this.#queue = queue;
    this.#resolve(this);
  }

  async #unpack(packed: PassThrough, encoding: string): Promise<void> {
    try {
      const { decompress } = await import("./decompress.ts");
      const plain = decompress(packed, encoding);
      const queue = new ByteQueue(plain);
      plain.on("data", (bytes: Uint8Array) => queue.push(bytes));
      plain.once("end", () => this.#end());
      plain.once("error", (error) => this.#giveUp(connectionError(this.#place.host, "body", error)));
      this.#answer(queue);
    } catch (thrown) {
      this.#giveUp(toAntiphonError(thrown, "PROTOCOL"));
    }
  }

  #giveUp(error: AntiphonError): void {
    if (this.#settled) return;
    const connection = this.#connection;
    this.#fail(error);
    if (connection) connection.close();
    else this.#place.connections.leave(this);
  }

  #end(): void {
    if (this.#settled) return;
    this.#settle();
    this.#queue!.end();
  }

  #fail(error: AntiphonError): void {
    this.#settle();
    if (this.#queue) this.#queue.fail(error);
    else this.#reject(error);
  }

  #settle(): void {
    this.#settled = true;
    this.#connection = undefined;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#onAbort) this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Whether the server had closed a kept-alive connection just when it was used again, and so never saw the request. */
  #isStale(reason: Error | undefined): boolean {
    const { isUsed = false, isUntouched = false } = this.#connection ?? {};
    const untouched = this.#phase === "answer" && isUsed && isUntouched;
    return untouched && closings.has(systemCode(reason)) && !this.#again && !this.#request.once;
  }

  #sendAgain(): void {
    if (this.#onAbort) this.#request.signal?.removeEventListener("abort", this.#onAbort);
    this.#again = true;
    this.#phase = "connect";
    this.#connection = undefined;
    this.#place.connections.closeIdle();
    this.send();
  }
}

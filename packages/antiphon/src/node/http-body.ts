import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { abortError, AntiphonError } from "../core/error.ts";
import { connectionError } from "../transport/connection-error.ts";
import type { HeaderReader } from "../codecs/codec.ts";
import type { HttpResponse } from "../transport/upstream.ts";

/** More than this unread, and the server is made to wait. */
const mostQueued = 1024 * 1024;

/**
 * An answer of `node:http`. What one turn of the event loop brings is handed over at once, however many chunks the server cut it
 * into: that is far cheaper than the stream's own iterator, which takes several hops a chunk.
 */
export class HttpBody implements HttpResponse {
  readonly status: number;
  readonly headers: HeaderReader;
  readonly #message: IncomingMessage;
  readonly #stream: Readable;
  readonly #host: string;
  readonly #onSettled: () => void;
  #queue: Uint8Array[] = [];
  #size = 0;
  #scheduled = false;
  #apart = false;
  #paused = false;
  #ended = false;
  #error: AntiphonError | undefined;
  #resolve: ((bytes: Uint8Array | undefined) => void) | undefined;
  #reject: ((error: AntiphonError) => void) | undefined;

  /** @param stream The message itself, or its plain bytes where it is compressed. */
  constructor(message: IncomingMessage, stream: Readable, host: string, onSettled: () => void) {
    this.#message = message;
    this.#stream = stream;
    this.#host = host;
    this.#onSettled = onSettled;
    this.status = message.statusCode ?? 0;
    this.headers = { get: (name) => headerOf(message, name) };
    stream.on("data", (bytes: Uint8Array) => this.#push(bytes));
    stream.once("end", () => this.#end());
    stream.on("error", (error) => this.fail(error));
    stream.once("close", () => this.#ended || this.fail(new Error("closed")));
    if (stream !== message) message.on("error", (error) => this.fail(error));
  }

  read(apart = false): Promise<Uint8Array | undefined> {
    this.#apart = apart;
    if (this.#error) return Promise.reject(this.#error);
    if (this.#size > 0) return Promise.resolve(this.#take());
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  more(): Uint8Array | undefined {
    return this.#size > 0 ? this.#take() : undefined;
  }

  cancel(): void {
    if (this.#ended) return;
    this.fail(abortError("cancelled"));
    this.#message.destroy();
  }

  /** The connection broke, or was given up. */
  fail(cause: Error): void {
    if (this.#ended || this.#error) return;
    this.#error = cause instanceof AntiphonError ? cause : connectionError(this.#host, "body", cause);
    this.#queue = [];
    this.#size = 0;
    this.#onSettled();
    this.#reject?.(this.#error);
    this.#resolve = undefined;
  }

  #push(bytes: Uint8Array): void {
    if (this.#error) return;
    this.#queue.push(bytes);
    this.#size += bytes.length;
    if (this.#size > mostQueued && !this.#paused) {
      this.#paused = true;
      this.#stream.pause();
    }
    if (this.#resolve && !this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(flush, this);
    }
  }

  #end(): void {
    this.#ended = true;
    this.#onSettled();
    if (this.#size === 0) this.#hand(undefined);
  }

  #take(): Uint8Array {
    const bytes = this.#apart || this.#queue.length === 1 ? this.#queue.shift()! : this.#join();
    this.#size -= bytes.length;
    if (this.#paused && this.#size <= mostQueued) {
      this.#paused = false;
      this.#stream.resume();
    }
    return bytes;
  }

  #join(): Uint8Array {
    const bytes = Buffer.concat(this.#queue, this.#size);
    this.#queue = [];
    return bytes;
  }

  #hand(bytes: Uint8Array | undefined): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(bytes);
  }

  /** Hands over what came in this turn. */
  flush(): void {
    this.#scheduled = false;
    if (this.#resolve && this.#size > 0) this.#hand(this.#take());
  }
}

const flush = (body: HttpBody): void => body.flush();

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

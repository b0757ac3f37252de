import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { abortError, AntiphonError } from "../core/error.ts";
import { connectionError } from "../transport/connection-error.ts";
import type { HeaderReader } from "../codecs/codec.ts";
import type { HttpResponse } from "../transport/upstream.ts";
import { ByteQueue } from "./byte-queue.ts";

/** An answer of `node:http`. */
export class HttpBody implements HttpResponse {
  readonly status: number;
  readonly headers: HeaderReader;
  readonly #message: IncomingMessage;
  readonly #queue: ByteQueue;
  readonly #host: string;
  readonly #onSettled: () => void;

  /** @param stream The message itself, or its plain bytes where it is compressed. */
  constructor(message: IncomingMessage, stream: Readable, host: string, onSettled: () => void) {
    this.#message = message;
    this.#queue = new ByteQueue(stream);
    this.#host = host;
    this.#onSettled = onSettled;
    this.status = message.statusCode ?? 0;
    this.headers = { get: (name) => headerOf(message, name) };
    stream.on("data", (bytes: Uint8Array) => this.#queue.push(bytes));
    stream.once("end", () => this.#end());
    stream.on("error", (error) => this.fail(error));
    stream.once("close", () => this.fail(new Error("closed")));
    if (stream !== message) message.on("error", (error) => this.fail(error));
  }

  read(apart?: boolean): Promise<Uint8Array | undefined> {
    return this.#queue.read(apart);
  }

  more(): Uint8Array | undefined {
    return this.#queue.more();
  }

  get isOver(): boolean {
    return this.#queue.isOver;
  }

  cancel(): void {
    if (this.#queue.settled) return;
    this.fail(abortError("cancelled"));
    this.#message.destroy();
  }

  /** The connection broke, or was given up. */
  fail(cause: Error): void {
    if (this.#queue.settled) return;
    this.#onSettled();
    this.#queue.fail(cause instanceof AntiphonError ? cause : connectionError(this.#host, "body", cause));
  }

  #end(): void {
    this.#onSettled();
    this.#queue.end();
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

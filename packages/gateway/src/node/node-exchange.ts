import { AntiphonError, newId, type StopSignal } from "antiphon";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange, Sink } from "../http/exchange.ts";
import type { Trace } from "../telemetry/telemetry.ts";
import { tooLarge, unpack } from "../http/unpack.ts";

/** A request as Node's server takes it in. What is not always needed is made when it is asked for: a request should cost little. */
export class NodeExchange implements Exchange {
  readonly requestId = newId("req");
  readonly path: string;
  owner?: string;
  trace?: Trace;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #search: string;
  readonly #timeout: number;
  #departure: StopSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, bodyTimeout: number) {
    this.#request = request;
    this.#response = response;
    this.#timeout = bodyTimeout;
    const url = request.url ?? "/";
    const mark = url.indexOf("?");
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.#search = mark === -1 ? "" : url.slice(mark + 1);
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#search);
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  readonly headers = {
    get: (name: string): string | null => {
      const value = this.#request.headers[name];
      return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
    },
  };

  get signal(): StopSignal {
    return (this.#departure ??= new NodeDeparture(this.#response));
  }

  read(maxBytes: number): Promise<Uint8Array> {
    const packed = readWhole(this.#request, maxBytes, this.#timeout);
    const encoding = this.headers.get("content-encoding");
    return encoding === null ? packed : packed.then((bytes) => unpack(bytes, encoding, maxBytes));
  }
}

/** Fires when the connection is closed; whoever has the whole answer by then listens no more. */
class NodeDeparture implements StopSignal {
  readonly reason = undefined;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.closed && !this.#response.writableFinished;
  }

  addEventListener(_: "abort", listener: () => void): void {
    this.#response.once("close", listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#response.off("close", listener);
  }
}

const nothing = Buffer.alloc(0);

function readWhole(request: IncomingMessage, maxBytes: number, timeout: number): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  // Most bodies came together with their headers, and there is nothing to wait for.
  if (request.complete && request.readableLength <= maxBytes)
    return Promise.resolve((request.read() as Buffer | null) ?? nothing);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => fail(new AntiphonError("TIMEOUT", "The body took too long.", { status: 408 })), timeout);
    const fail = (error: AntiphonError): void => {
      clearTimeout(timer);
      // Nobody reads the rest; the answer is the last thing on this connection.
      request.off("data", take).pause();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > maxBytes) fail(tooLarge(maxBytes));
      else pieces.push(piece);
    };
    request.on("data", take);
    request.once("end", () => {
      clearTimeout(timer);
      resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length));
    });
    request.once("error", (cause) => fail(new AntiphonError("ABORTED", "The client left.", { cause })));
    request.once("close", () => {
      if (!request.complete) fail(new AntiphonError("ABORTED", "The client left."));
    });
  });
}

/** So many bytes may wait for a client before its stream does: what is quickly gone need not be waited for. */
const mostWaiting = 64 * 1024;

/** Writes a stream to Node's response. */
export class NodeSink implements Sink {
  readonly #response: ServerResponse;
  readonly #stallTimeout: number;

  constructor(response: ServerResponse, stallTimeout: number) {
    this.#response = response;
    this.#stallTimeout = stallTimeout;
  }

  get closed(): boolean {
    return this.#response.destroyed;
  }

  write(piece: string | Uint8Array): void {
    this.#response.write(piece);
  }

  drained(): Promise<void> | undefined {
    if (this.#response.writableLength <= mostWaiting || this.closed) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        this.#response.off("drain", done).off("close", done).setTimeout(0);
        resolve();
      };
      // Whoever takes nothing for so long is cut off.
      this.#response.once("drain", done).once("close", done).setTimeout(this.#stallTimeout);
    });
  }
}

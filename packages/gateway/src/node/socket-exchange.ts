import { newId, Stop, type StopSignal } from "antiphon";
import type { Exchange } from "../http/exchange.ts";
import { unpack } from "../http/unpack.ts";
import type { Trace } from "../telemetry/telemetry.ts";
import { left } from "./body-read.ts";
import type { RequestHead } from "./request-head.ts";

/** What a request asks of the connection that it came by. */
export interface Line {
  readonly address: string | undefined;
  /** The body as it was sent. */
  readBody(exchange: SocketExchange, maxBytes: number): Promise<Uint8Array>;
}

/** A request that came by a socket. What is not always needed is made when it is asked for: a request should cost little. */
export class SocketExchange implements Exchange {
  readonly requestId = newId("req");
  readonly headers: RequestHead;
  owner?: string;
  trace?: Trace;
  /** Whether the client left before it had its answer. */
  isGone = false;
  readonly #line: Line;
  #departure: Stop | undefined;

  constructor(head: RequestHead, line: Line) {
    this.headers = head;
    this.#line = line;
  }

  get method(): string {
    return this.headers.method;
  }

  get path(): string {
    return this.headers.parts.path;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.headers.parts.query);
  }

  get address(): string | undefined {
    return this.#line.address;
  }

  get signal(): StopSignal {
    if (!this.#departure) {
      this.#departure = new Stop();
      if (this.isGone) this.#departure.abort(undefined);
    }
    return this.#departure;
  }

  read(maxBytes: number): Promise<Uint8Array> {
    const packed = this.isGone ? Promise.reject(left()) : this.#line.readBody(this, maxBytes);
    const encoding = this.headers.get("content-encoding");
    return encoding === null ? packed : packed.then((bytes) => unpack(bytes, encoding, maxBytes));
  }

  /** Tells whoever answers that nobody waits for it. */
  leave(): void {
    this.isGone = true;
    this.#departure?.abort(undefined);
  }
}

import type { HeaderReader } from "../codecs/codec.ts";
import type { AntiphonError } from "../core/error.ts";
import type { Answer } from "./upstream.ts";
import type { SocketConnection } from "./websocket-connection.ts";

/** What a connection has to know of a request. */
export interface TurnRequest {
  body: string;
  previous: string | undefined;
  stored: boolean;
}

const noHeaders: HeaderReader = { get: () => null };

/** One answer on a connection, from the request to its last message. */
export class Turn implements Answer<unknown[]> {
  readonly status = 200;
  readonly headers = noHeaders;
  readonly request: TurnRequest;
  /** The id of the response, once it is known. */
  id: string | undefined;
  /** Whether a message came. */
  begun = false;
  readonly #connection: SocketConnection;
  #values: unknown[] = [];
  #over = false;
  #error: AntiphonError | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: SocketConnection, request: TurnRequest) {
    this.#connection = connection;
    this.request = request;
  }

  /** The first message, which stays to be read; rejects where none comes. */
  async first(): Promise<unknown> {
    if (this.#values.length === 0) await this.#news();
    if (this.#values.length === 0) throw this.#error ?? this.#connection.broken("answer", undefined);
    return this.#values[0];
  }

  async read(): Promise<unknown[] | undefined> {
    if (this.#values.length === 0) await this.#news();
    const values = this.#values;
    if (values.length > 0) {
      this.#values = [];
      this.#connection.resume();
      return values;
    }
    if (this.#error) throw this.#error;
    return undefined;
  }

  /** Closes the connection: there is no other way to stop a server. */
  cancel(error?: AntiphonError): void {
    if (this.#over) return;
    this.end(error);
    this.#connection.close();
  }

  push(value: unknown): void {
    this.begun = true;
    this.#values.push(value);
    this.#wake?.();
  }

  end(error?: AntiphonError): void {
    this.#over = true;
    this.#error = error;
    this.#wake?.();
  }

  #news(): Promise<void> | void {
    if (!this.#over)
      return new Promise((resolve) => {
        this.#wake = resolve;
      });
  }
}

import type { StopSignal } from "antiphon";
import type { Trace } from "../telemetry/telemetry.ts";

/** One HTTP request as the gateway sees it, whichever server took it in. */
export interface Exchange {
  readonly method: string;
  /** Without the query: `/v1/responses`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { get(name: string): string | null };
  /** Scheme, host and port of the request's URL, if it was a whole URL. */
  readonly origin?: string;
  /** Where the client is, as far as the server knows. */
  readonly address: string | undefined;
  /** Told to the client and written into the logs. */
  readonly requestId: string;
  /** Who asks, once that is known. */
  owner?: string;
  /** Follows the request, where somebody traces. */
  trace?: Trace;
  /** The whole body, unpacked; rejects with an `AntiphonError` when it has more bytes than allowed, or stalls. */
  read(maxBytes: number): Promise<Uint8Array>;
  /** Fires when the client is gone. */
  readonly signal: StopSignal;
}

/** Where a stream is written to. */
export interface Sink {
  /** Sends one piece; what is written in one turn of the event loop leaves together. */
  write(piece: string | Uint8Array): void;
  /** Resolves when the client has taken most of what was written, or is gone; `undefined` where there is no need to wait. */
  drained(): Promise<void> | undefined;
  /** Whether the client is gone. */
  readonly closed: boolean;
}

/** What the gateway answers: a whole body, or one that is written bit by bit. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Writes the body; where it throws, the connection is cut off, so that nobody takes what came for the whole. */
  stream?(sink: Sink): Promise<void>;
}

/** What answers a route; `params` are the parts of the path that the pattern leaves open. */
export type Handler = (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<Reply>;

/** By method and pattern: `"GET /v1/responses/:id"`. */
export type Routes = Readonly<Record<string, Handler>>;

export const json = (status: number, value: unknown, headers?: Headers): Reply =>
  jsonBody(status, JSON.stringify(value), headers);

/** The same for a value that is JSON already. */
export const jsonBody = (status: number, body: string | Uint8Array, headers?: Headers): Reply => ({
  status,
  headers: withHeaders(jsonHeaders, headers),
  body,
});

const jsonHeaders = { "content-type": "application/json" };

type Headers = Readonly<Record<string, string>> | undefined;

/** Headers with others; of two with the same name the latter counts. In loops, which take a fraction of what spreads do. */
export function withHeaders(headers: Headers, others: Headers): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name in headers) all[name] = headers[name]!;
  for (const name in others) all[name] = others[name]!;
  return all;
}

import type { Codec, HeaderReader } from "../codecs/codec.ts";
import type { Respond, Timeouts } from "../core/respond.ts";
import type { StopSignal } from "../core/stop.ts";

/** A server that speaks a wire. */
export interface WireUpstream {
  /** For errors and logs: `openai`. */
  name: string;
  /** Without a slash at the end: `https://api.example.com/v1`. */
  baseUrl: string;
  codec: Codec;
  /** Used where a request names no model. */
  model?: string;
  /** Authorization and whatever else the server wants. Called once per request, so that a missing key is found on first use. */
  headers(): Record<string, string>;
  /** Fetches what the headers need where that takes time, such as a key that expires. Called before them, once per request. */
  prepare?(): Promise<void>;
  /** The header that carries the key, where its name does not say so. */
  keyHeader?: string;
  /** Added to every URL. */
  query?: Record<string, string>;
  timeouts?: Timeouts;
}

/** A model that needs no network. */
export interface LocalUpstream {
  name: string;
  model?: string;
  respond: Respond;
}

/** What `connect` can talk to. A provider is one of these, made from data. */
export type Upstream = WireUpstream | LocalUpstream;

/** One HTTP exchange, as a transport sees it. */
export interface HttpRequest {
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds until the connection must stand; `0` or nothing waits for ever. */
  connectTimeout?: number;
  /** Never sent a second time, also where a kept-alive connection turns out to be dead. */
  once?: boolean;
  signal?: StopSignal;
}

/** What an answer comes in: bytes, or values that were parsed already. */
export type Chunk = Uint8Array | readonly unknown[];

/** An answer, once its first signs are there. */
export interface Answer<C extends Chunk = Chunk> {
  status: number;
  headers: HeaderReader;
  /**
   * The next chunk, or `undefined` at the end; rejects when the connection breaks or the signal aborts. One call at a time. Chunks that
   * came together may be joined, unless they are wanted apart: then `more` gives those that are there already.
   */
  read(apart?: boolean): Promise<C | undefined>;
  more?(): C | undefined;
  /** Whether it is known that there is nothing left to read. */
  readonly isOver?: boolean;
  /** Closes the connection at once; a pending `read` settles. Does nothing after the end. */
  cancel(): void;
}

/** The answer to an HTTP request, once its headers are there. */
export type HttpResponse = Answer<Uint8Array>;

/** How bytes travel: `fetch` everywhere, `node:http` on Node. Rejects with an `AntiphonError` when no answer came. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

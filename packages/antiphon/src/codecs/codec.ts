import type { AntiphonError } from "../core/error.ts";
import type { Loss, Repair } from "../core/loss.ts";
import type { Machine } from "../core/machine.ts";
import type { FoldSnapshot } from "../core/reduce.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../model/index.ts";

/** What a codec may know of the world: the request, and where ids and times come from. */
export interface Ctx {
  request: CreateResponse;
  /** A fresh id: `newId("msg")` gives `msg_…`. */
  newId(prefix: string): string;
  /** Seconds since 1970. */
  now(): number;
}

/** The part of `Headers` that codecs read; the class itself is dear to load on some runtimes. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** A request in a wire's own words. */
export interface EncodedRequest {
  /** Below the provider's base URL: `/responses`. */
  path: string;
  body: unknown;
  /** What the wire cannot say. */
  losses: Loss[];
}

/** Turns a wire's stream into lawful events; `repairs` tells what had to be put right. */
export interface Decoder extends Machine<unknown, ResponseEvent> {
  /** The stream broke or was stopped: closes what is open and ends with one terminal event. */
  fail(error: AntiphonError): ResponseEvent[];
  readonly repairs: Repair[];
}

/** Where a stream was left: its fold, the number of its last event, and the number that the server gave to it. */
export interface StreamPosition extends FoldSnapshot {
  sequence_number: number;
  cursor: number;
}

/** How we call an upstream that speaks a wire. */
export interface Codec {
  /** Reads what it is made of, where that waits until it is needed; then it comes before anything else is asked of it. */
  load?(): Promise<void>;
  /** `responses` where the server may have what only that wire has: responses to come back to, and WebSockets. */
  readonly wire?: string;
  encodeRequest(ctx: Ctx): EncodedRequest;
  decodeResponse(ctx: Ctx, reply: unknown): ResponseResource;
  /** `from` is where a stream goes on that was left in the middle; only wires whose streams can be resumed look at it. */
  createDecoder(ctx: Ctx, from?: StreamPosition): Decoder;
  /** Reads an HTTP error; `body` is parsed JSON where it was JSON, else text. */
  decodeError(status: number, headers: HeaderReader, body: unknown): AntiphonError;
  /** The error that hides in a JSON value of an HTTP 200 answer, if one does. */
  errorIn(value: unknown): AntiphonError | undefined;
}

/** The mirror: how a client that speaks a wire calls us. */
export interface ServerCodec {
  decodeRequest(body: unknown): CreateResponse;
  encodeResponse(response: ResponseResource): unknown;
  createEncoder(request: CreateResponse): Machine<ResponseEvent, unknown>;
  encodeError(error: AntiphonError): { status: number; body: unknown };
  /** One value of the encoder as the client reads it off the stream. */
  encodeFrame(value: unknown): string;
  /** What closes a stream that ended well; empty where the wire has nothing. */
  readonly lastFrame: string;
}

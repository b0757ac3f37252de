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
  /** Whether pieces of a text that come together may be told as one event. */
  runs?: boolean | undefined;
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

/** Frames that can be taken without parsing each. */
export interface FoundFrames {
  /** Where the last of them ends. */
  end: number;
  /** Takes them, unless what came before them has it that they must be read one by one; says whether it did. */
  take(): boolean;
}

/** Turns a wire's stream into lawful events; `repairs` tells what had to be put right. */
export interface Decoder extends Machine<unknown, ResponseEvent> {
  /** Parses the text of an event, where the wire knows a quicker way than parsing all of it; to be called for every event, in order. */
  parse?(text: string): unknown;
  /** Takes a value as `push` does, and tells nothing yet: `drain` does. Between the two, pieces of a text become runs. */
  take?(value: unknown): void;
  drain?(): ResponseEvent[];
  /** Looks at a position of whole frames for some that can be taken as they are. `view` is of `bytes`. */
  find?(bytes: Uint8Array, view: DataView, at: number): FoundFrames | undefined;
  /** Ends the response. `isMarked` says that the server sent its end mark, so the stream was not cut off. */
  end(isMarked?: boolean): ResponseEvent[];
  /** The stream broke or was stopped: closes what is open and ends with one terminal event. */
  fail(error: AntiphonError): ResponseEvent[];
  readonly repairs: Repair[];
}

/** Passes a stream on as it came, and reads of it only what must be known. */
export interface Relay {
  /**
   * Takes whole frames, with line feeds only, and adds to `out` what passes and what they tell; what was added before it throws stands.
   * `textOf` gives some of them as a text with a character for each byte, to look things up in: most bytes are never decoded.
   */
  read(bytes: Uint8Array, textOf: (from?: number, to?: number) => string, out: ResponseEvent[]): void;
  /** The stream is over. */
  end(): ResponseEvent[];
  /** The stream broke or was stopped. */
  fail(error: AntiphonError): ResponseEvent[];
  readonly repairs: Repair[];
  /** Whether it passes no comments on by itself, so that they need not be looked for. */
  readonly dropsComments?: boolean;
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
  /** For callers that speak the wire themselves; nothing where its streams cannot be passed on. */
  createRelay?(ctx: Ctx): Relay | undefined;
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
  /**
   * Writes the same as bytes into some room, from a place on, and gives where it ends; or the text, where there is no quick way to do so,
   * or not enough room.
   */
  writeFrame?(value: unknown, room: Uint8Array, at: number): number | string;
  /** Whether the encoder takes runs, and gives them on as one value. */
  readonly takesRuns?: boolean;
  /** What closes a stream that ended well; empty where the wire has nothing. */
  readonly lastFrame: string;
}

import type { Codec, Ctx, Decoder, FoundFrames } from "../codecs/codec.ts";
import { excerpt, isEndMark, parseEvent, parseIntact } from "../codecs/shared/frames.ts";
import { viewOf } from "../codecs/shared/words.ts";
import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { expand } from "../core/expand.ts";
import type { Repair } from "../core/loss.ts";
import type { Machine } from "../core/machine.ts";
import { isOutput } from "../core/seen-events.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";
import { FirstBytes } from "./first-bytes.ts";
import { Opening } from "./opening.ts";
import { defaultLimit, SseParser, type SseOptions } from "./sse.ts";
import type { Chunk } from "./upstream.ts";

/** Turns an answer into events. */
export interface AnswerReader extends Machine<Chunk, ResponseEvent> {
  /** What went wrong behind the events that `push` or `end` returned last. */
  readonly error: AntiphonError | undefined;
  /** Whether an event came out. From then on failures are events too. */
  readonly started: boolean;
  readonly repairs: Repair[];
  /** Whether it wants chunks as they came: joining them means copying them. */
  readonly apart?: boolean;
  /** Whether the last chunk holds more than `push` gave; the next `push` or `end` begins with it. */
  readonly hasMore?: boolean;
  /** Gives that at once. */
  more?(): ResponseEvent[];
  /** Closes what is open and ends with one terminal event. */
  fail(error: AntiphonError): ResponseEvent[];
}

/** What all readers of streams share: values go through the wire's decoder until a terminal event comes out. */
class StreamReader {
  error: AntiphonError | undefined;
  started = false;
  protected terminated = false;
  readonly #codec: Codec;
  readonly #decoder: Decoder;
  /** Whether what is told of values waits until all of them are taken. */
  protected readonly gathers: boolean;
  #parsed = false;

  constructor(codec: Codec, ctx: Ctx) {
    this.#codec = codec;
    this.#decoder = codec.createDecoder(ctx);
    this.gathers = ctx.runs === true && this.#decoder.take !== undefined;
  }

  get repairs(): Repair[] {
    return this.#decoder.repairs;
  }

  fail(error: AntiphonError): ResponseEvent[] {
    return this.terminated ? [] : this.#decoder.fail(error);
  }

  /**
   * Ends the response. `isMarked` says that the server sent its end mark: some keep the connection open after it, and
   * some send nothing else that ends a response.
   */
  protected finish(out: ResponseEvent[], isMarked = false): void {
    this.tellGathered(out);
    if (!this.started || this.terminated) return;
    out.push(...this.#decoder.end(isMarked));
    this.terminated = true;
  }

  protected parse(text: string): unknown {
    return this.#decoder.parse ? this.#decoder.parse(text) : parseEvent(text);
  }

  protected decode(value: unknown, out: ResponseEvent[]): void {
    if (value === undefined) return;
    if (!this.#parsed) {
      this.#parsed = true;
      const error = this.#codec.errorIn(value);
      if (error) throw error;
    }
    if (this.gathers) this.#decoder.take?.(value);
    else this.#tell(this.#decoder.push(value), out);
  }

  protected find(bytes: Uint8Array, view: DataView, at: number): FoundFrames | undefined {
    return this.#decoder.find?.(bytes, view, at);
  }

  /** Tells what the values led to that were taken so far. */
  protected tellGathered(out: ResponseEvent[]): void {
    if (this.gathers && !this.terminated) this.#tell(this.#decoder.drain?.() ?? [], out);
  }

  #tell(events: readonly ResponseEvent[], out: ResponseEvent[]): void {
    for (let at = 0; at < events.length; at += 1) out.push(events[at]!);
    if (events.length === 0) return;
    this.started = true;
    this.terminated = isTerminal(events[events.length - 1]!);
  }
}

/** Where the frame at a position ends that lines with line feeds make, or where the bytes end. */
function frameEnd(bytes: Uint8Array, from: number): number {
  let end = bytes.indexOf(lf, from);
  while (end !== -1 && bytes[end + 1] !== lf) end = bytes.indexOf(lf, end + 1);
  return end === -1 ? bytes.length : end + 2;
}

const lf = 10;

/** How a stream is read. */
export interface StreamOptions extends SseOptions {
  /** Whether the first events are given before those that came with them are read. */
  eager?: boolean | undefined;
}

/** Reads server-sent events. */
export class EventReader extends StreamReader implements AnswerReader {
  readonly #parser: SseParser;
  readonly #opening = new Opening();
  readonly #first: FirstBytes;
  readonly #limit: number;

  constructor(codec: Codec, ctx: Ctx, { eager, ...options }: StreamOptions) {
    super(codec, ctx);
    this.#limit = options.maxEventBytes ?? defaultLimit;
    this.#parser = new SseParser(options);
    this.#first = new FirstBytes(eager);
  }

  get hasMore(): boolean {
    return this.#first.hasRest && !this.terminated && !this.error;
  }

  push(bytes: Uint8Array): ResponseEvent[] {
    const out = this.more();
    this.#read(this.#first.of(bytes), out);
    while (!this.#hasWord(out) && this.hasMore) this.#read(this.#first.rest()!, out);
    return out;
  }

  more(): ResponseEvent[] {
    const rest = this.#first.rest();
    return rest ? this.#read(rest, []) : [];
  }

  #hasWord(out: readonly ResponseEvent[]): boolean {
    if (this.#first.waits && out.some(isOutput)) this.#first.come();
    return !this.#first.waits;
  }

  end(): ResponseEvent[] {
    const out = this.more();
    if (this.error) return out;
    try {
      for (const data of this.#parser.end()) {
        this.#opening.framed = true;
        if (isEndMark(data)) this.finish(out, true);
        // The last event of a stream that was cut off may be incomplete: the decoder reports the truncation.
        else this.decode(parseIntact(data), out);
      }
      this.tellGathered(out);
      if (!this.started) throw this.#opening.nothing();
      this.finish(out);
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return out;
  }

  #read(bytes: Uint8Array, out: ResponseEvent[]): ResponseEvent[] {
    if (this.error) return out;
    try {
      // What is no longer than an event may be holds none that is: otherwise each is measured.
      if (this.gathers && bytes.length <= this.#limit) this.#gather(bytes, out);
      else this.#parse(bytes, out);
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    this.tellGathered(out);
    return out;
  }

  #parse(bytes: Uint8Array, out: ResponseEvent[]): void {
    const frames = this.#parser.push(bytes);
    this.#opening.see(frames.length > 0, bytes);
    for (let at = 0; at < frames.length && !this.terminated; at += 1) this.#take(frames[at]!, out);
  }

  /** The same where frames may be taken as they are: all that lies between such is parsed in one go. */
  #gather(bytes: Uint8Array, out: ResponseEvent[]): void {
    const view = viewOf(bytes);
    let from = 0;
    let at = this.#parser.isBetween ? 0 : frameEnd(bytes, 0);
    while (at < bytes.length) {
      const found = this.find(bytes, view, at);
      if (found && from < at) this.#parse(bytes.subarray(from, at), out);
      if (found) from = found.take() ? found.end : at;
      at = found?.end ?? frameEnd(bytes, at);
    }
    if (from < bytes.length) this.#parse(from === 0 ? bytes : bytes.subarray(from), out);
  }

  #take(data: string, out: ResponseEvent[]): void {
    if (isEndMark(data)) this.finish(out, true);
    else if (data !== "") this.decode(this.parse(data), out);
  }
}

/** Reads events that come as values, one message each. */
export class ValueReader extends StreamReader implements AnswerReader {
  push(values: readonly unknown[]): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    try {
      for (let at = 0; at < values.length && !this.terminated; at += 1) this.decode(values[at], out);
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return out;
  }

  end(): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    if (this.started) this.finish(out);
    else this.error = new AntiphonError("TRUNCATED", "The server ended the stream without sending an event.");
    return out;
  }
}

const largestAnswer = 64 * 1024 * 1024;

/** The events that tell a response; `body` is what it was read from. */
type Tell = (response: ResponseResource, body: Uint8Array) => ResponseEvent[];

/** Reads an answer that is one JSON value, as servers give it that do not stream. */
export class JsonReader implements AnswerReader {
  error: AntiphonError | undefined;
  started = false;
  readonly repairs: Repair[] = [];
  readonly #codec: Codec;
  readonly #ctx: Ctx;
  readonly #tell: Tell;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(codec: Codec, ctx: Ctx, tell: Tell = expand) {
    this.#codec = codec;
    this.#ctx = ctx;
    this.#tell = tell;
  }

  push(bytes: Uint8Array): ResponseEvent[] {
    this.#length += bytes.length;
    if (this.#length > largestAnswer)
      this.error = new AntiphonError("PROTOCOL", `The response is larger than ${largestAnswer} bytes.`);
    else this.#pieces.push(bytes);
    return [];
  }

  end(): ResponseEvent[] {
    try {
      // Decoding all at once is several times faster than piece by piece.
      const body = joined(this.#pieces, this.#length);
      const value = parseJson(decoder.decode(body));
      const error = this.#codec.errorIn(value);
      if (error) throw error;
      const events = this.#tell(this.#codec.decodeResponse(this.#ctx, value), body);
      this.started = true;
      return events;
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
      return [];
    }
  }

  fail(): ResponseEvent[] {
    return [];
  }
}

const decoder = new TextDecoder();

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Parses the JSON of a whole body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", `The server sent invalid JSON: ${excerpt(text)}`, { cause });
  }
}

import type { Codec, Ctx, Decoder } from "../codecs/codec.ts";
import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { expand } from "../core/expand.ts";
import type { Repair } from "../core/loss.ts";
import type { Machine } from "../core/machine.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";
import { SseParser, type Frame, type SseOptions } from "./sse.ts";
import type { Chunk } from "./upstream.ts";

/** Turns an answer into events. */
export interface AnswerReader extends Machine<Chunk, ResponseEvent> {
  /** What went wrong behind the events that `push` or `end` returned last. */
  readonly error: AntiphonError | undefined;
  /** Whether an event came out. From then on failures are events too. */
  readonly started: boolean;
  readonly repairs: Repair[];
  /** Closes what is open and ends with one terminal event. */
  fail(error: AntiphonError): ResponseEvent[];
}

const excerptLength = 200;
const excerpt = (text: string): string => text.trim().slice(0, excerptLength);

/** What all readers of streams share: values go through the wire's decoder until a terminal event comes out. */
class StreamReader {
  error: AntiphonError | undefined;
  started = false;
  protected terminated = false;
  readonly #codec: Codec;
  readonly #decoder: Decoder;
  #parsed = false;

  constructor(codec: Codec, ctx: Ctx) {
    this.#codec = codec;
    this.#decoder = codec.createDecoder(ctx);
  }

  get repairs(): Repair[] {
    return this.#decoder.repairs;
  }

  fail(error: AntiphonError): ResponseEvent[] {
    return this.terminated ? [] : this.#decoder.fail(error);
  }

  /** The server says that this was all; some keep the connection open all the same. */
  protected finish(out: ResponseEvent[]): void {
    if (!this.started || this.terminated) return;
    out.push(...this.#decoder.end());
    this.terminated = true;
  }

  protected decode(value: unknown, out: ResponseEvent[]): void {
    if (value === undefined) return;
    if (!this.#parsed) {
      this.#parsed = true;
      const error = this.#codec.errorIn(value);
      if (error) throw error;
    }
    const events = this.#decoder.push(value);
    for (let at = 0; at < events.length; at += 1) out.push(events[at]!);
    if (events.length === 0) return;
    this.started = true;
    this.terminated = isTerminal(events[events.length - 1]!);
  }
}

/** Reads server-sent events. */
export class EventReader extends StreamReader implements AnswerReader {
  readonly #parser: SseParser;
  #framed = false;
  /** The beginning of a body in which no event was found yet. */
  #opening = "";

  constructor(codec: Codec, ctx: Ctx, options: SseOptions) {
    super(codec, ctx);
    this.#parser = new SseParser(options);
  }

  push(bytes: Uint8Array): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    try {
      const frames = this.#parser.push(bytes);
      if (frames.length > 0) this.#framed = true;
      else if (!this.#framed) this.#sniff(bytes);
      for (let at = 0; at < frames.length && !this.terminated; at += 1) this.#take(frames[at]!, out);
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return out;
  }

  end(): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    try {
      for (const frame of this.#parser.end()) {
        this.#framed = true;
        this.decode(parseWhole(frame), out);
      }
      if (!this.started) throw this.#nothing();
      this.finish(out);
    } catch (thrown) {
      this.error = toAntiphonError(thrown, "PROTOCOL");
    }
    return out;
  }

  #take(frame: Frame, out: ResponseEvent[]): void {
    if (frame.data === endMark) this.finish(out);
    else this.decode(parse(frame), out);
  }

  #sniff(bytes: Uint8Array): void {
    if (this.#opening.length < excerptLength)
      this.#opening += new TextDecoder().decode(bytes.subarray(0, excerptLength - this.#opening.length));
  }

  #nothing(): AntiphonError {
    const text = excerpt(this.#opening);
    const kind = text.startsWith("<") ? "a page" : /^[[{]/.test(text) ? "plain JSON" : undefined;
    return kind && !this.#framed
      ? new AntiphonError("PROTOCOL", `The server answered with ${kind} where events were expected: ${text}`)
      : new AntiphonError("TRUNCATED", "The server ended the stream without an event.");
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
    else this.error = new AntiphonError("TRUNCATED", "The server ended the stream without an event.");
    return out;
  }
}

/** What ends the streams of some wires. */
const endMark = "[DONE]";

/** A frame's JSON; nothing for one without data. */
function parse({ data }: Frame): unknown {
  return data === "" || data === endMark ? undefined : parseEvent(data);
}

/** Parses the JSON of one event. */
export function parseEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", `The server sent an event that is not JSON: ${excerpt(text)}`, { cause });
  }
}

/** The last frame of a stream that was cut off may be half of one: that is for the decoder to tell. */
function parseWhole(frame: Frame): unknown {
  try {
    return parse(frame);
  } catch {
    return undefined;
  }
}

const largestAnswer = 64 * 1024 * 1024;

/** Reads an answer that is one JSON value, as servers give it that do not stream. */
export class JsonReader implements AnswerReader {
  error: AntiphonError | undefined;
  started = false;
  readonly repairs: Repair[] = [];
  readonly #codec: Codec;
  readonly #ctx: Ctx;
  readonly #tell: (response: ResponseResource) => ResponseEvent[];
  readonly #decoder = new TextDecoder();
  #text = "";
  #left = largestAnswer;

  constructor(codec: Codec, ctx: Ctx, tell: (response: ResponseResource) => ResponseEvent[] = expand) {
    this.#codec = codec;
    this.#ctx = ctx;
    this.#tell = tell;
  }

  push(bytes: Uint8Array): ResponseEvent[] {
    this.#left -= bytes.length;
    if (this.#left < 0) this.error = new AntiphonError("PROTOCOL", `The answer is larger than ${largestAnswer} bytes.`);
    else this.#text += this.#decoder.decode(bytes, { stream: true });
    return [];
  }

  end(): ResponseEvent[] {
    try {
      const value = parseJson(this.#text + this.#decoder.decode());
      const error = this.#codec.errorIn(value);
      if (error) throw error;
      const events = this.#tell(this.#codec.decodeResponse(this.#ctx, value));
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

/** Parses the JSON of a whole body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", `The server sent JSON that cannot be read: ${excerpt(text)}`, { cause });
  }
}

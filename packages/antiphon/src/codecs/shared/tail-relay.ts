import type { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { isObject, isTerminal, type JsonObject } from "../../model/guards.ts";
import type { ResponseEvent, TerminalEvent, Usage } from "../../model/index.ts";
import type { Codec, Decoder, Relay } from "../codec.ts";
import { dataOf, isEndMark, parseEvent, valuesIn, Wire } from "./frames.ts";

/** What a wire tells a relay about its streams. */
export interface TailRules {
  decoder: Decoder;
  errorIn: Codec["errorIn"];
  /** Whether a frame may tell more than content; only those are parsed. */
  tells(frame: string): boolean;
  /** What the decoder should hear of a value: all that is not content. */
  bare(value: JsonObject): unknown;
  /** How the frame begins that ends a stream. */
  last: string;
  /** How last frames begin that clients are not shown: what these tell lies in the terminal event. */
  hidden: readonly string[];
  /** Whether one of the last frames is one that the client did not ask for. */
  unasked?(frame: string): boolean;
}

/** The end of a stream is told by no more frames than these. */
const tailFrames = 8;
/** What tells a frame that ends a stream from others is no longer than this. */
const longestHead = 40;
const lf = 10;

/**
 * Passes a stream on as it came. Where events have no numbers, no more needs to be read than the first frame, which tells who
 * answers, and the last ones, which tell how it ended and what it took.
 */
export class TailRelay implements Relay {
  readonly #rules: TailRules;
  #begun = false;
  #ended = false;
  /** The newest pieces, as many as hold the last frames. */
  #tail: Uint8Array[] = [];
  /** All that came, in bytes. */
  #length = 0;

  constructor(rules: TailRules) {
    this.#rules = rules;
  }

  get repairs(): Repair[] {
    return this.#rules.decoder.repairs;
  }

  read(bytes: Uint8Array, textOf: (from: number, to: number) => string, out: ResponseEvent[]): void {
    if (this.#ended) return;
    this.#length += bytes.length;
    const begin = this.#begun ? 0 : this.#begin(bytes, out);
    const { last, hidden, unasked } = this.#rules;
    const from = this.#keep(bytes, begin);
    const at = lastFrame(bytes, bytes.length);
    const ending = textOf(at, at + longestHead);
    const isHidden = hidden.some((head) => ending.startsWith(head));
    const end = isHidden ? at : bytes.length;
    this.#pass(bytes, unasked ? framesIn(bytes, from, end).filter(([one, next]) => unasked(textOf(one, next))) : [], end, out);
    const isMarked = ending.startsWith(last);
    if (isHidden || isMarked) out.push(...this.#close((decoder) => decoder.end(isMarked)));
  }

  end(): ResponseEvent[] {
    return this.#close((decoder) => decoder.end());
  }

  fail(error: AntiphonError): ResponseEvent[] {
    return this.#close((decoder) => decoder.fail(error));
  }

  /** Reads the first frame, and says where it ends. */
  #begin(bytes: Uint8Array, out: ResponseEvent[]): number {
    const next = nextFrame(bytes, 0);
    const data = dataOf(bytes.subarray(0, next - 2));
    const value = data === undefined || isEndMark(data) ? undefined : parseEvent(data);
    const error = this.#rules.errorIn(value);
    if (error) throw error;
    this.#begun = true;
    // What else there is to be told lies in the frames.
    out.push(...this.#tell(value).filter((event) => "response" in event));
    return next;
  }

  #tell(value: unknown): ResponseEvent[] {
    const told = isObject(value) ? this.#rules.bare(value) : undefined;
    return told === undefined ? [] : this.#rules.decoder.push(told);
  }

  /** Keeps the last frames, and says where they begin. */
  #keep(bytes: Uint8Array, begin: number): number {
    let from = bytes.length;
    let frames = 0;
    for (; from > begin && frames < tailFrames; frames += 1) from = lastFrame(bytes, from);
    if (frames === tailFrames) this.#tail = [];
    else if (this.#tail.length === tailFrames) this.#tail.shift();
    if (frames > 0) this.#tail.push(bytes.subarray(from));
    return from;
  }

  /** Passes all up to the end but some frames. */
  #pass(bytes: Uint8Array, but: readonly Frame[], end: number, out: ResponseEvent[]): void {
    let from = 0;
    for (const [at, next] of but) {
      if (from < at) out.push(new Wire(1, bytes.subarray(from, at)));
      from = next;
    }
    if (from < end) out.push(new Wire(1, bytes.subarray(from, end)));
  }

  /** Of what is told in the end, the terminal event is all that is not in the frames. */
  #close(finish: (decoder: Decoder) => ResponseEvent[]): ResponseEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    const { decoder, tells } = this.#rules;
    const told = this.#tail.flatMap((bytes) => valuesIn(bytes, tells)).flatMap((value) => this.#tell(value));
    const ends = (told.some(isTerminal) ? told : told.concat(finish(decoder))).filter(isTerminal);
    const guessed = ends.map((end) => (end.response.usage?.estimated ? this.#guess(end, end.response.usage) : end));
    this.#tail = [];
    return guessed;
  }

  /** The end of an answer of which nobody read a word and the server counted none: a frame holds about a token. */
  #guess(end: TerminalEvent, usage: Usage): TerminalEvent {
    const bytes = this.#tail.reduce((sum, { length }) => sum + length, 0);
    const frames = this.#tail.reduce((sum, piece) => sum + framesIn(piece, 0, piece.length).length, 0);
    const output_tokens = Math.round((this.#length * frames) / Math.max(1, bytes));
    const counted = { ...usage, output_tokens, total_tokens: usage.input_tokens + output_tokens };
    return { ...end, response: { ...end.response, usage: counted } };
  }
}

/** Where a frame begins, and the next one. */
type Frame = readonly [at: number, next: number];

function framesIn(bytes: Uint8Array, from: number, end: number): Frame[] {
  const frames: Frame[] = [];
  for (let at = from; at < end; at = frames.at(-1)![1]) frames.push([at, nextFrame(bytes, at)]);
  return frames;
}

/** Where the frame ends that begins at a position, with its empty line. */
function nextFrame(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(lf, from);
  while (at !== -1 && bytes[at + 1] !== lf) at = bytes.indexOf(lf, at + 1);
  return at === -1 ? bytes.length : at + 2;
}

/** Where the frame begins that ends at a position. */
function lastFrame(bytes: Uint8Array, end: number): number {
  let at = end < 3 ? -1 : bytes.lastIndexOf(lf, end - 3);
  while (at > 0 && bytes[at - 1] !== lf) at = bytes.lastIndexOf(lf, at - 1);
  return at <= 0 ? 0 : at + 1;
}

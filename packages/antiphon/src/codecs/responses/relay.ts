import type { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { terminalAt } from "../../core/seen-events.ts";
import { isObject, isStandardEvent, type JsonObject } from "../../model/guards.ts";
import type { ResponseEvent } from "../../model/index.ts";
import type { Ctx, Relay } from "../codec.ts";
import { dataOf, isEndMark, parseEvent, valuesIn, Wire } from "../shared/frames.ts";
import { viewOf } from "../shared/words.ts";
import { completeItem, completeResponse } from "./complete.ts";
import { errorIn } from "./decode-error.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { asksForHosted } from "./hosted-names.ts";
import { endOf, numberIn, passing, Run, type Passing } from "./passing.ts";

/** More unread text than this is read after all: what it folds to takes far less room. */
const mostUnread = 1024 * 1024;

/**
 * Passes on as it came what means the same to all clients of the wire, and decodes the rest: the terminal event, above all. Made for
 * servers that keep to the rules: as soon as one breaks the numbering, or forgets what clients count on, all that follows is decoded.
 * What passed is kept until the end, so that a decoder can catch up where it has to: then it is as if nothing had passed.
 */
export class StreamRelay implements Relay {
  readonly dropsComments = true;
  readonly #ctx: Ctx;
  readonly #hosted: boolean;
  /** Made for the first event that cannot be told without those before it; most streams have none. */
  #decoder: StreamDecoder | undefined;
  #unread: Uint8Array[] = [];
  #size = 0;
  #skipped = 0;
  /** The number of the last frame. */
  #number = -1;
  /** How many items were begun, and how many ended. */
  readonly #items = { added: 0, done: 0 };
  #begun = false;
  #ended = false;
  #relaying = true;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#hosted = asksForHosted(ctx.request);
  }

  get repairs(): Repair[] {
    return this.#decoder?.repairs ?? [];
  }

  read(bytes: Uint8Array, textOf: (from: number, to: number) => string, out: ResponseEvent[]): void {
    let begin = 0;
    let frames = 0;
    // Of one read only: the first frame of the next is looked at more closely again.
    let run: Run | undefined;
    const view = viewOf(bytes);
    for (let at = 0, end: number; at < bytes.length && !this.#ended; at = end + 2) {
      end = run?.endOf(bytes, view, at, this.#number + 1) ?? -1;
      if (end !== -1) {
        this.#number += 1;
        frames += 1;
        continue;
      }
      end = endOf(bytes, at);
      const kind = this.#relaying ? passing(bytes, at, end, textOf) : undefined;
      const passes = kind !== undefined && this.#follows(kind, bytes, at + kind.head.length, end);
      if (passes && kind.opens === undefined) {
        run = new Run(kind, end - at);
        if (kind.item) this.#items[kind.item] += 1;
        frames += 1;
        continue;
      }
      run = undefined;
      if (frames > 0) this.#pass(bytes.subarray(begin, at), frames, out);
      begin = end + 2;
      frames = 0;
      if (passes) this.#pass(bytes.subarray(at, begin), 1, out, true);
      else this.#tell(bytes.subarray(at, end), out);
    }
    if (frames > 0) this.#pass(bytes.subarray(begin), frames, out);
  }

  end(): ResponseEvent[] {
    return this.#caughtUp().end();
  }

  fail(error: AntiphonError): ResponseEvent[] {
    return this.#caughtUp().fail(error);
  }

  /** Whether a frame bears the next number, and is at its place; where it does not, nothing passes any more. */
  #follows({ opens }: Passing, bytes: Uint8Array, from: number, end: number): boolean {
    const number = this.#number + 1;
    const isPlaced = opens === undefined ? this.#begun : opens === number;
    if (isPlaced && numberIn(bytes, from, end) === number) this.#number = number;
    else this.#relaying = false;
    if (opens === 0) this.#begun = this.#relaying;
    return this.#relaying;
  }

  #pass(bytes: Uint8Array, frames: number, out: ResponseEvent[], opens = false): void {
    out.push(new Wire(this.#number, bytes, frames, opens));
    this.#unread.push(bytes);
    this.#skipped += frames;
    this.#size += bytes.length;
    if (this.#size > mostUnread) this.#caughtUp();
  }

  #tell(frame: Uint8Array, out: ResponseEvent[]): void {
    const data = dataOf(frame);
    if (!data) return;
    if (!isEndMark(data)) return this.#decode(parseEvent(data), out);
    if (!this.#begun) return;
    out.push(...this.end());
    this.#ended = true;
  }

  #decode(value: unknown, out: ResponseEvent[]): void {
    if (!this.#begun) {
      const error = errorIn(value);
      if (error) throw error;
      this.#begun = true;
    }
    const event = isObject(value) ? value : {};
    this.#number += 1;
    if (event["sequence_number"] !== this.#number) this.#relaying = false;
    const events = this.#isWholeEnd(event) ? this.#finish(event) : this.#caughtUp().push(value);
    for (const told of events) {
      this.#count(told);
      out.push(told);
    }
    // Clients that did not ask for such events never see them, and so the numbers of all that follows change.
    if (!this.#hosted && !events.every(isStandardEvent)) this.#relaying = false;
    this.#ended = terminalAt(events) !== -1;
    if (this.#ended) this.#forget();
  }

  #count({ type }: ResponseEvent): void {
    if (type === "response.output_item.added") this.#items.added += 1;
    else if (type === "response.output_item.done") this.#items.done += 1;
  }

  /** Whether an event ends a stream without loose ends: it tells all that passed once more. */
  #isWholeEnd({ type, response }: JsonObject): boolean {
    if (type !== "response.completed" || !this.#relaying || this.#unread.length === 0 || !isObject(response)) return false;
    const { added, done } = this.#items;
    const { output, status } = response;
    return status === "completed" && added === done && Array.isArray(output) && output.length === done && output.every(isObject);
  }

  /** Tells such an end without having read what passed. */
  #finish(event: JsonObject): ResponseEvent[] {
    if (this.#decoder) {
      this.#decoder.skip(this.#skipped);
      return this.#decoder.push(event);
    }
    const report = (rule: string): void => this.#reader.report(rule);
    const response = completeResponse(event["response"], this.#ctx, report);
    for (const item of response.output) completeItem(item as unknown as JsonObject, this.#ctx, report);
    event["response"] = response;
    // Its type was looked at, and its response has all fields now.
    return [event as unknown as ResponseEvent];
  }

  get #reader(): StreamDecoder {
    return (this.#decoder ??= new StreamDecoder(this.#ctx));
  }

  /** Reads what passed, which was told already; gives who has read it. */
  #caughtUp(): StreamDecoder {
    const reader = this.#reader;
    for (const bytes of this.#unread) for (const value of valuesIn(bytes)) if (value !== undefined) reader.push(value);
    this.#forget();
    return reader;
  }

  #forget(): void {
    this.#unread = [];
    this.#size = 0;
    this.#skipped = 0;
  }
}

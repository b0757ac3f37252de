import type { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { terminalAt } from "../../core/seen-events.ts";
import { isObject, isStandardEvent, type JsonObject } from "../../model/guards.ts";
import type { ResponseEvent } from "../../model/index.ts";
import type { Ctx, Relay } from "../codec.ts";
import { dataOf, endMark, parseEvent, valuesIn, Wire } from "../shared/frames.ts";
import { errorIn } from "./decode-error.ts";
import { StreamDecoder } from "./decode-stream.ts";
import { asksForHosted } from "./hosted-names.ts";
import { endOf, numberIn, passing, Run } from "./passing.ts";
import { SameResponse } from "./same-response.ts";

/** More unread text than this is read after all: what it folds to takes far less room. */
const mostUnread = 1024 * 1024;

/**
 * Passes on as it came what means the same to all clients of the wire, and decodes the rest: the events that carry the response, above
 * all. Made for servers that keep to the rules: as soon as one breaks the numbering, or forgets what clients count on, all that follows
 * is decoded. What passed is kept until the end, so that the decoder can catch up where it has to: then it is as if nothing had passed.
 */
export class StreamRelay implements Relay {
  readonly dropsComments = true;
  readonly #decoder: StreamDecoder;
  readonly #hosted: boolean;
  /** Until the first frame passes. */
  #opening: SameResponse | undefined = new SameResponse();
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
    this.#decoder = new StreamDecoder(ctx);
    this.#hosted = asksForHosted(ctx.request);
  }

  get repairs(): Repair[] {
    return this.#decoder.repairs;
  }

  read(bytes: Uint8Array, textOf: (from: number, to: number) => string, out: ResponseEvent[]): void {
    let begin = 0;
    let frames = 0;
    // Of one read only: the first frame of the next is looked at more closely again.
    let run: Run | undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0, end: number; at < bytes.length && !this.#ended; at = end + 2) {
      end = run?.endOf(bytes, view, at, this.#number + 1) ?? -1;
      if (end !== -1) {
        this.#number += 1;
        frames += 1;
        continue;
      }
      end = endOf(bytes, at);
      const kind = this.#relaying ? passing(bytes, at, end, textOf) : undefined;
      if (kind && this.#follows(bytes, at + kind.head.length, end)) {
        run = new Run(kind, end - at);
        if (kind.item) this.#items[kind.item] += 1;
        frames += 1;
        continue;
      }
      run = undefined;
      if (frames > 0) this.#pass(bytes.subarray(begin, at), frames, out);
      begin = end + 2;
      frames = 0;
      this.#tell(bytes.subarray(at, end), out);
    }
    if (frames > 0) this.#pass(bytes.subarray(begin), frames, out);
  }

  end(): ResponseEvent[] {
    this.#catchUp();
    return this.#decoder.end();
  }

  fail(error: AntiphonError): ResponseEvent[] {
    this.#catchUp();
    return this.#decoder.fail(error);
  }

  /** Whether a frame bears the next number; where it does not, nothing passes any more. */
  #follows(bytes: Uint8Array, from: number, end: number): boolean {
    if (!this.#begun || numberIn(bytes, from, end) !== this.#number + 1) this.#relaying = false;
    else this.#number += 1;
    return this.#relaying;
  }

  #pass(bytes: Uint8Array, frames: number, out: ResponseEvent[]): void {
    out.push(new Wire(this.#number, bytes, frames));
    this.#opening = undefined;
    this.#unread.push(bytes);
    this.#skipped += frames;
    this.#size += bytes.length;
    if (this.#size > mostUnread) this.#catchUp();
  }

  #tell(frame: Uint8Array, out: ResponseEvent[]): void {
    const data = dataOf(frame);
    if (data === endMark && this.#begun) {
      out.push(...this.end());
      this.#ended = true;
    } else if (data && data !== endMark) this.#decode(this.#opening?.parse(data) ?? parseEvent(data), out);
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
    if (this.#unread.length > 0) this.#join(event);
    const events = this.#decoder.push(value);
    for (const told of events) {
      this.#count(told);
      out.push(told);
    }
    // What was put right would not be told a second time.
    if (this.repairs.length > 0) this.#opening = undefined;
    // Clients that did not ask for such events never see them, and so the numbers of all that follows change.
    if (!this.#hosted && !events.every(isStandardEvent)) this.#relaying = false;
    this.#ended = terminalAt(events) !== -1;
    if (this.#ended) this.#forget();
  }

  #count({ type }: ResponseEvent): void {
    if (type === "response.output_item.added") this.#items.added += 1;
    else if (type === "response.output_item.done") this.#items.done += 1;
  }

  /** Gets the decoder ready for an event: the end of a stream without loose ends needs nothing of what passed. */
  #join({ type, response }: JsonObject): void {
    const { added, done } = this.#items;
    const output = isObject(response) ? response["output"] : undefined;
    const closed = added === done && Array.isArray(output) && output.length === done;
    if (type === "response.completed" && closed && this.#relaying) this.#decoder.skip(this.#skipped);
    else this.#catchUp();
  }

  /** Reads what passed; it was told already. */
  #catchUp(): void {
    for (const bytes of this.#unread) for (const value of valuesIn(bytes)) if (value !== undefined) this.#decoder.push(value);
    this.#forget();
  }

  #forget(): void {
    this.#unread = [];
    this.#size = 0;
    this.#skipped = 0;
  }
}

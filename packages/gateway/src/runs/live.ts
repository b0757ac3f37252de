import {
  AntiphonError,
  isRun,
  isTerminal,
  isWire,
  Stop,
  type Loss,
  type ResponseEvent,
  type ResponseResource,
  type StopSignal,
  type TerminalEvent,
} from "antiphon";
import { carriesResponse } from "./present.ts";
import { Reel } from "./reel.ts";
import { eventsIn } from "./unwire.ts";

/** What a run is told at its start. */
export interface LiveOptions {
  id: string;
  owner: string;
  response: ResponseResource;
  /** How much of the log is kept for readers that come late, in bytes; beyond it, and with `0`, only what somebody has still to read. */
  maxLogBytes: number;
  /** How far a reader may fall behind before it is cut off, in bytes. */
  maxBacklogBytes: number;
}

/**
 * One running response: a log of events, and any number of readers that each read it at their own pace. A reader that is slow holds up
 * neither the run nor the others.
 */
export class Live {
  readonly id: string;
  readonly owner: string;
  /** What of the request the model was not sent. Complete before the first event of the answer. */
  readonly losses: Loss[] = [];
  readonly #stop = new Stop();
  #maxLog: number;
  readonly #maxBacklog: number;
  /** Batches from `#first` on; earlier ones are on the reel, or forgotten. */
  #batches: Weighed[] = [];
  #first = 0;
  #bytes = 0;
  /** The batches before `#recorded`, as the frames that a client was told. */
  #reel: Reel | undefined;
  #recorded = 0;
  readonly #readers = new Set<Reader>();
  #response: ResponseResource;
  #last: TerminalEvent | undefined;
  #ended = false;
  #failure: AntiphonError | undefined;

  constructor({ id, owner, response, maxLogBytes, maxBacklogBytes }: LiveOptions) {
    this.id = id;
    this.owner = owner;
    this.#response = response;
    this.#maxLog = maxLogBytes;
    this.#maxBacklog = maxBacklogBytes;
  }

  /** The response as far as it was told; its output is filled in at the end. */
  get response(): ResponseResource {
    return this.#response;
  }

  /** The event that it ended with, if it did. */
  get last(): TerminalEvent | undefined {
    return this.#last;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What is thrown to the readers at the end, if anything is. */
  get failure(): AntiphonError | undefined {
    return this.#failure;
  }

  /** Whether nothing was told yet. */
  get isBlank(): boolean {
    return this.#bytes === 0;
  }

  /** Whether the log still begins with the first event. */
  get isWhole(): boolean {
    return this.#first === 0 || this.#reel !== undefined;
  }

  /** Fires when the run is to stop. */
  get signal(): StopSignal {
    return this.#stop;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** @param carries Whether there may be an event that carries the response. */
  push(events: ResponseEvent[], carries = true): void {
    const last = carries ? events.findLast(carriesResponse) : undefined;
    if (last) this.#response = last.response;
    this.#batches.push({ events, before: this.#bytes });
    this.#bytes += weightOf(events);
    for (const reader of this.#readers) reader.wake();
    if (last && isTerminal(last)) {
      this.#last = last;
      this.end();
    }
    this.#trim();
  }

  /** Says that nothing more comes; `failure` is thrown to the readers. */
  end(failure?: AntiphonError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    for (const reader of this.#readers) reader.wake();
  }

  /** The frames that a client was told, where that was recorded. */
  get told(): readonly Uint8Array[] {
    return this.#reel?.frames ?? [];
  }

  /**
   * Nobody comes any more: what all have read is forgotten. A log that outlives its run, if only as garbage, holds on to all of its
   * events.
   */
  close(): void {
    this.#reel = undefined;
    this.#maxLog = 0;
    this.#trim();
  }

  /** The batches that are not on the reel, without waiting for more. */
  log(): (readonly ResponseEvent[])[] {
    const begin = Math.max(0, this.#recorded - this.#first);
    return begin < this.#batches.length ? this.#batches.slice(begin).map(({ events }) => events) : none;
  }

  /** Reads batches from the beginning of what is kept. */
  read(): Reader {
    const earlier = this.#recorded > 0 && this.#reel ? eventsIn(Buffer.concat(this.told).toString()) : undefined;
    const reader = new Reader(this, Math.max(this.#first, this.#recorded), earlier);
    this.#readers.add(reader);
    return reader;
  }

  /** A reader leaves. */
  leave(reader: Reader): void {
    this.#readers.delete(reader);
    this.#trim();
  }

  /**
   * Records what the client of a reader is told, which must have read from the first batch on: batches that were told need not be held
   * any more, and bytes are far cheaper to hold than they.
   */
  record(reader: Reader): Tape {
    this.#reel = new Reel();
    return new Recording(this, reader);
  }

  /** Adds frames to what is recorded. */
  recordFrames(frames: Uint8Array): void {
    this.#reel?.add(frames);
  }

  /** All batches before a position are recorded. */
  recordedTo(position: number): void {
    if (this.#reel) this.#recorded = position;
    this.#trim();
  }

  /** The batch at a position; nothing where it has not come yet. */
  at(index: number): ResponseEvent[] | undefined {
    const batch = this.#batches[index - this.#first];
    if (index < this.#first || (batch && this.#bytes - batch.before > this.#maxBacklog && !this.#keeps()))
      throw new AntiphonError("SERVER_OVERLOADED", "The client read the stream too slowly.");
    return batch?.events;
  }

  #keeps(): boolean {
    return this.#bytes <= this.#maxLog;
  }

  /** Forgets what is on the reel, or where the log as a whole is not to be kept, what everybody has read, and readers that are too slow. */
  #trim(): void {
    const keeps = this.#keeps();
    if (!keeps) this.#reel = undefined;
    let least = keeps ? this.#recorded : this.#first + this.#batches.length;
    for (const { position } of this.#readers) {
      const next = this.#batches[position - this.#first];
      if (next && (keeps || this.#bytes - next.before <= this.#maxBacklog)) least = Math.min(least, position);
    }
    if (least <= this.#first) return;
    this.#batches.splice(0, least - this.#first);
    this.#first = least;
  }
}

/** Where it is written down what a client is told. */
export interface Tape {
  write(frames: Uint8Array): void;
  /** All batches that were read so far were told. */
  told(): void;
}

class Recording implements Tape {
  readonly #live: Live;
  readonly #reader: Reader;

  constructor(live: Live, reader: Reader) {
    this.#live = live;
    this.#reader = reader;
  }

  write(frames: Uint8Array): void {
    this.#live.recordFrames(frames);
  }

  told(): void {
    this.#live.recordedTo(this.#reader.position);
  }
}

interface Weighed {
  events: ResponseEvent[];
  /** Bytes of the log before it. */
  before: number;
}

const none: ResponseEvent[][] = [];
const eventBytes = 120;

/** How long the text of an event is; most are deltas, so that is asked first. */
function textOf(event: ResponseEvent): number {
  const { delta } = event as { delta?: unknown };
  if (typeof delta === "string") return delta.length;
  if (isWire(event)) return event.bytes.length;
  if (isRun(event)) return event.size + (event.sequence_number - event.first.sequence_number) * eventBytes;
  const { text } = event as { text?: unknown };
  return typeof text === "string" ? text.length : 0;
}

/** What events take up, more or less: their text is most of it. */
export function weightOf(events: readonly ResponseEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += eventBytes + textOf(event);
  return bytes;
}

const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/** One reader's place in the log. */
export class Reader implements AsyncIterableIterator<ResponseEvent[]> {
  readonly #live: Live;
  #position: number;
  /** What was told before. */
  #earlier: ResponseEvent[] | undefined;
  #wake: (() => void) | undefined;
  #left = false;

  constructor(live: Live, position: number, earlier: ResponseEvent[] | undefined) {
    this.#live = live;
    this.#position = position;
    this.#earlier = earlier;
  }

  get position(): number {
    return this.#position;
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    while (!this.#left) {
      const earlier = this.#earlier;
      if (earlier) {
        this.#earlier = undefined;
        return { done: false, value: earlier };
      }
      const batch = this.#live.at(this.#position);
      if (batch) {
        this.#position += 1;
        return { done: false, value: batch };
      }
      if (this.#live.ended) {
        const { failure } = this.#live;
        this.#leave();
        if (failure) throw failure;
        break;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return over;
  }

  return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#leave();
    return Promise.resolve(over);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#live.leave(this);
    this.wake();
  }
}

import type { ResponseEvent } from "../model/index.ts";
import { Reducer } from "./reduce.ts";
import { pieceTypes } from "./runs.ts";

/**
 * The events of a stream, kept for whoever wants them later. Of the pieces of a text only the text is kept, and the events are made
 * again when they are read: kept as they came, they are most of what a long answer costs in memory and garbage collection.
 */
export class EventRecord {
  readonly #entries: (ResponseEvent | Run)[] = [];
  /** How many events come before each entry. */
  readonly #starts: number[] = [];
  #length = 0;
  #run: Run | undefined;

  /** How many events there are. */
  get length(): number {
    return this.#length;
  }

  add(batch: readonly ResponseEvent[]): void {
    for (const event of batch) {
      if (this.#run === undefined || !this.#run.take(event)) this.#begin(event);
      this.#length += 1;
    }
  }

  /** Events from a place on, as many as come at once; none where nothing is there yet. */
  from(place: number): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    for (let at = this.#entryAt(place); at < this.#entries.length; at += 1) {
      const entry = this.#entries[at]!;
      if (entry instanceof Run) return events.length > 0 ? events : entry.events(place - this.#starts[at]!);
      events.push(entry);
    }
    return events;
  }

  /** The number of the event that would come next; events out of band have none of their own. */
  get nextNumber(): number {
    const last = this.#entries.findLast((entry) => entry instanceof Run || !entry.type.includes(":"));
    if (last === undefined) return 0;
    return last instanceof Run ? last.nextNumber : last.sequence_number + 1;
  }

  /** All events but the pieces of texts. */
  *outline(): Generator<ResponseEvent> {
    for (const entry of this.#entries) if (!(entry instanceof Run)) yield entry;
  }

  /** What all of it comes to so far. */
  fold(): Reducer {
    const fold = new Reducer();
    for (const entry of this.#entries) fold.push(entry instanceof Run ? entry.joined : entry);
    return fold;
  }

  #begin(event: ResponseEvent): void {
    this.#run = isPiece(event) ? new Run(event) : undefined;
    this.#entries.push(this.#run ?? event);
    this.#starts.push(this.#length);
  }

  /** The last entry that begins at a place or before it; the end where nothing is there yet. */
  #entryAt(place: number): number {
    let end = this.#entries.length;
    if (place >= this.#length) return end;
    let found = 0;
    while (end - found > 1) {
      const middle = (found + end) >> 1;
      if (this.#starts[middle]! <= place) found = middle;
      else end = middle;
    }
    return found;
  }
}

/** A piece of a text. */
interface Piece {
  type: string;
  sequence_number: number;
  item_id: string;
  output_index: number;
  content_index?: number;
  summary_index?: number;
  delta: string;
  logprobs?: readonly unknown[];
}

/** Fields that the pieces of a text share, or that can be made again. `obfuscation` only hides on the wire how long a piece is. */
const plain: ReadonlySet<string> = new Set(
  "type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation".split(" "),
);

/** Whether an event is a piece of a text and no more. */
function isPiece(event: ResponseEvent): event is ResponseEvent & Piece {
  return pieceTypes.has(event.type) && Object.keys(event).every((field) => plain.has(field)) && isBare(event as Piece);
}

const isBare = ({ delta, logprobs }: Piece): boolean =>
  typeof delta === "string" && (logprobs === undefined || logprobs.length === 0);

/** What a reader gets at once, at most: it holds all of these events at the same time. */
const longest = 512;

/** Pieces of one text that came one after the other. */
class Run {
  readonly #first: Piece;
  readonly #fields: readonly string[];
  readonly #deltas: string[];

  constructor(first: ResponseEvent & Piece) {
    const { obfuscation: _, ...kept } = first as Piece & { obfuscation?: unknown };
    this.#first = kept;
    this.#fields = Object.keys(first);
    this.#deltas = [first.delta];
  }

  get nextNumber(): number {
    return this.#first.sequence_number + this.#deltas.length;
  }

  /** Adds an event if it is the next piece; says whether it was. */
  take(event: ResponseEvent): boolean {
    const first = this.#first;
    // Read leniently: what it is comes out below.
    const piece = event as Piece;
    const follows =
      piece.type === first.type &&
      piece.sequence_number === this.nextNumber &&
      piece.output_index === first.output_index &&
      piece.content_index === first.content_index &&
      piece.summary_index === first.summary_index &&
      piece.item_id === first.item_id &&
      isBare(piece);
    if (!follows || this.#deltas.length === longest || !this.#looksLike(piece)) return false;
    this.#deltas.push(piece.delta);
    return true;
  }

  #looksLike(piece: Piece): boolean {
    let at = 0;
    for (const field in piece) if (field !== this.#fields[at++]) return false;
    return at === this.#fields.length;
  }

  /** The events from one on. */
  events(from: number): ResponseEvent[] {
    return this.#deltas.slice(from).map((delta, index) => this.#piece(from + index, delta));
  }

  /** All pieces as one. */
  get joined(): ResponseEvent {
    return this.#piece(0, this.#deltas.join(""));
  }

  #piece(index: number, delta: string): ResponseEvent {
    const sequence_number = this.#first.sequence_number + index;
    // The fields are those of an event that was one.
    return { ...this.#first, sequence_number, delta } as ResponseEvent;
  }
}

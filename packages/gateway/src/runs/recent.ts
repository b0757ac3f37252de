import { isWire, unrun, type ResponseEvent } from "antiphon";
import { responsesServer } from "antiphon/codecs/responses";
import { Table } from "./table.ts";
import { eventsIn } from "./unwire.ts";

const longest = 60_000;
/** How much of them there is room for, in bytes. */
const mostRecent = 8 * 1024 * 1024;
/** So many that are gone may stand in the queue before it is shortened. */
const mostGone = 1_000;
const { encodeFrame } = responsesServer("openai");

type Frames = string | Uint8Array;

function lengthOf(frames: readonly Frames[]): number {
  let length = 0;
  for (const piece of frames) length += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return length;
}

/** Where a stream lies: its first byte, and the one behind its last, counted from the first that was ever written. */
interface Ended {
  id: string;
  from: number;
  to: number;
  until: number;
}

/**
 * Streams that ended a moment ago: whoever lost the connection can still read the rest. They lie in one block of memory as the frames
 * that they were told in, the newest in the place of the oldest: events that are kept for a while only to be thrown away are what
 * collecting garbage is dearest for.
 */
export class Recent {
  readonly #ended = new Table<Ended>();
  /** In the order in which they ended; those before `#first` are gone. */
  #queue: (Ended | undefined)[] = [];
  #first = 0;
  readonly #clock: () => number;
  #block: Buffer | undefined;
  /** How much was ever written; the block holds the last of it. */
  #written = 0;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Keeps the frames of a stream, and those behind them; one that is larger than the block is not kept. */
  add(id: string, frames: readonly Frames[], behind: readonly Frames[] = []): void {
    const length = lengthOf(frames) + lengthOf(behind);
    if (length > mostRecent) return;
    const from = this.#roomFor(length);
    this.#write(behind, this.#write(frames, from % mostRecent));
    this.#written = from + length;
    const ended = { id, from, to: this.#written, until: this.#clock() + longest };
    this.#ended.set(id, ended);
    this.#queue.push(ended);
    this.#sweep();
  }

  get(id: string): ResponseEvent[] | undefined {
    this.#sweep();
    const found = this.#ended.get(id);
    const start = (found?.from ?? 0) % mostRecent;
    return found && eventsIn(this.#block!.toString("utf8", start, start + found.to - found.from));
  }

  delete(id: string): void {
    this.#ended.delete(id);
  }

  /** Where the next bytes go: what does not fit behind the last begins at the front again. */
  #roomFor(length: number): number {
    const left = mostRecent - (this.#written % mostRecent);
    return length <= left ? this.#written : this.#written + left;
  }

  /** Gives where what was written ends. */
  #write(frames: readonly Frames[], start: number): number {
    const block = (this.#block ??= Buffer.allocUnsafeSlow(mostRecent));
    let at = start;
    for (const piece of frames) {
      if (typeof piece === "string") at += block.write(piece, at);
      else {
        block.set(piece, at);
        at += piece.length;
      }
    }
    return at;
  }

  /** Forgets what was written over, and what is too old. */
  #sweep(): void {
    const now = this.#clock();
    for (let oldest = this.#queue[this.#first]; oldest; oldest = this.#queue[this.#first]) {
      if (oldest.until > now && oldest.from + mostRecent >= this.#written) break;
      if (this.#ended.get(oldest.id) === oldest) this.delete(oldest.id);
      this.#queue[this.#first] = undefined;
      this.#first += 1;
    }
    if (this.#first < mostGone) return;
    this.#queue = this.#queue.slice(this.#first);
    this.#first = 0;
  }
}

/** The frames of events, as few pieces as can be. */
export function framesOf(batches: Iterable<readonly ResponseEvent[]>): Frames[] {
  const pieces: Frames[] = [];
  let text = "";
  for (const batch of batches)
    for (const event of unrun(batch)) {
      if (!isWire(event)) {
        text += encodeFrame(event);
        continue;
      }
      if (text) pieces.push(text);
      text = "";
      pieces.push(event.bytes);
    }
  if (text) pieces.push(text);
  return pieces;
}

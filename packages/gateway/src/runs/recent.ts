import { isWire, type ResponseEvent } from "antiphon";
import { responsesServer } from "antiphon/codecs/responses";
import { Blocks, Reel } from "./reel.ts";
import { Table } from "./table.ts";
import { eventsIn } from "./unwire.ts";

const longest = 60_000;
/** How much of them there is room for, in bytes. */
const mostRecent = 8 * 1024 * 1024;
/** So many that are gone may stand in the queue before it is shortened. */
const mostGone = 1_000;
const { encodeFrame } = responsesServer("openai");

interface Ended {
  id: string;
  reel: Reel;
  until: number;
}

/** Streams that ended a moment ago: whoever lost the connection can still read the rest. The oldest make room for the newest. */
export class Recent {
  readonly #blocks = new Blocks();
  readonly #ended = new Table<Ended>();
  /** In the order in which they ended; those before `#first` are gone. */
  #queue: (Ended | undefined)[] = [];
  #first = 0;
  #size = 0;
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** An empty reel for a stream that begins. */
  reel(): Reel {
    return new Reel(this.#blocks);
  }

  /** Keeps a stream, unless it is larger than all the room there is. */
  add(id: string, reel: Reel): void {
    if (reel.size > mostRecent) return reel.release();
    const ended = { id, reel, until: this.#clock() + longest };
    this.#ended.set(id, ended);
    this.#queue.push(ended);
    this.#size += reel.size;
    this.#sweep();
  }

  get(id: string): ResponseEvent[] | undefined {
    this.#sweep();
    const found = this.#ended.get(id);
    return found && eventsIn(found.reel.text());
  }

  delete(id: string): void {
    const found = this.#ended.get(id);
    if (!found) return;
    this.#ended.delete(id);
    this.#size -= found.reel.size;
    found.reel.release();
  }

  /** Forgets what there is no more room for, and what is too old. */
  #sweep(): void {
    const now = this.#clock();
    for (let oldest = this.#queue[this.#first]; oldest; oldest = this.#queue[this.#first]) {
      if (oldest.until > now && this.#size <= mostRecent) break;
      this.delete(oldest.id);
      this.#queue[this.#first] = undefined;
      this.#first += 1;
    }
    if (this.#first < mostGone) return;
    this.#queue = this.#queue.slice(this.#first);
    this.#first = 0;
  }
}

/** The frames of events. */
export function* framesOf(batches: Iterable<readonly ResponseEvent[]>): Generator<string | Uint8Array> {
  for (const batch of batches) for (const event of batch) yield isWire(event) ? event.bytes : encodeFrame(event);
}

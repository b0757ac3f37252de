import type { Live } from "./live.ts";
import { Table } from "./table.ts";

const longest = 60_000;
const maxBytes = 16 * 1024 * 1024;
/** So many that are gone may stand in the queue before it is shortened. */
const mostGone = 1_000;

interface Ended {
  live: Live;
  until: number;
}

/** Streams that ended a moment ago: whoever lost the connection can still read the rest. Bounded in time and in bytes. */
export class Recent {
  readonly #ended = new Table<Ended>();
  /** In the order in which they ended; those before `#first` are gone. */
  #queue: (Ended | undefined)[] = [];
  #first = 0;
  readonly #clock: () => number;
  #bytes = 0;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  add(live: Live): void {
    const ended = { live, until: this.#clock() + longest };
    this.#ended.set(live.id, ended);
    this.#queue.push(ended);
    this.#bytes += live.bytes;
    this.#sweep();
  }

  get(id: string): Live | undefined {
    this.#sweep();
    return this.#ended.get(id)?.live;
  }

  delete(id: string): void {
    const found = this.#ended.get(id);
    if (!found) return;
    this.#ended.delete(id);
    this.#bytes -= found.live.bytes;
  }

  #sweep(): void {
    const now = this.#clock();
    for (let oldest = this.#queue[this.#first]; oldest; oldest = this.#queue[this.#first]) {
      const { live, until } = oldest;
      if (until > now && this.#bytes <= maxBytes) break;
      if (this.#ended.get(live.id) === oldest) this.delete(live.id);
      this.#queue[this.#first] = undefined;
      this.#first += 1;
    }
    if (this.#first < mostGone) return;
    this.#queue = this.#queue.slice(this.#first);
    this.#first = 0;
  }
}

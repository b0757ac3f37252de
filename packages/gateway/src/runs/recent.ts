import type { Live } from "./live.ts";

const longest = 60_000;
const maxBytes = 16 * 1024 * 1024;

/** Streams that ended a moment ago: whoever lost the connection can still read the rest. Bounded in time and in bytes. */
export class Recent {
  readonly #ended = new Map<string, { live: Live; until: number }>();
  readonly #clock: () => number;
  #bytes = 0;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  add(live: Live): void {
    this.#ended.set(live.id, { live, until: this.#clock() + longest });
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

  /** The oldest come first. */
  #sweep(): void {
    const now = this.#clock();
    for (const [id, { until }] of this.#ended) {
      if (until > now && this.#bytes <= maxBytes) return;
      this.delete(id);
    }
  }
}

import { AntiphonError } from "../core/error.ts";
import type { Timeouts } from "../core/respond.ts";

/** The defaults for calls of a model. Models that reason for long may be silent for more than ten minutes. */
export const defaultTimeouts: Readonly<Required<Timeouts>> = { connect: 10_000, firstEvent: 900_000, idle: 900_000, total: 0 };

/** The defaults for reading what is there already: lists of models, stored responses, files. No model works on these. */
export const readTimeouts: Readonly<Required<Timeouts>> = { ...defaultTimeouts, firstEvent: 120_000, idle: 120_000 };

/** Merges timeouts: a later one overrides the fields that it sets. */
export function mergeTimeouts(...list: (Timeouts | undefined)[]): Required<Timeouts> {
  const merged = { ...defaultTimeouts };
  for (const timeouts of list)
    for (const name of ["connect", "firstEvent", "idle", "total"] as const) merged[name] = timeouts?.[name] ?? merged[name];
  return merged;
}

// A longer timer would fire at once, and again and again.
const longestTimer = 2 ** 31 - 1;

/** Lets the process end although a timer is set. */
export const unref = (timer: unknown): void => (timer as { unref?: () => void }).unref?.();

/**
 * Watches one call. Events only leave a time stamp; the single timer looks at it when it fires and is set again for what is left,
 * so a stream of a thousand events costs a handful of timers. Silence counts only while somebody waits for the stream: a slow
 * reader is not the server's fault.
 */
export class Deadlines {
  readonly #timeouts: Required<Timeouts>;
  readonly #expire: (error: AntiphonError, name: keyof Timeouts) => void;
  readonly #end: number;
  #name: "firstEvent" | "idle" = "firstEvent";
  /** How long silence may last. */
  #span = 0;
  #since = 0;
  #stale = true;
  #waiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer fires. */
  #due = 0;

  constructor(timeouts: Required<Timeouts>, expire: (error: AntiphonError, name: keyof Timeouts) => void) {
    this.#timeouts = timeouts;
    this.#expire = expire;
    this.#end = timeouts.total > 0 ? performance.now() + timeouts.total : Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** A request is being sent: the wait for its first event begins. */
  attempt(): void {
    this.#name = "firstEvent";
    this.#span = this.#timeouts.firstEvent;
    this.#stale = true;
    this.#disarm();
    this.wait();
  }

  /** Somebody waits for the next event. */
  wait(): void {
    if (this.#stale) this.#since = performance.now();
    this.#stale = false;
    this.#waiting = true;
    if (this.#timer === undefined) this.#arm();
  }

  /** Nobody waits any more. */
  rest(): void {
    this.#waiting = false;
  }

  /** An event came that means something. */
  heard(): void {
    this.#stale = true;
    if (this.#name === "idle") return;
    this.#name = "idle";
    this.#span = this.#timeouts.idle;
    this.#since = performance.now();
    // The timer was set for the first event. One that fires too soon for the second is set again then.
    if (this.#timer !== undefined && this.#due <= this.#next()) return;
    this.#disarm();
    this.#arm();
  }

  /** Nothing expires any more. */
  stop(): void {
    this.#waiting = false;
    this.#disarm();
  }

  #arm(): void {
    const at = this.#next();
    if (at === Number.POSITIVE_INFINITY) return;
    this.#due = at;
    this.#timer = setTimeout(() => this.#fire(), Math.min(Math.max(1, at - performance.now()), longestTimer));
    unref(this.#timer);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** When the next deadline is. */
  #next(): number {
    const span = this.#span;
    return this.#waiting && span > 0 ? Math.min(this.#end, this.#since + span) : this.#end;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = performance.now();
    // Timers may fire a fraction of a millisecond early.
    if (now + 1 < this.#next()) return this.#arm();
    const name = now + 1 >= this.#end ? "total" : this.#name;
    this.#expire(new AntiphonError("TIMEOUT", messages[name](this.#timeouts[name])), name);
  }
}

const messages: Readonly<Record<"firstEvent" | "idle" | "total", (ms: number) => string>> = {
  firstEvent: (ms) => `No event arrived within ${ms} ms (\`timeouts.firstEvent\`).`,
  idle: (ms) => `The stream sent no event for ${ms} ms (\`timeouts.idle\`).`,
  total: (ms) => `The response took longer than ${ms} ms (\`timeouts.total\`).`,
};

import type { Repair } from "../../core/loss.ts";
import { Reducer } from "../../core/reduce.ts";
import type { ResponseEvent } from "../../model/index.ts";
import type { StreamPosition } from "../codec.ts";

/** What a decoder has said so far: the fold of it, its numbering, and a count of what had to be put right. */
export class Track {
  readonly fold: Reducer;
  readonly #repairs = new Map<string, number>();
  #out: ResponseEvent[] = [];
  #next: number | undefined;
  #upstream = -1;

  constructor(from?: StreamPosition) {
    this.fold = from ? Reducer.from(from) : new Reducer();
    if (!from) return;
    this.#next = from.sequence_number + 1;
    this.#upstream = from.cursor;
  }

  get repairs(): Repair[] {
    return [...this.#repairs].map(([rule, count]) => ({ rule, count }));
  }

  readonly report = (rule: string): void => {
    this.#repairs.set(rule, (this.#repairs.get(rule) ?? 0) + 1);
  };

  /** Starts the events that one input leads to. */
  begin(): ResponseEvent[] {
    this.#out = [];
    return this.#out;
  }

  /** Takes note of the number that the server gave; a resumed stream may start anywhere. */
  hear(number: unknown): void {
    const known = typeof number === "number";
    if (this.#next === undefined && known) this.#next = number;
    else if (!known || number !== this.#upstream + 1) this.report("sequence-number");
    this.#upstream = known ? number : this.#upstream + 1;
  }

  /** Whether a number is just the one after the last; saves calling `hear` for every delta. */
  follows(number: unknown): boolean {
    if (number !== this.#upstream + 1 || this.#next === undefined) return false;
    this.#upstream += 1;
    return true;
  }

  /** Takes note of events that never came here, but have numbers all the same. */
  skip(count: number): void {
    this.#upstream += count;
    this.#next = (this.#next ?? 0) + count;
  }

  /** Folds and sends an event that the server must have had before its first one; the numbers that follow stay as they are. */
  emitFirst(event: ResponseEvent): void {
    if (this.#next) this.#next -= 1;
    this.emit(event);
  }

  /** Folds an event and sends it on. */
  emit(event: ResponseEvent): void {
    this.fold.push(event);
    this.#place(event);
  }

  /** Sends on events that were folded already. */
  adopt(events: readonly ResponseEvent[]): void {
    for (const event of events) this.#place(event);
  }

  #place(event: ResponseEvent): void {
    const number = this.#next ?? 0;
    if (event.sequence_number !== number) event.sequence_number = number;
    this.#next = number + 1;
    this.#out.push(event);
  }
}

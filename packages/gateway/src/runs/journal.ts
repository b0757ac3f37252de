import { AntiphonError, Stop, type InputItem, type ResponseEvent, type ResponseResource } from "antiphon";
import type { Store } from "../store/store.ts";
import { insist } from "./insist.ts";
import { weightOf } from "./live.ts";

/** What a journal is told at its start. */
export interface JournalOptions {
  store: Pick<Store, "appendEvents" | "updateResponse" | "readEvents">;
  id: string;
  owner: string;
  worker: string;
  /** The least time between two writes, in milliseconds. */
  pause: number;
  /** Called with events once they are kept. */
  kept(events: ResponseEvent[]): void;
  /** Called when the run is somebody else's, or over, or its log takes no more. */
  lost(reason: AntiphonError): void;
}

/** More than this is not held back: whoever writes waits. */
const mostBytes = 256 * 1024;

/** What is said to a run that goes on without being asked to. */
export const runLost = (): AntiphonError => new AntiphonError("ABORTED", "Another worker took over the run.");

/**
 * Writes the events of a run to its log, many at once, and hands them on when they are kept: what anybody has seen is there after a
 * crash, too. Where the store is slow, the run waits.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** Why nothing more is taken in. */
  #sealed: AntiphonError | undefined;
  /** Fires when nothing more is written, either. */
  readonly #closed = new Stop();
  #waiting: ResponseEvent[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #used = false;
  /** Whether the rest is for the last write. */
  #finishing = false;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Whether anything was ever written. */
  get isUsed(): boolean {
    return this.#used;
  }

  /** Takes events in; where it gives a promise, there is no room for more until that resolves. Throws once it is closed. */
  write(events: readonly ResponseEvent[]): Promise<void> | undefined {
    this.#check();
    this.#used = true;
    this.#waiting.push(...events);
    this.#bytes += weightOf(events);
    this.#schedule();
    return this.#bytes > mostBytes ? this.#room() : undefined;
  }

  /** Writes what is left and the last state of the response in one go; gives the events that were not handed on yet. */
  async finish(tail: readonly ResponseEvent[], response: ResponseResource, items?: InputItem[]): Promise<ResponseEvent[]> {
    this.#finishing = true;
    clearTimeout(this.#timer);
    await this.#writing;
    this.#check();
    const events = [...this.#waiting, ...tail];
    this.#waiting = [];
    const { store, id, worker } = this.#options;
    const { result, again } = await insist(
      () => store.updateResponse(id, response, { worker, events, ...(items ? { items } : {}) }),
      this.#closed,
    );
    if (result !== response && !(again && isSame(result, response))) throw runLost();
    return events;
  }

  /** Takes nothing more in; resolves when all that was taken in is written. */
  async seal(reason: AntiphonError): Promise<void> {
    this.#sealed ??= reason;
    while (this.#writing || this.#waiting.length > 0) await (this.#writing ?? this.#flush());
  }

  /** Takes nothing more in, and writes nothing more. */
  close(reason: AntiphonError): void {
    this.#sealed ??= reason;
    this.#closed.abort(reason);
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #check(): void {
    if (this.#sealed) throw this.#sealed;
  }

  async #room(): Promise<void> {
    while (this.#bytes > mostBytes && !this.#closed.aborted) await (this.#writing ?? this.#flush());
  }

  #schedule(): void {
    if (this.#finishing || this.#writing || this.#timer || this.#waiting.length === 0) return;
    const pause = this.#wroteAt + this.#options.pause - performance.now();
    if (pause <= 0) void this.#flush();
    else this.#timer = setTimeout(() => void this.#flush(), pause);
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#append().finally(() => {
      this.#writing = undefined;
      this.#wroteAt = performance.now();
      this.#schedule();
    });
    return this.#writing;
  }

  /** Never rejects: whoever is concerned is told. */
  async #append(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    const { store, id, worker, kept } = this.#options;
    try {
      const { result, again } = await insist(() => store.appendEvents(id, events, worker), this.#closed);
      if (!result && !(again && (await this.#holds(events)))) throw runLost();
      if (!this.#closed.aborted) kept(events);
    } catch (thrown) {
      this.#lose(thrown instanceof AntiphonError ? thrown : new AntiphonError("SERVER_ERROR", String(thrown), { cause: thrown }));
    }
  }

  #lose(reason: AntiphonError): void {
    if (this.#closed.aborted) return;
    this.close(reason);
    this.#options.lost(reason);
  }

  /** Whether an attempt that seemed to fail wrote the events after all. */
  async #holds(events: readonly ResponseEvent[]): Promise<boolean> {
    const [first] = events;
    if (!first) return true;
    const { store, id, owner } = this.#options;
    const [found] = await store.readEvents(id, owner, first.sequence_number - 1, 1);
    return isSame(found, first);
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

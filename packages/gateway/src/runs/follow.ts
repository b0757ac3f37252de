import { AntiphonError, expand, isTerminal, type ResponseEvent, type ResponseResource, type StopSignal } from "antiphon";
import { notFound } from "../http/faces.ts";
import type { Store } from "../store/store.ts";
import { isFinal } from "../store/texts.ts";
import type { Live } from "./live.ts";

/** Events that are read at once: so many a slow reader holds at most. */
const page = 200;
/** How long to wait for news before looking by oneself, in milliseconds; and how often whoever reads can notice that nobody listens. */
const patience = 5_000;

/** Whose log is read. */
export interface LogPlace {
  store: Pick<Store, "readEvents" | "getResponse" | "watch">;
  id: string;
  owner: string;
  signal?: StopSignal | undefined;
}

const lastOf = (events: readonly ResponseEvent[], before: number): number => events.at(-1)?.sequence_number ?? before;

/**
 * The events of a log above a number, as they are added, up to the last one of the response. Whoever reads slowly holds one page, and
 * holds up nobody.
 */
export async function* followLog(place: LogPlace, after: number): AsyncGenerator<ResponseEvent[]> {
  const { store, id, owner, signal } = place;
  const news = new News(place);
  let isOver = false;
  try {
    for (;;) {
      if (signal?.aborted) return;
      news.expect();
      const events = await store.readEvents(id, owner, after, page);
      if (events.length > 0) {
        if (events[0]?.sequence_number !== after + 1) throw noLonger(id);
        after = lastOf(events, after);
        yield events;
        if (events.some(isTerminal)) return;
        if (events.length === page) continue;
      } else {
        if (isOver) throw noLonger(id);
        isOver = isFinal((await stateOf(place)).status);
        if (isOver) continue;
        yield events;
      }
      await news.arrive();
    }
  } finally {
    news.stop();
  }
}

/**
 * The events of a run of this process, as it tells them; where it stops telling, or the reader cannot keep up, those of its log. The run
 * tells only what the log holds already, so that the two are one sequence.
 */
export async function* followRun(live: Live, place: LogPlace): AsyncGenerator<ResponseEvent[]> {
  const reader = live.read();
  const leave = (): void => void reader.return?.();
  place.signal?.addEventListener("abort", leave);
  let after = -1;
  try {
    for (let next = await told(reader); next; next = await told(reader)) {
      // It has forgotten its beginning before it was read.
      if (next[0]?.sequence_number !== after + 1) break;
      after = lastOf(next, after);
      yield next;
      if (next.some(isTerminal)) return;
    }
  } finally {
    place.signal?.removeEventListener("abort", leave);
    leave();
  }
  yield* followLog(place, after);
}

/**
 * The end of a response whose events are not kept, when it has come to its end, whoever brings it there. Who has seen some of its events
 * is told the last one, behind them: it carries all of the response. Who has seen none is told it from the beginning.
 */
export async function* followEnd(place: LogPlace, after: number): AsyncGenerator<ResponseEvent[]> {
  const news = new News(place);
  try {
    while (!place.signal?.aborted) {
      news.expect();
      const response = await stateOf(place);
      if (isFinal(response.status)) return yield toldAgain(response, after);
      yield [];
      await news.arrive();
    }
  } finally {
    news.stop();
  }
}

function toldAgain(response: ResponseResource, after: number): ResponseEvent[] {
  const events = expand(response);
  return after < 0 ? events : events.slice(-1).map((last) => ({ ...last, sequence_number: after + 1 }));
}

/** What comes next; nothing where the run is over for this process, or has gone on too far without the reader. */
async function told(reader: AsyncIterator<ResponseEvent[]>): Promise<ResponseEvent[] | undefined> {
  try {
    const { done, value } = await reader.next();
    return done ? undefined : value;
  } catch {
    return undefined;
  }
}

async function stateOf({ store, id, owner }: LogPlace): Promise<ResponseResource> {
  const stored = await store.getResponse(id, owner);
  if (!stored) throw notFound("response", id);
  return stored.response;
}

const noLonger = (id: string): AntiphonError =>
  new AntiphonError("NOT_FOUND", `The events of response ${id} are no longer stored.`, { status: 404 });

/** Waits until something may have changed since one last looked. */
class News {
  readonly #unwatch: () => void;
  readonly #signal: StopSignal | undefined;
  #came = false;
  #wake: (() => void) | undefined;

  constructor({ store, id, signal }: LogPlace) {
    this.#unwatch = store.watch(id, this.#tell);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#tell);
  }

  /** One looks now: what came so far is old. */
  expect(): void {
    this.#came = false;
  }

  async arrive(): Promise<void> {
    if (this.#came) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, patience).unref();
    });
    clearTimeout(timer);
  }

  stop(): void {
    this.#unwatch();
    this.#signal?.removeEventListener("abort", this.#tell);
  }

  readonly #tell = (): void => {
    this.#came = true;
    this.#wake?.();
  };
}

import { AntiphonError } from "../core/error.ts";
import { expand } from "../core/expand.ts";
import { anyText, checkOptions, func, milliseconds, objectWith, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, parsedCall, type CallOptions, type Middleware, type Respond } from "../core/respond.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse, ExtensionEvent, ResponseEvent, ResponseResource } from "../model/index.ts";
import { memoryCache, type CacheStore } from "./memory-cache.ts";
import { terminalIn } from "../core/seen-events.ts";
import { empty, following, over, Passage, type Batches } from "./passage.ts";
import { Flight } from "./flight.ts";

/** What is kept, for how long, and under which key. */
export interface CacheSettings {
  /** Milliseconds that an answer is kept; an hour where nothing is said, `0` for ever. */
  ttl?: number;
  /** The key of a request, in place of a hash of all that it says. */
  key?(request: CreateResponse): string | Promise<string>;
  /** Whether the answer to a request may be kept; `usual` is what holds where nobody says otherwise. */
  when?(request: CreateResponse, usual: boolean): boolean;
  /** Whether to ask anew, and keep the new answer in place of the old one. */
  refresh?(request: CreateResponse): boolean;
}

/**
 * A store may outlive the program and serve several models, so `scope` says which model's answers these are. Without a store each
 * model that is wrapped has one of its own, in memory.
 */
export type CacheOptions = CacheSettings & ({ store: CacheStore; scope: string } | { store?: undefined; scope?: string });

const cacheRules: Rules<CacheOptions> = {
  ttl: milliseconds,
  key: func,
  when: func,
  refresh: func,
  store: objectWith("be a cache store, such as `memoryCache()`", "get", "set"),
  scope: anyText,
};

/** What is kept of an answer: losses too, since they are true of it whenever it is read. */
interface Kept {
  response: ResponseResource;
  losses: ExtensionEvent[];
}

/**
 * Middleware that answers repeated requests from a cache. Only completed answers are kept; equal requests at the same
 * time share one call. An `antiphon:cached` event says that an answer cost nothing.
 *
 * @example
 * const respond = cache({ ttl: 600_000 })(connect(provider("openai")));
 */
export function cache(options: CacheOptions = {}): Middleware {
  checkOptions("cache", options, cacheRules);
  return (next) => {
    const memory = new Cache(options, next);
    return (request, call) => {
      if (!memory.takes(request)) return next(request, call);
      return fromBatches(() => new Passage({ open: () => memory.open(request, call), ended: () => {} }));
    };
  };
}

// Fields that tie an answer to a place on the server, so that it cannot be given to somebody else.
const isOfOneCaller = ({ store, background, previous_response_id, conversation }: CreateResponse): boolean =>
  store === true || background === true || previous_response_id != null || conversation != null;

class Cache {
  readonly #options: CacheOptions;
  readonly #store: CacheStore;
  readonly #next: Respond;
  /** Calls that are under way, by key. */
  readonly #flights = new Map<string, Flight>();

  constructor(options: CacheOptions, next: Respond) {
    this.#options = options;
    this.#store = options.store ?? memoryCache();
    this.#next = next;
  }

  takes(request: CreateResponse): boolean {
    const usual = !isOfOneCaller(request);
    return this.#options.when?.(request, usual) ?? usual;
  }

  async open(request: CreateResponse, call: CallOptions | undefined): Promise<Batches> {
    const key = await unlessAborted(this.#key(request, call), call?.signal);
    const told: ExtensionEvent[] = [];
    if (!this.#options.refresh?.(request)) {
      const kept = await unlessAborted(this.#read(key, told), call?.signal);
      if (kept) return following([cached(key, { shared: false }), ...kept.losses, ...expand(kept.response)], empty);
    }
    const flight = this.#flights.get(key);
    if (flight) return following([...told, cached(key, { shared: true })], flight.read(call));
    return following(told, this.#start(key, request, call).read(call));
  }

  async #key(request: CreateResponse, call: CallOptions | undefined): Promise<string> {
    const { scope = "", key } = this.#options;
    if (key) return `${scope}:${await key(request)}`;
    return `${scope}:${await digest(canonical([answered(request), call?.headers ?? {}]))}`;
  }

  async #read(key: string, told: ExtensionEvent[]): Promise<Kept | undefined> {
    try {
      const text = await this.#store.get(key);
      // The store is trusted to give back what was put in.
      return text === undefined ? undefined : (JSON.parse(text) as Kept);
    } catch (error) {
      told.push(trouble("get", error));
      return undefined;
    }
  }

  /**
   * Calls the model on behalf of all concurrent callers with the same request, and stops it when the last of them leaves.
   * The callers share the events and the answer is stored, so the events are parsed whatever the first caller chose.
   */
  #start(key: string, request: CreateResponse, call: CallOptions | undefined): Flight {
    const controller = new AbortController();
    const source = batchesOf(this.#next(request, { ...parsedCall(call), signal: controller.signal }));
    const landed = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    const keep = async (kept: Kept): Promise<void> => {
      if (kept.response.status === "completed") await this.#store.set(key, JSON.stringify(kept), this.#options.ttl ?? 3_600_000);
    };
    const abandoned = (): void => {
      landed();
      controller.abort();
    };
    const flight = new Flight(new Keeping(source, keep, landed), request, abandoned);
    this.#flights.set(key, flight);
    return flight;
  }
}

/** Keeps an answer before its terminal event is passed on, so that whoever saw the end finds it kept. */
class Keeping implements Batches {
  readonly #inner: Batches;
  readonly #keep: (kept: Kept) => Promise<void>;
  readonly #landed: () => void;
  readonly #losses: ExtensionEvent[] = [];

  constructor(inner: Batches, keep: (kept: Kept) => Promise<void>, landed: () => void) {
    this.#inner = inner;
    this.#keep = keep;
    this.#landed = landed;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    const result = await this.#next();
    if (result.done) return result;
    for (const event of result.value) if (event.type === "antiphon:loss") this.#losses.push(event);
    const terminal = terminalIn(result.value);
    if (!terminal) return result;
    try {
      await this.#keep({ response: terminal.response, losses: this.#losses });
      return result;
    } catch (error) {
      return { done: false, value: [trouble("set", error, result.value[0]), ...result.value] };
    } finally {
      this.#landed();
    }
  }

  return(): Promise<IteratorResult<ResponseEvent[]>> {
    return this.#inner.return?.() ?? Promise.resolve(over);
  }

  /** Whoever comes after a call that broke asks anew, also while others still read what had come of it. */
  async #next(): Promise<IteratorResult<ResponseEvent[]>> {
    try {
      const result = await this.#inner.next();
      if (result.done) this.#landed();
      return result;
    } catch (thrown) {
      this.#landed();
      throw thrown;
    }
  }
}

const cached = (key: string, about: { shared: boolean }): ExtensionEvent => ({
  type: "antiphon:cached",
  sequence_number: 0,
  key,
  ...about,
});

/** A store that fails costs a call, never an answer; that it failed is told. */
const trouble = (operation: "get" | "set", error: unknown, next?: ResponseEvent): ExtensionEvent => ({
  type: "antiphon:cache_failed",
  sequence_number: Math.max(0, (next?.sequence_number ?? 0) - 1),
  operation,
  message: error instanceof Error ? error.message : String(error),
});

// How an answer is sent does not change what it says.
const ofTransport: ReadonlySet<string> = new Set(["stream", "stream_options", "prompt_cache_key", "prompt_cache_retention"]);

/** What of a request the answer depends on; a field that is null is one that was left out. */
const answered = (request: CreateResponse): object =>
  Object.fromEntries(Object.entries(request).filter(([name, value]) => value != null && !ofTransport.has(name)));

/** JSON in which the order of keys does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

async function digest(text: string): Promise<string> {
  const { subtle } = globalThis.crypto;
  if (!subtle) throw new AntiphonError("UNSUPPORTED", "This runtime has no Web Crypto. Pass a `key` function to the cache.");
  const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

import { AntiphonError, listModels, type FetchJsonOptions, type ModelInfo } from "antiphon";
import type { LogEntry } from "../telemetry/telemetry.ts";
import type { Source } from "./sources.ts";

/** How long a list is good for, how soon a server that gave none is asked again, and how long it may take, in milliseconds. */
interface Patience {
  fresh: number;
  again: number;
  takes: number;
}

export const patience = {
  remote: { fresh: 10 * 60_000, again: 60_000, takes: 5_000 },
  // A server on this machine answers at once, and comes and goes with its user.
  local: { fresh: 30_000, again: 5_000, takes: 500 },
} as const satisfies Record<string, Patience>;

/** Who says that a model is a gateway's own. */
export const gatewayOwner = "antiphon";

/** What is known of a provider's models. */
interface Shelf {
  models: readonly ModelInfo[];
  goodUntil: number;
  /** Whether there ever was an answer, good or bad. */
  isKnown: boolean;
  loading?: Promise<void>;
}

/** How lists are fetched. */
export interface ListingsOptions extends Pick<FetchJsonOptions, "fetch" | "transport"> {
  clock(): number;
  log?(entry: LogEntry): void;
}

/** The models that providers list, remembered for a while. One that does not answer lists none. */
export class Listings {
  readonly #options: ListingsOptions;
  readonly #shelves = new Map<string, Shelf>();

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** What is known by now; an old list is renewed meanwhile. */
  peek(source: Source): readonly ModelInfo[] {
    const shelf = this.#shelf(source);
    if (this.#options.clock() >= shelf.goodUntil) void this.#load(source, shelf);
    return shelf.models;
  }

  /** The same, but waits where nothing is known yet. */
  async get(source: Source): Promise<readonly ModelInfo[]> {
    const shelf = this.#shelf(source);
    const models = this.peek(source);
    if (shelf.isKnown) return models;
    await shelf.loading;
    return shelf.models;
  }

  #shelf({ name }: Source): Shelf {
    let shelf = this.#shelves.get(name);
    if (!shelf) this.#shelves.set(name, (shelf = { models: [], goodUntil: -Infinity, isKnown: false }));
    return shelf;
  }

  #load(source: Source, shelf: Shelf): Promise<void> {
    shelf.loading ??= this.#fetch(source, shelf).finally(() => {
      shelf.isKnown = true;
      shelf.loading = undefined;
    });
    return shelf.loading;
  }

  /** Never rejects. */
  async #fetch(source: Source, shelf: Shelf): Promise<void> {
    const { clock, log, fetch, transport } = this.#options;
    const { isLocal } = source;
    const { fresh, again, takes } = patience[isLocal ? "local" : "remote"];
    const timeouts = { connect: takes, firstEvent: takes, total: takes };
    try {
      const models = await listModels(source.provider, { timeouts, retry: { retries: 0 }, fetch, transport });
      shelf.models = isLocal && isGateway(models) ? [] : models;
      shelf.goodUntil = clock() + fresh;
    } catch (thrown) {
      const error = thrown instanceof AntiphonError ? thrown.code : "SERVER_ERROR";
      // A server that went away has no models any more; a provider that has a bad moment still has its own.
      if (isLocal) shelf.models = [];
      shelf.goodUntil = clock() + again;
      log?.({ level: isLocal ? "debug" : "warn", message: "cannot list models", provider: source.name, error });
    }
  }
}

/** Whether it is a gateway that was found, perhaps this one: asking it would go round in a circle. */
const isGateway = (models: readonly ModelInfo[]): boolean => models.some(({ owner }) => owner === gatewayOwner);

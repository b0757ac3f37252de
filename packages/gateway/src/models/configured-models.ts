import { AntiphonError, nearest, type ModelInfo, type PriceLookup } from "antiphon";
import type { LogEntry } from "../telemetry/telemetry.ts";
import { Chooser } from "./choose.ts";
import { packagedPrices } from "./costs.ts";
import { embeddingsRoute, type EmbedOptions } from "./embeddings.ts";
import { listOffered, namesAtHand, type Shop } from "./list-offered.ts";
import { Listings } from "./listings.ts";
import type { EmbeddingsRoute, ModelRoute, Models, Visible } from "./models.ts";
import type { ModelsConfig } from "./models-config.ts";
import { readConfig } from "./read-config.ts";
import { planOf, Route, type Plan } from "./route.ts";
import { knownPresets, missing, Sources, type Source, type SourcesOptions } from "./sources.ts";

/** What a program may say beside the configuration; everything has a default. */
export interface ModelsOptions extends SourcesOptions {
  /** What models cost where nobody configured it; the package `@pydantic/genai-prices` where that is installed. */
  prices?: PriceLookup;
  /** Draws among choices with weights: from 0 to 1. */
  random?(): number;
  /** Milliseconds since whenever. */
  clock?(): number;
  log?(entry: LogEntry): void;
}

/**
 * Creates the models of a configuration. Without one: all keys in the environment, local servers, and the offline
 * model. Throws `BAD_REQUEST` with all that is wrong with the configuration.
 *
 * @example
 * const models = await configuredModels({ models: { smart: ["openai:gpt-5.2", "anthropic:claude-sonnet-5"] } });
 * const { respond } = models.resolve("smart");
 */
export async function configuredModels(config: ModelsConfig = {}, options: ModelsOptions = {}): Promise<Models> {
  const { prices, random = Math.random, clock = () => performance.now(), log, ...connecting } = options;
  const presets = knownPresets(connecting);
  const read = readConfig(config, presets);
  const sources = new Sources(read, presets, connecting);
  const ways = { fetch: options.fetch, transport: options.transport };
  const listings = new Listings({ ...ways, clock, log });
  const chooser = new Chooser({ config: read, sources, listings, clock, random });
  if (log) for (const entry of unaskable(chooser)) log(entry);
  await Promise.all(chooser.local.map((source) => listings.get(source)));
  return new Offer({ chooser, sources, listings }, { ...ways, prices: prices ? { of: prices, begin() {} } : packagedPrices() });
}

/** Configured models whose provider has no key or no address: a mistake, or a fallback for later. */
function* unaskable(chooser: Chooser): Generator<LogEntry> {
  for (const model of chooser.names.exact.keys())
    for (const { target } of chooser.choose(model)?.all ?? []) {
      const { name: provider, provider: upstream } = target.source;
      const error = missing(upstream);
      if (error) yield { level: "warn", message: "provider is not usable", model, provider, error };
    }
}

class Offer implements Models {
  readonly #shop: Shop;
  readonly #means: EmbedOptions;

  constructor(shop: Shop, means: EmbedOptions) {
    this.#shop = shop;
    this.#means = means;
  }

  resolve(asked: string | null | undefined, visible?: Visible): ModelRoute {
    const { name, plan } = this.#choose(asked, visible);
    return new Route(name, plan, this.#means.prices);
  }

  resolveEmbeddings(asked: string | null | undefined, visible?: Visible): EmbeddingsRoute {
    const { name, plan } = this.#choose(asked, visible);
    // The default is a model to talk to; its provider has another for this.
    const meant = asked ? plan.choice : this.#shop.chooser.ownChoice(plan.first.target.source);
    return embeddingsRoute(name, meant, this.#means);
  }

  list(): Promise<ModelInfo[]> {
    return listOffered(this.#shop);
  }

  #choose(asked: string | null | undefined, visible: Visible = () => true): { name: string; plan: Plan } {
    const { chooser } = this.#shop;
    const name = asked || chooser.defaultName();
    if (name === undefined)
      throw new AntiphonError("BAD_REQUEST", "`model` is required: this gateway has no default model.", { param: "model" });
    const target = asked ? undefined : chooser.target(name);
    const plan = chooser.choose(name) ?? (target && planOf(target));
    if (!plan) throw this.#unknown(name, visible);
    if (isSold(plan.first.target.source)) this.#means.prices.begin();
    return { name, plan };
  }

  #unknown(name: string, visible: Visible): AntiphonError {
    const cut = name.length > longestShown ? `${name.slice(0, longestShown)}…` : name;
    const shown = /^[\w.:/@*-]+…?$/.test(cut) ? cut : JSON.stringify(cut);
    const message = [`Unknown model ${shown}.`, this.#near(name, visible), this.#lacks(name)].filter(Boolean).join(" ");
    return new AntiphonError("INVALID_MODEL", message, { status: 404, vendorCode: "model_not_found", param: "model" });
  }

  /** What the provider of a model string would need. */
  #lacks(name: string): string | undefined {
    const { chooser, sources } = this.#shop;
    const parsed = chooser.isClosed || name.length > longestShown ? undefined : chooser.parse(name);
    const source = parsed && sources.find(parsed.provider);
    if (!source) return undefined;
    if (!parsed.chat && !source.provider.models.chat) return `${source.name} has no default model. Use ${source.name}:MODEL.`;
    return missing(source.provider);
  }

  /** The names that may have been meant; where none is near, some of those that there are. */
  #near(name: string, visible: Visible): string {
    const ids = namesAtHand(this.#shop).flatMap(({ id }) => (visible(id) ? [id] : []));
    const meant = name.length > longestShown ? [] : nearestOf(name, ids);
    if (meant.length > 0) return `Did you mean ${meant.join(", ")}?`;
    return ids.length > 0 ? `Available: ${ids.slice(0, mostNames).join(", ")}${ids.length > mostNames ? ", …" : "."}` : "";
  }
}

const longestShown = 100;
const mostNames = 3;
/** Comparing takes time, and whoever asks for what is not there should not take much. */
const mostCompared = 200;

/** The ids nearest to a name, with their provider or without. */
function nearestOf(name: string, ids: readonly string[]): string[] {
  const spellings = ids.flatMap((id) => [[id, id] as const, [id.slice(id.indexOf(":") + 1), id] as const]);
  const alike = spellings.filter(([word]) => Math.abs(word.length - name.length) <= Math.max(1, word.length / 3));
  const left = new Map(alike.slice(0, mostCompared));
  const found = new Set<string>();
  while (found.size < mostNames) {
    const word = nearest(name, [...left.keys()]);
    if (word === undefined) break;
    found.add(left.get(word)!);
    left.delete(word);
  }
  return [...found];
}

const isSold = ({ wire, seller }: Source): boolean => wire !== "local" && seller !== undefined;

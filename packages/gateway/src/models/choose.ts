import { checkModelName, formatModelString, parseModelString, type ModelString } from "antiphon";
import { Configured, Group, Target, type Choice } from "./choices.ts";
import type { Listings } from "./listings.ts";
import { fill, Names, type Found } from "./names.ts";
import type { ReadConfig } from "./read-config.ts";
import { planOf, type Plan } from "./route.ts";
import { hasOwnAddress, type Source, type Sources } from "./sources.ts";

/** Names that were asked for; clients choose them, so their number needs a bound. */
const mostRemembered = 10_000;
/** No name of a model is longer. */
const longestName = 500;
/** Its token lies about on many machines, for other work. */
const neverDefault = "github";

/** The target of a pattern that fixes the provider and lets clients name its model: `openai:*`. */
const clientNamesModel = /^[^:/?*]+[:/?].*\*/;

/** What choosing a model needs. */
export interface ChooserParts {
  config: ReadConfig;
  sources: Sources;
  listings: Listings;
  clock(): number;
  random(): number;
}

/** Finds what a name stands for. */
export class Chooser {
  readonly names: Names;
  /** Providers that clients may name, with keys and on this machine; none where only configured names count. */
  readonly withKeys: readonly Source[];
  readonly local: readonly Source[];
  /** Whether only configured names count. */
  readonly isClosed: boolean;
  readonly #parts: ChooserParts;
  readonly #plans = new Map<string, Plan>();
  readonly #targets = new Map<string, Target>();

  constructor(parts: ChooserParts) {
    const { config, sources } = parts;
    this.#parts = parts;
    this.names = new Names(config.models);
    this.isClosed = config.models.length > 0 && config.discover.length === 0;
    this.withKeys = this.isClosed ? [] : [...sources.withKeys()];
    this.local = this.isClosed ? [] : [...sources.onThisMachine()];
  }

  /** What a name stands for; `undefined` where there is no such model. */
  choose(name: string): Plan | undefined {
    if (name.length > longestName) return undefined;
    const known = this.#plans.get(name);
    if (known) return known;
    const found = this.names.find(name);
    const choice = found ? this.#configured(found) : this.#offered(name);
    if (choice) return remember(this.#plans, name, planOf(choice));
    // Not remembered: such a server comes and goes.
    const listed = found || this.isClosed ? undefined : this.#listed(name);
    return listed && planOf(listed);
  }

  /** The model of a model string, whether or not clients may name its provider. */
  target(text: string): Target | undefined {
    const named = this.parse(text);
    const source = named && this.#parts.sources.find(named.provider);
    if (!source) return undefined;
    const key = formatModelString({ ...named, provider: source.name });
    const target = this.#targets.get(key) ?? new Target(source, named, this.#parts.clock);
    return target.model === "" ? undefined : remember(this.#targets, key, target);
  }

  /** What a provider means where no model of its is named. */
  ownChoice(source: Source): Target {
    return new Target(source, {}, this.#parts.clock);
  }

  /** What a model string says; `undefined` where it is none. */
  parse(text: string): ModelString | undefined {
    try {
      return parseModelString(text, this.#parts.sources.known);
    } catch {
      return undefined;
    }
  }

  /** The name of the model that is meant where a request names none. */
  defaultName(): string | undefined {
    const { config, listings } = this.#parts;
    const [first] = this.names.exact.keys();
    const configured = config.defaultModel ?? first;
    if (configured !== undefined || this.isClosed) return configured;
    for (const { name, provider } of this.withKeys)
      if (provider.models.chat && name !== neverDefault) return formatModelString({ provider: name, chat: provider.models.chat });
    for (const source of this.local) {
      const model = listings.peek(source).find(({ kind }) => kind === "chat");
      if (model) return formatModelString({ provider: source.name, chat: model.id });
    }
    return "offline";
  }

  #configured({ named, matched }: Found): Choice | undefined {
    const members = named.choices.flatMap(({ model, ...rest }) => {
      const text = fill(model, matched);
      // Its own name is the provider's, not this one's.
      const isName = text !== named.name && this.names.exact.has(text);
      const choice = isName ? this.choose(text)?.choice : this.target(text);
      const isUsable = choice instanceof Target && clientNamesModel.test(model) ? this.#hasModel(choice) : choice;
      return choice && isUsable ? [{ ...rest, choice }] : [];
    });
    const [first] = members;
    if (!first) return undefined;
    const alone = members.length === 1 && !first.price;
    return new Configured(named, alone ? first.choice : new Group(members, this.#parts.random));
  }

  /**
   * Whether a provider can have a model that a client named through a pattern. A catch-all such as `"*" = "openai:*"` must not send
   * `antropic:claude-sonnet-5` to OpenAI.
   */
  #hasModel({ source: { provider }, model }: Target): boolean {
    const { preset } = provider;
    const isProxy = preset.wire !== "local" && hasOwnAddress(provider, preset);
    try {
      checkModelName(model, isProxy ? undefined : preset, this.#parts.sources.known);
      return true;
    } catch {
      return false;
    }
  }

  #offered(name: string): Target | undefined {
    if (this.isClosed && name !== "offline") return undefined;
    const target = this.target(name);
    return target && this.#parts.sources.offers(target.source) ? target : undefined;
  }

  /** A model that some provider lists under this very name. */
  #listed(name: string): Target | undefined {
    const { listings, clock } = this.#parts;
    for (const source of [...this.local, ...this.withKeys])
      if (listings.peek(source).some(({ id }) => id === name)) return new Target(source, { chat: name }, clock);
    return undefined;
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size >= mostRemembered) map.clear();
  map.set(key, value);
  return value;
}

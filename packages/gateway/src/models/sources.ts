import {
  AntiphonError,
  connect,
  findPreset,
  lazily,
  presets as builtIn,
  provider,
  type ConnectOptions,
  type Environment,
  type Preset,
  type Provider,
  type Respond,
  type ServerPreset,
  type Wire,
} from "antiphon";
import { Discretion } from "./discretion.ts";
import { providerOptions } from "./providers-config.ts";
import type { ReadConfig } from "./read-config.ts";
import { withoutForeignThoughts } from "./thoughts.ts";

/** A provider that models come from. */
export interface Source {
  readonly name: string;
  readonly provider: Provider;
  /** As price lists call it, where one may know it. */
  readonly seller: string | undefined;
  readonly wire: Wire | "local";
  /** Whether it is a server of this machine's user, which was found and not configured. */
  readonly isLocal: boolean;
  /** Whether its streams may be passed on unread. */
  readonly relays: boolean;
  readonly respond: Respond;
  /** What of its failures may be told. */
  readonly discretion: Discretion;
}

/** Official servers, whose streams are what the clients of their wire expect. */
const clean: ReadonlySet<string> = new Set(["openai", "azure", "openai-chat", "anthropic"]);
/** Servers that people run on their own machines, all found at their usual address. */
const localServers: ReadonlySet<string> = new Set(["lmstudio", "ollama", "llamacpp"]);

/** How providers are reached. */
export interface SourcesOptions extends Omit<ConnectOptions, "relay"> {
  env?: Environment;
  presets?: readonly Preset[];
}

/** All providers, made when they are first needed. */
export class Sources {
  /** Those that model strings may name, the caller's own first. */
  readonly known: readonly Preset[];
  readonly #config: ReadConfig;
  readonly #options: SourcesOptions;
  readonly #made = new Map<string, Source>();

  /** @param others The presets that were not configured. */
  constructor(config: ReadConfig, others: readonly Preset[], options: SourcesOptions) {
    this.#config = config;
    this.#options = options;
    this.known = [...config.presets, ...others];
  }

  /** The provider of a name or an alias, where there is one. */
  find(name: string): Source | undefined {
    const preset = findPreset(name, this.known);
    if (!preset) return undefined;
    let source = this.#made.get(preset.name);
    if (!source) this.#made.set(preset.name, (source = this.#make(preset)));
    return source;
  }

  /** Whether clients may name a provider that was not configured, or that was. */
  offers({ name, provider }: Source): boolean {
    const { preset } = provider;
    if (this.isOwn(name) || preset.wire === "local") return true;
    const origin = preset.keyless ? "local" : "environment";
    return this.#config.discover.includes(origin) && isUsable(provider);
  }

  /** Whether a provider was configured, or brought by the program. */
  isOwn(name: string): boolean {
    const { presets = [] } = this.#options;
    return Object.hasOwn(this.#config.providers, name) || presets.some((preset) => preset.name === name);
  }

  /** The providers of one's own, then those with a key in the environment; twins are not counted twice. */
  *withKeys(): Generator<Source> {
    for (const preset of this.known) {
      const source = this.find(preset.name);
      // A later preset of the same name is hidden by the first.
      if (!source || source.provider.preset !== preset) continue;
      if (this.isOwn(preset.name)) yield source;
      else if (preset.wire !== "local" && !preset.keyless && !preset.twin && this.offers(source)) yield source;
    }
  }

  /** Servers that may run on this machine, or whose address is in the environment. */
  *onThisMachine(): Generator<Source> {
    for (const preset of this.known) {
      if (preset.wire === "local" || !preset.keyless || preset.twin || this.isOwn(preset.name)) continue;
      const source = this.find(preset.name);
      if (!source || !this.offers(source)) continue;
      if (localServers.has(preset.name) || hasOwnAddress(source.provider, preset)) yield source;
    }
  }

  #make(preset: Preset): Source {
    const settings = this.#config.providers[preset.name] ?? {};
    const { timeouts } = this.#config;
    const upstream = provider(preset, { ...providerOptions(settings, this.#options.env), ...(timeouts && { timeouts }) });
    const { env: _, presets: __, ...options } = this.#options;
    const discretion = new Discretion(upstream);
    const plain = withoutForeignThoughts(connect(upstream, options));
    return {
      name: preset.name,
      provider: upstream,
      seller: sellerOf(preset, settings.preset),
      wire: preset.wire,
      isLocal: preset.wire !== "local" && preset.keyless === true && !this.isOwn(preset.name),
      relays: settings.relay ?? isClean(upstream, findPreset(settings.preset ?? preset.name)?.name),
      respond: discretion.middleware(plain),
      discretion,
    };
  }
}

/** The presets of the program and of the library; the offline model takes its ids from the gateway, which keeps what it says. */
export const knownPresets = ({ presets = [], newId, now }: SourcesOptions): Preset[] => [
  ...presets,
  ...builtIn().map((preset) =>
    preset.name === "offline" && preset.wire === "local"
      ? { ...preset, respond: () => lazily(async () => (await import("antiphon/testing")).offline({ newId, now })) }
      : preset,
  ),
];

/** Whether a provider has its key and its address. */
const isUsable = (upstream: Provider): boolean => missing(upstream) === undefined;

/** What a provider lacks before it can be asked, in words. */
export function missing(upstream: Provider): string | undefined {
  if ("respond" in upstream) return undefined;
  try {
    upstream.headers();
    return undefined;
  } catch (thrown) {
    return thrown instanceof AntiphonError ? inConfigTerms(thrown.message, upstream.preset.name) : "The provider is not usable.";
  }
}

/** Replaces the library's advice to pass an option: in a gateway, the option is a setting. */
const inConfigTerms = (message: string, provider: string): string =>
  message.replace(/\b([Pp])ass `(apiKey|baseUrl)`/, (_, letter: string, option: string) => {
    const setting = `\`providers.${provider}.${option === "apiKey" ? "api_key" : "base_url"}\``;
    return `${letter === "P" ? "Set" : "set"} ${setting} in the gateway's configuration`;
  });

/** Whether a provider is reached at another address than the official one. */
export const hasOwnAddress = (upstream: Provider, preset: ServerPreset): boolean =>
  "baseUrl" in upstream && upstream.baseUrl !== "" && upstream.baseUrl !== preset.baseUrl;

/** Whether a server is one of the official ones; an address that somebody gave may lead anywhere. */
function isClean(upstream: Provider, like: string | undefined): boolean {
  const { preset } = upstream;
  if (preset.wire === "local" || !like || !clean.has(like)) return false;
  return !preset.baseUrl || preset.baseUrl.includes("{") || !hasOwnAddress(upstream, preset);
}

/** Of one's own providers nobody has a list of prices. */
function sellerOf(preset: Preset, like: string | undefined): string | undefined {
  if (preset.wire === "local") return preset.name;
  const name = preset.twin ?? like ?? preset.name;
  return findPreset(name) && name;
}

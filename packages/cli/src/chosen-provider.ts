import {
  checkModelName,
  findPreset,
  parseModelString,
  presets as builtIn,
  provider,
  type ModelNames,
  type ModelString,
  type Preset,
  type Provider,
  type ProviderConfig,
  type Timeouts,
} from "antiphon";
import { layerOf } from "./config/layers.ts";
import { complaint, needs, type Settings } from "./config/load.ts";
import type { PresetSettings } from "./config/schema.ts";
import { defined } from "./defined.ts";

type Kind = keyof ModelNames;

/** The key of the model for each kind of work. */
const keyOf: Readonly<Record<Kind, "model" | "embedding_model" | "media_model">> = {
  chat: "model",
  embeddings: "embedding_model",
  media: "media_model",
};

/** Options that are not in the configuration. */
export interface Choice {
  /** Defaults to `chat`. */
  kind?: Kind;
  baseUrl?: string;
}

/** Returns the configured provider. */
export function chosenProvider(settings: Settings, { kind = "chat", baseUrl }: Choice = {}): Provider {
  const known = [...ownPresets(settings), ...builtIn()];
  const found = kind === "chat" ? undefined : namedFor(settings, kind, known);
  return make(settings, found ?? chosen(settings, known, kind), { kind, baseUrl, known });
}

/** Returns the provider of a model string, with its configuration. */
export function providerNamed(settings: Settings, name: string): Provider {
  const known = [...ownPresets(settings), ...builtIn()];
  return make(settings, parseModelString(name, known), { known });
}

function make(settings: Settings, named: ModelString, choice: Choice & { known: readonly Preset[] }): Provider {
  const { kind = "chat", baseUrl, known } = choice;
  const preset = findPreset(named.provider, known);
  const name = preset?.name ?? named.provider;
  const [key, own = {}] = configOf(settings, name, known) ?? [name];
  needs(settings, ["providers", key]);
  needs(settings, ["presets", name]);
  const { model, embedding_model, media_model } = own;
  const usual = defined({ chat: model, embeddings: embedding_model, media: media_model });
  const { provider: _, ...models } = { ...usual, ...named };
  const main = kind === "media" ? models.media : undefined;
  return provider(preset ?? name, {
    models,
    timeouts: timeoutsOf(settings),
    config: libraryConfig(settings, known),
    ...(main === undefined ? {} : { model: main }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
}

const milliseconds = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1000);

function timeoutsOf({ values }: Settings): Timeouts {
  const { connect_timeout, first_event_timeout, idle_timeout } = values;
  return defined({
    connect: milliseconds(connect_timeout),
    firstEvent: milliseconds(first_event_timeout),
    idle: milliseconds(idle_timeout),
  });
}

/**
 * Providers whose key in the environment selects them if nothing is configured, in this order. Tokens that usually serve another
 * purpose, such as `GITHUB_TOKEN` or `HF_TOKEN`, select nothing.
 */
const automaticProviders = [
  "openai",
  "anthropic",
  "gemini",
  "xai",
  "deepseek",
  "mistral",
  "moonshot",
  "zai",
  "alibaba",
  "perplexity",
  "groq",
  "cerebras",
  "together",
  "fireworks",
  "nvidia",
  "openrouter",
] as const;

/** The first of these providers that has a key in the environment, and its variable. */
function providerWithKey(): { name: string; variable: string } | undefined {
  for (const name of automaticProviders) {
    const preset = findPreset(name);
    const variables = preset && preset.wire !== "local" ? (preset.env ?? []) : [];
    const variable = variables.find((one) => process.env[one]?.trim());
    if (variable !== undefined) return { name, variable };
  }
  return undefined;
}

/** Why a provider was chosen although none is configured; `undefined` if one is, or for the offline model. */
export function choiceReason({ values }: Settings, chosenOne: Provider): string | undefined {
  if (values.model !== undefined || values.provider !== undefined) return undefined;
  const found = providerWithKey();
  return found && `using ${chosenOne.name}:${chosenOne.model} because ${found.variable} is set; --model selects another model`;
}

/** Resolves `provider` and `model`, each from its configuration layer. */
function chosen(settings: Settings, known: readonly Preset[], kind: Kind = "chat"): ModelString {
  const { provider: name, model } = settings.values;
  if (model === undefined && name === undefined)
    return { provider: (kind === "chat" ? providerWithKey()?.name : undefined) ?? "offline" };
  if (model === undefined) return parsed(settings, "provider", name ?? "", known);
  if (name === undefined) return parsed(settings, "model", model, known);
  const owner = parsed(settings, "provider", name, known);
  const rank = (key: string): number => settings.layers.indexOf(layerOf(settings.layers, [key])!);
  // A provider that is set later than the model replaces the model too, unless the model string names that same provider.
  if (rank("provider") > rank("model"))
    return headOf(model, known)?.name === findPreset(owner.provider, known)?.name
      ? parsed(settings, "model", model, known)
      : owner;
  return modelFor(settings, "model", { owner, isTogether: rank("model") === rank("provider"), known });
}

/**
 * Reads the model under `key`: a whole model string, or the name of a model of `owner`. A name that fits neither is an error, so
 * that no prompt goes to a provider that was not meant.
 */
function modelFor(
  settings: Settings,
  key: "model" | "embedding_model" | "media_model",
  { owner, isTogether, known }: { owner: ModelString; isTogether: boolean; known: readonly Preset[] },
): ModelString {
  const text = settings.values[key] ?? "";
  const preset = findPreset(owner.provider, known);
  const named = headOf(text, known);
  // `openai/gpt-oss-120b` is a model in Groq's catalogue, and `mistral:7b` a model of Ollama if both are set together.
  const isOwnName = isTogether || (preset?.hosts === "catalogue" && /^[^:/?]*\//.test(text));
  if (named && (named === preset || !isOwnName)) return parsed(settings, key, text, known);
  complaining(settings, key, () => checkModelName(text, preset, known));
  return { ...owner, chat: text };
}

/** The provider that the first part of a model string names. */
const headOf = (model: string, known: readonly Preset[]): Preset | undefined =>
  findPreset((/^[^:/?]*/.exec(model.trim())?.[0] ?? "").toLowerCase(), known);

/** Reads the model for one kind of work: a model string, or a model of the chosen provider. */
function namedFor(settings: Settings, kind: Kind, known: readonly Preset[]): ModelString | undefined {
  const key = keyOf[kind];
  const { [key]: text, provider: owner, model } = settings.values;
  if (text === undefined) return undefined;
  // Without a provider, the name must contain it: the offline model accepts any name.
  const hasOwner = owner !== undefined || model !== undefined;
  const {
    provider: name,
    chat,
    ...rest
  } = hasOwner
    ? modelFor(settings, key, { owner: { provider: chosen(settings, known).provider }, isTogether: false, known })
    : parsed(settings, key, text, known);
  return { provider: name, ...(chat === undefined ? {} : { [kind]: chat }), ...rest };
}

const parsed = (settings: Settings, key: string, text: string, known: readonly Preset[]): ModelString =>
  complaining(settings, key, () => parseModelString(text, known));

/** Prefixes an error about a value with its source. */
function complaining<T>(settings: Settings, key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw complaint(settings, [key], error instanceof Error ? error.message : String(error));
  }
}

/** The configuration of a provider, under its name or an alias. */
const configOf = ({ values }: Settings, name: string, known: readonly Preset[]) =>
  Object.entries(values.providers ?? {}).find(([key]) => findPreset(key, known)?.name === name);

/** The configuration of all providers, in the form of the library. */
function libraryConfig(settings: Settings, known: readonly Preset[]): Record<string, ProviderConfig> {
  const entries = Object.entries(settings.values.providers ?? {}).map(([key, { api_key, base_url, headers }]) => {
    const preset = findPreset(key, known);
    if (!preset) throw complaint(settings, ["providers", key], unknownProvider(key, known));
    return [preset.name, { apiKey: api_key, baseUrl: base_url, headers }] as const;
  });
  return Object.fromEntries(entries);
}

function unknownProvider(key: string, known: readonly Preset[]): string {
  try {
    parseModelString(`${key}:model`, known);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return `Unknown provider ${key}.`;
}

/** The custom providers of the configuration. */
export const ownPresets = (settings: Settings): Preset[] =>
  Object.entries(settings.values.presets ?? {}).map(([name, preset]) => presetOf(settings, name, preset));

function presetOf(settings: Settings, name: string, own: PresetSettings): Preset {
  const { wire, base_url, env, keyless, key_header, headers, stores, model, embedding_model, media_model } = own;
  const path = ["presets", name];
  if (wire === undefined)
    throw complaint(settings, path, `presets.${name} requires \`wire\`: responses, chat, messages or gemini`);
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    throw complaint(
      settings,
      path,
      `the name of a preset may contain lowercase letters, digits, dots, dashes and underscores, not "${name}"`,
    );
  const models = defined({ chat: model, embeddings: embedding_model, media: media_model });
  return defined({ name, wire, models, baseUrl: base_url, env, keyless, keyHeader: key_header, headers, stores });
}

import { timeoutRules } from "../core/call-rules.ts";
import { AntiphonError } from "../core/error.ts";
import { anything, anyText, checkOptions, listOf, nested, object, strings, type Rules } from "../core/options.ts";
import type { Timeouts } from "../core/respond.ts";
import { isObject } from "../model/guards.ts";
import type { Upstream } from "../transport/upstream.ts";
import { codecOf } from "./codecs.ts";
import { alternatives, readVariable, type Environment } from "./environment.ts";
import { findKey, GivenKey, keyHeader, type ApiKey } from "./keys.ts";
import { parseModelString, unknownProvider } from "./model-string.ts";
import { baseUrlVariables, type ModelNames, type Preset, type ServerPreset } from "./preset.ts";
import { findPreset, presets } from "./presets/index.ts";

/** What a config file may say about a provider. */
export interface ProviderConfig {
  apiKey?: string;
  baseUrl?: string;
  headers?: Readonly<Record<string, string>>;
}

/** What a caller may say about a provider; it goes before the environment, which goes before the config and the preset. */
export interface ProviderOptions {
  apiKey?: ApiKey;
  baseUrl?: string;
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The chat model. */
  model?: string;
  models?: ModelNames;
  /** Values for the preset's variables: `{ organization: "…" }`, `{ endpoint: "https://…" }`. */
  variables?: Readonly<Record<string, string>>;
  timeouts?: Timeouts;
  /** Instead of the process's environment variables. */
  env?: Environment;
  /** By the provider's name. */
  config?: Readonly<Record<string, ProviderConfig>>;
  /** Presets of one's own, which model strings may name; they go before the built-in ones. */
  presets?: readonly Preset[];
}

const providerRules: Rules<ProviderOptions> = {
  // Checked when it is used: keys may be fetched late.
  apiKey: anything,
  baseUrl: anyText,
  headers: strings,
  query: strings,
  model: anyText,
  models: nested<ModelNames>({ chat: anyText, embeddings: anyText, media: anyText }),
  variables: object,
  timeouts: nested(timeoutRules),
  env: object,
  config: object,
  presets: listOf(object),
};

/** An upstream made from a preset. Keys and headers are in no property of it, so it can be logged. */
export type Provider = Upstream & {
  /** The model for each kind of work, defaults filled in. */
  readonly models: ModelNames;
  readonly preset: Preset;
};

/** Returns the names of the built-in providers. */
export const providerNames = (): string[] => presets().map((preset) => preset.name);

/**
 * Creates a provider from a name, a model string or a preset. Nothing is checked until it is used, so it can be made
 * without a key.
 *
 * @example
 * const respond = connect(provider("openai:gpt-5.2"));
 * const local = connect(provider("ollama:qwen3:8b", { baseUrl: "http://192.168.0.7:11434/v1" }));
 */
export function provider(which: string | Preset, options: ProviderOptions = {}): Provider {
  checkOptions("provider", options, providerRules);
  const { preset, named } = choose(which, options.presets ?? []);
  const explicit = options.model ? { chat: options.model } : {};
  const models = { ...preset.models, ...named, ...options.models, ...explicit };
  const about = { name: preset.name, ...(models.chat ? { model: models.chat } : {}), models, preset };
  return preset.wire === "local" ? { ...about, respond: preset.respond() } : { ...about, ...server(preset, options) };
}

// What is neither a name nor a preset is left to the reader of model strings, which says so.
const isPreset = (which: string | Preset): which is Preset => isObject(which) && "wire" in which;

function choose(which: string | Preset, own: readonly Preset[]): { preset: Preset; named: ModelNames } {
  if (isPreset(which)) return { preset: which, named: {} };
  const known = [...own, ...presets()];
  const { provider: name, ...named } = parseModelString(which, known);
  const preset = findPreset(name, known);
  if (!preset) throw unknownProvider(name, known);
  return { preset, named };
}

function server(preset: ServerPreset, options: ProviderOptions) {
  const configured = configOf(preset, options);
  const { baseUrl, missing } = findBaseUrl(preset, options);
  const query = { ...preset.query, ...options.query };
  const given = new GivenKey(options.apiKey);
  const keyNow = (): string | undefined => {
    const apiKey = given.now;
    return given.isPending ? undefined : findKey(preset, { apiKey, env: options.env, configured: configured?.apiKey });
  };
  const own = { ...lowerCase(configured?.headers), ...lowerCase(options.headers) };
  const fixed = lowerCase(preset.headers);
  const headers = (): Record<string, string> => {
    if (missing) throw new AntiphonError("BAD_REQUEST", missing, { provider: preset.name, param: "baseUrl" });
    const key = hasKey(preset, own) ? undefined : keyNow();
    const all: Record<string, string> = {};
    for (const some of [fixed, variableHeaders(preset, options), key ? lowerCase(keyHeader(preset, key)) : {}, own])
      for (const name in some) all[name] = some[name]!;
    return all;
  };
  return {
    baseUrl,
    codec: codecOf(preset),
    headers,
    ...(typeof options.apiKey === "function" ? { prepare: () => given.fetch() } : {}),
    ...(preset.keyHeader === undefined ? {} : { keyHeader: preset.keyHeader }),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  };
}

const configOf = ({ name, twin }: ServerPreset, { config }: ProviderOptions): ProviderConfig | undefined =>
  config?.[name] ?? (twin === undefined ? undefined : config?.[twin]);

/** Headers of the caller's own that bring the key make any other needless. */
const hasKey = (preset: ServerPreset, headers: Record<string, string>): boolean =>
  "authorization" in headers || (preset.keyHeader ?? "authorization").toLowerCase() in headers;

/** Two spellings of one name must not both be sent. */
function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name]!;
  return lower;
}

const variable = (preset: ServerPreset, name: string, options: ProviderOptions): string | undefined =>
  options.variables?.[name] || readVariable(preset.variables?.[name]?.env ?? [], options.env);

function variableHeaders(preset: ServerPreset, options: ProviderOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, { header }] of Object.entries(preset.variables ?? {})) {
    const value = header && variable(preset, name, options);
    if (value) headers[header.toLowerCase()] = value;
  }
  return headers;
}

const withEnd = (url: string, end = ""): string => {
  const trimmed = url.replace(/\/+$/, "");
  return trimmed.endsWith(end) ? trimmed : trimmed + end;
};

/** The base URL, or a sentence about what it lacks: that is only worth an error once the provider is used. */
function findBaseUrl(preset: ServerPreset, options: ProviderOptions): { baseUrl: string; missing?: string } {
  const names = baseUrlVariables(preset);
  const given = options.baseUrl || readVariable(names, options.env) || configOf(preset, options)?.baseUrl;
  const template = (given && withEnd(given, preset.baseUrlEnd)) || preset.baseUrl;
  if (!template) {
    return { baseUrl: "", missing: `There is no base URL for ${preset.name}. Set ${alternatives(names)}, or pass \`baseUrl\`.` };
  }
  const absent: string[] = [];
  const filled = template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = variable(preset, name, options);
    if (!value) absent.push(name);
    return value?.replace(/\/+$/, "") ?? placeholder;
  });
  const baseUrl = filled.replace(/\/+$/, "");
  const [name] = absent;
  if (!name) return { baseUrl };
  const variables = [...(preset.variables?.[name]?.env ?? []), ...names];
  return {
    baseUrl,
    missing: `The base URL for ${preset.name} requires its ${name}. Set ${alternatives(variables)}, or pass \`baseUrl\`.`,
  };
}

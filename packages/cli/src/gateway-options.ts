import { findPreset } from "antiphon";
import type { ServeOptions } from "antiphon-gateway/node";
import { isTable, type Table } from "./config/check.ts";
import { needs, type Settings } from "./config/load.ts";
import type { PresetSettings, ProviderSettings } from "./config/schema.ts";
import { defined } from "./defined.ts";
import { gatewayStore } from "./gateway-store.ts";

const day = 86_400_000;

/** What the gateway reads in either spelling, since names of the user's choice stand in it. */
const eitherSpelling: ReadonlySet<string> = new Set(["models", "providers"]);

/** What the gateway is started with: its own table, and what is said about providers in general. */
export function gatewayOptions(settings: Settings): ServeOptions {
  for (const name of ["gateway", "providers", "presets"]) needs(settings, [name]);
  const { gateway = {}, providers = {}, presets = {} } = settings.values;
  const general = { ...mapValues(presets, ownServer), ...mapValues(providers, knownProvider) };
  const own = isTable(gateway.providers) ? gateway.providers : {};
  const all = { ...general, ...mapValues(own, (value, name) => (isTable(value) ? { ...general[name], ...value } : value)) };
  const named = Object.entries({ ...gateway, store: gatewayStore(settings) }).map(([name, value]) => [
    camelCase(name),
    eitherSpelling.has(name) ? value : camelKeys(value),
  ]);
  const { retention } = gateway;
  // All but models and providers fits the schema, and those the gateway checks itself.
  return {
    ...Object.fromEntries(named),
    ...(retention && { retention: mapValues(retention, (days) => days && days * day) }),
    ...(Object.keys(all).length > 0 && { providers: all }),
  } as ServeOptions;
}

function mapValues<T, U>(table: Readonly<Record<string, T>>, map: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value, name)]));
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const camelKeys = (value: unknown): unknown =>
  isTable(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), camelKeys(inner)])) : value;

/** A provider that the library knows; a key in the environment goes before the one in a file. */
function knownProvider({ api_key, base_url, headers, model, embedding_model }: ProviderSettings, name: string): Table {
  const preset = findPreset(name);
  const isSet = preset && preset.wire !== "local" && preset.env?.some((variable) => process.env[variable]);
  return defined({ apiKey: isSet ? undefined : api_key, baseUrl: base_url, headers, model, embeddingModel: embedding_model });
}

function ownServer({ wire, base_url, env = [], key_header, headers, model, embedding_model }: PresetSettings): Table {
  const key = env.map((name) => process.env[name]).find(Boolean);
  const sent = key !== undefined && key_header !== undefined ? { ...headers, [key_header]: key } : headers;
  const apiKey = key_header === undefined ? key : undefined;
  return defined({ wire, baseUrl: base_url, apiKey, headers: sent, model, embeddingModel: embedding_model });
}

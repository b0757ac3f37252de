import { findPreset, type Environment, type Preset, type ProviderOptions, type Wire } from "antiphon";
import type { ProviderSettings } from "./models-config.ts";

/** What a server of one's own wants to hear beyond its wire. */
const plainServers: { [W in Wire]: { keyHeader?: string; headers?: Readonly<Record<string, string>> } } = {
  responses: {},
  chat: {},
  messages: { keyHeader: "x-api-key", headers: { "anthropic-version": "2023-06-01" } },
  gemini: { keyHeader: "x-goog-api-key" },
};

/** The preset of a configured provider; `undefined` where what it is like is not known. */
export function presetOf(name: string, settings: ProviderSettings, known: readonly Preset[]): Preset | undefined {
  const { wire, preset, baseUrl, model, embeddingModel } = settings;
  const models = { ...(model ? { chat: model } : {}), ...(embeddingModel ? { embeddings: embeddingModel } : {}) };
  // Neither keys nor anything else of the environment goes to a server of one's own: they were meant for somebody else.
  const own = { name, models, env: [], baseUrlEnv: [], variables: {}, keyless: true };
  if (wire) return { ...plainServers[wire], ...own, wire };
  const found = findPreset(preset ?? name, known);
  const like = found && { ...found, models: { ...found.models, ...models } };
  if (!like || like.name === name || like.wire === "local") return like && { ...like, name };
  return baseUrl === undefined ? { ...like, name, twin: like.twin ?? like.name } : { ...like, ...own, models: like.models };
}

/** What the library is told about a configured provider, beside its preset. */
export function providerOptions(settings: ProviderSettings, env: Environment | undefined): ProviderOptions {
  const { apiKey, baseUrl, headers, query, variables } = settings;
  return { apiKey, baseUrl, headers, query, variables, env };
}

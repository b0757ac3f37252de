import { AntiphonError } from "../core/error.ts";
import { alternatives, readVariable, type Environment } from "./environment.ts";
import type { ServerPreset } from "./preset.ts";

/** A key, or a function that fetches one each time it is needed, for keys that expire. */
export type ApiKey = string | (() => string | undefined);

/** Where a key may come from, first to last. */
export interface KeySources {
  apiKey?: ApiKey;
  env?: Environment;
  /** The key that a config file holds for this provider. */
  configured?: string;
}

/** What no HTTP header can carry. Some runtimes quote such a value in their own error, key and all, so it must not get there. */
// oxlint-disable-next-line no-control-regex
const unsendable = /[^\x21-\x7e]/;

/** The key for a preset, if there is one. Throws where one is needed, or where the one there is cannot be sent. */
export function findKey(preset: ServerPreset, sources: KeySources): string | undefined {
  const { apiKey, env, configured } = sources;
  const explicit = typeof apiKey === "function" ? apiKey() : apiKey;
  if (explicit !== undefined && typeof explicit !== "string") throw new AntiphonError("AUTH_ERROR", noText(preset.name));
  const variables = preset.env ?? [];
  const key = explicit?.trim() || readVariable(variables, env) || configured?.trim();
  if (!key) {
    if (preset.keyless) return undefined;
    throw new AntiphonError("AUTH_ERROR", missing(preset.name, variables), { provider: preset.name });
  }
  if (unsendable.test(key)) {
    throw new AntiphonError("AUTH_ERROR", `The key for ${preset.name} has a character that no HTTP header can carry.`, {
      provider: preset.name,
    });
  }
  return key;
}

// A promise, most likely: headers are made at once.
const noText = (name: string): string => `The key for ${name} is no text; a function that gives it gives it at once.`;

const missing = (name: string, variables: readonly string[]): string =>
  variables.length > 0
    ? `There is no key for ${name}: set ${alternatives(variables)}, or pass \`apiKey\`.`
    : `There is no key for ${name}: pass \`apiKey\`.`;

/** The header that carries a key. */
export const keyHeader = (preset: ServerPreset, key: string): Record<string, string> =>
  preset.keyHeader ? { [preset.keyHeader]: key } : { authorization: `Bearer ${key}` };

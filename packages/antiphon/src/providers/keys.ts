import { AntiphonError } from "../core/error.ts";
import { alternatives, readVariable, type Environment } from "./environment.ts";
import type { ServerPreset } from "./preset.ts";

/** A key, or a function that fetches one each time it is needed, for keys that expire. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

/** The key that a caller gave, at once or by a function that may take its time. */
export class GivenKey {
  readonly #given: ApiKey | undefined;
  /** Whether the function takes its time: then it is asked in `fetch` alone, and otherwise where the key is wanted. */
  #isLate: boolean | undefined;
  #fetched: { key: string | undefined } | undefined;

  constructor(given: ApiKey | undefined) {
    this.#given = given;
  }

  /** Whether it was asked for and is not there yet. */
  get isPending(): boolean {
    return this.#isLate === true && !this.#fetched;
  }

  /** The key as it is now. */
  get now(): string | undefined {
    if (typeof this.#given !== "function") return this.#given;
    if (!this.#isLate) {
      const got = this.#given();
      if (!isPromise(got)) return got;
      this.#isLate = true;
      // Whoever asks for it in `fetch` hears of it.
      got.catch(() => {});
    }
    return this.#fetched?.key;
  }

  /** Asks for it, where that takes its time. */
  async fetch(): Promise<void> {
    if (typeof this.#given !== "function" || this.#isLate === false) return;
    const got = this.#given();
    this.#isLate = isPromise(got);
    if (this.#isLate) this.#fetched = { key: await got };
  }
}

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

/** Where a key may come from, first to last. */
export interface KeySources {
  apiKey: string | undefined;
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
  if (apiKey !== undefined && typeof apiKey !== "string") throw new AntiphonError("AUTH_ERROR", noText(preset.name));
  const variables = preset.env ?? [];
  const key = apiKey?.trim() || readVariable(variables, env) || configured?.trim();
  if (!key) {
    if (preset.keyless) return undefined;
    throw new AntiphonError("AUTH_ERROR", missing(preset.name, variables), { provider: preset.name });
  }
  if (unsendable.test(key)) {
    throw new AntiphonError(
      "AUTH_ERROR",
      `The API key for ${preset.name} contains a character that is not allowed in an HTTP header.`,
      {
        provider: preset.name,
      },
    );
  }
  return key;
}

const noText = (name: string): string => `The API key for ${name} must be a string.`;

const missing = (name: string, variables: readonly string[]): string =>
  variables.length > 0
    ? `There is no API key for ${name}. Set ${alternatives(variables)}, or pass \`apiKey\`.`
    : `There is no API key for ${name}. Pass \`apiKey\`.`;

/** The header that carries a key. */
export const keyHeader = (preset: ServerPreset, key: string): Record<string, string> =>
  preset.keyHeader ? { [preset.keyHeader]: key } : { authorization: `Bearer ${key}` };

import { presets, type Provider } from "antiphon";
import { ownPresets, providerNamed } from "./chosen-provider.ts";
import type { Settings } from "./config/load.ts";
import { ConfigError } from "./options.ts";

/** A provider that could be asked from here. */
export interface Candidate {
  provider: Provider;
  /** Whether it is set up: there is a key, a base URL or an entry in the configuration. A server on this machine may simply not be there. */
  isSetUp: boolean;
}

const isHere = /^https?:\/\/(127\.|localhost|\[::1\])/;

/** The providers that have a key or want none. The other wires of the same servers are left out. */
export function candidates(settings: Settings): Candidate[] {
  const own = ownPresets(settings);
  const configured = new Set([...Object.keys(settings.values.providers ?? {}), ...own.map(({ name }) => name)]);
  return [...own, ...presets()].flatMap((preset): Candidate[] => {
    if (preset.wire !== "local" && preset.twin !== undefined) return [];
    const provider = usable(settings, preset.name);
    if (!provider) return [];
    if ("respond" in provider) return [{ provider, isSetUp: true }];
    if (!hasAccess(provider)) return [];
    const isGuess = preset.wire !== "local" && preset.keyless === true && isHere.test(provider.baseUrl);
    return [{ provider, isSetUp: configured.has(preset.name) || !isGuess }];
  });
}

/** A provider, unless what is said of it names a variable that is not set. */
function usable(settings: Settings, name: string): Provider | undefined {
  try {
    return providerNamed(settings, name);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Whether there is a key and a base URL: the provider's headers cannot be made without them. */
function hasAccess(provider: Exclude<Provider, { respond: unknown }>): boolean {
  try {
    provider.headers();
    return true;
  } catch {
    return false;
  }
}

import { provider, type Provider } from "antiphon";
import { ConfigError, UsageError } from "./options.ts";

/** The provider that the flags name, or else the environment, or else the one that needs nothing. */
export function chosenProvider(flags: { model?: string; "base-url"?: string }): Provider {
  const baseUrl = flags["base-url"];
  try {
    return provider(flags.model ?? process.env["ANTIPHON_MODEL"] ?? "offline", baseUrl === undefined ? {} : { baseUrl });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw flags.model === undefined ? new ConfigError(`ANTIPHON_MODEL: ${message}`) : new UsageError(`--model: ${message}`);
  }
}

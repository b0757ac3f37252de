import { AntiphonError } from "../core/error.ts";
import type { HttpServer, StdioServer } from "./open.ts";

/** Shorter values are words that messages are made of. */
const shortest = 8;
const secretName = /key|token|secret|pass|auth/i;

/** What a server is told in confidence: its headers, whole and after their scheme, and variables that are named like secrets. */
export function secretsOf(server: Partial<StdioServer & HttpServer>): string[] {
  const { headers = {}, env = {} } = server;
  const variables = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  return [...Object.values(headers), ...variables]
    .flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])
    .filter((value) => value.length >= shortest);
}

/** The same error without any secret that the server repeated: what goes wrong with a call is told to the model. */
export function withoutSecrets(thrown: unknown, secrets: readonly string[]): unknown {
  if (!(thrown instanceof AntiphonError) || !secrets.some((secret) => thrown.message.includes(secret))) return thrown;
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), thrown.message);
  // Neither the cause nor the stack goes along: both begin with the old message.
  return new AntiphonError(thrown.code, message, { ...thrown, cause: undefined });
}

import { AntiphonError } from "../core/error.ts";

const secretHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie"] as const;
/** Placeholder keys of local servers are shorter; replacing them would only garble messages. */
const shortestSecret = 5;

const secretName = /auth|cookie|credential|key|pass|secret|token/i;

/** The secret parts of a request's headers: whole values, and tokens after their scheme. */
function secretsIn(headers: Record<string, string>, keyHeader: string | undefined): string[] {
  return Object.entries(headers)
    .filter(([name]) => secretName.test(name) || name === keyHeader?.toLowerCase())
    .flatMap(([, value]) => [value, value.slice(value.indexOf(" ") + 1)])
    .filter((value) => value.length >= shortestSecret);
}

/** Whether any of these headers is a secret. */
export const holdsSecret = (headers: Record<string, string>): boolean => secretHeaders.some((name) => headers[name]);

/**
 * The same error without any secret that a server, or a runtime, repeated in its message. What is secret, a header's name gives away,
 * or that it is the one which the server's key travels in.
 */
export function redact(error: AntiphonError, headers: Record<string, string>, keyHeader?: string): AntiphonError {
  const secrets = secretsIn(headers, keyHeader);
  const tells = (text: string): boolean => secrets.some((secret) => text.includes(secret));
  const cause = error.cause instanceof Error && tells(error.cause.message) ? undefined : error.cause;
  if (!tells(error.message) && cause === error.cause) return error;
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), error.message);
  // A new error and not `with`, which would carry over a stack that begins with the old message.
  return new AntiphonError(error.code, message, { ...error, cause });
}

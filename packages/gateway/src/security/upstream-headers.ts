import { AntiphonError } from "antiphon";

interface HeaderReader {
  get(name: string): string | null;
}

/**
 * The headers of a client that its model's provider is told: those by which a request is found again. Switches of a wire
 * (`openai-beta`, `anthropic-beta`, `anthropic-version`) concern the wire between client and gateway; which the gateway sends is its
 * own affair, and so is whose account pays (`openai-organization`, `openai-project`).
 */
export const passedOn: readonly string[] = ["traceparent", "tracestate", "x-client-request-id"];

const longest = 1_024;
const plain = /^[\x20-\x7e]+$/;
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** Never passed on, whatever the configuration says: who the client is, how it came to us, and how a message is framed. */
const never: readonly RegExp[] = [
  /^(?:proxy-)?auth/,
  /cookie/,
  /(?:^|-)(?:api-)?key$/,
  /token/,
  /secret/,
  /^(?:host|origin|referer|from|via|forwarded|true-client-ip)$/,
  /^(?:x-forwarded|x-real|x-amz|x-goog|cf|sec|proxy|access-control|content|accept|if)-/,
  /^(?:accept|connection|date|expect|http2-settings|keep-alive|range|te|trailer|transfer-encoding|upgrade|upgrade-insecure-requests)$/,
  /^(?:openai-organization|openai-project|anthropic-version|user-agent)$/,
];

/** The names of the headers that are passed on, with those that a configuration adds; refuses the ones that must never be. */
export function passedOnWith(names: readonly string[]): string[] {
  const added = names.map((name) => name.trim().toLowerCase());
  const bad = added.find((name) => !token.test(name) || never.some((pattern) => pattern.test(name)));
  if (bad !== undefined)
    throw new AntiphonError("BAD_REQUEST", `The header "${bad}" cannot be forwarded to providers.`, { param: "passedOn" });
  return [...new Set([...passedOn, ...added])];
}

/** What of a client's headers goes upstream. What is not plain text of some length is left out: nobody needs it, and it may break in. */
export function upstreamHeaders(headers: HeaderReader, names: readonly string[] = passedOn): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null && value.length <= longest && plain.test(value)) passed[name] = value;
  }
  return passed;
}

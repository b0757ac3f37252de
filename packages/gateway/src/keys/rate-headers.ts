import type { AntiphonError } from "antiphon";
import type { Bucket } from "./bucket.ts";

/** The limits of a key as headers, as OpenAI's clients read them; nothing where it has none. */
export function rateHeaders(
  requests: Bucket | undefined,
  tokens: Bucket | undefined,
  now: number,
): Record<string, string> | undefined {
  if (!requests && !tokens) return undefined;
  const headers: Record<string, string> = {};
  if (requests) add(headers, "requests", requests, now);
  if (tokens) add(headers, "tokens", tokens, now);
  return headers;
}

function add(headers: Record<string, string>, what: "requests" | "tokens", bucket: Bucket, now: number): void {
  headers[`x-ratelimit-limit-${what}`] = String(bucket.limit);
  headers[`x-ratelimit-remaining-${what}`] = String(bucket.left(now));
  headers[`x-ratelimit-reset-${what}`] = duration(bucket.untilFull(now));
}

/** What is told of the limits where they are what somebody is refused for. */
const told = new WeakMap<object, Record<string, string>>();

export function tellLimits(refusal: AntiphonError, headers: Record<string, string> | undefined): AntiphonError {
  if (headers) told.set(refusal, headers);
  return refusal;
}

export const limitsTold = (thrown: unknown): Record<string, string> | undefined =>
  thrown instanceof Error ? told.get(thrown) : undefined;

/** Milliseconds as these headers write them: `120ms`, `1.5s`, `6m0s`. */
function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = (milliseconds - minutes * 60_000) / 1_000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

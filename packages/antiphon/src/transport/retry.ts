import { errorCodes } from "../core/error-codes.ts";
import type { AntiphonError } from "../core/error.ts";
import type { RetryOptions } from "../core/respond.ts";
import type { CreateResponse } from "../model/index.ts";
import { NotConnected } from "./connection-error.ts";

/** The defaults: two retries, with pauses from half a second to eight seconds. */
export const defaultRetry: Readonly<Required<RetryOptions>> = { retries: 2, minDelay: 500, maxDelay: 8_000 };

/** Options in order of growing weight. */
export function mergeRetry(...list: (RetryOptions | undefined)[]): Required<RetryOptions> {
  const merged = { ...defaultRetry };
  for (const options of list)
    for (const name of ["retries", "minDelay", "maxDelay"] as const) merged[name] = options?.[name] ?? merged[name];
  return merged;
}

/** What is known of a failed attempt beside its error. */
export interface RetryFacts {
  /** The request changes something on the server, so that a second one may do it twice. */
  stateful?: boolean;
  /** The request only reads what is there already, so a second one costs nothing. */
  readOnly?: boolean;
  /** What the server said in `x-should-retry`. */
  shouldRetry?: boolean;
}

/** Whether sending a request twice may leave two traces: it adds to a stored conversation, or starts a job. */
export const isStateful = (request: CreateResponse): boolean => request.conversation != null || request.background === true;

/**
 * Whether the same request may be sent again. The caller makes sure that no output was seen. A timeout is retried only if the
 * model cannot have begun: the connection was never made, or the server (408) did not receive the whole request. Otherwise the
 * model may have worked until the timeout, and a retry would be paid for again.
 */
export function mayRetry(error: AntiphonError, { stateful = false, readOnly = false, shouldRetry }: RetryFacts = {}): boolean {
  const { code, status, cause } = error;
  if (code === "QUOTA_EXCEEDED" || code === "ABORTED") return false;
  const isUnsent = cause instanceof NotConnected;
  // Only a server that reports the timeout itself (504) can know better. Headers that came before the silence say nothing about it.
  if (code === "TIMEOUT" && !isUnsent && !readOnly && status !== 408) return status !== undefined && shouldRetry === true;
  if (shouldRetry !== undefined) return shouldRetry;
  if (code !== "TIMEOUT" && !errorCodes[code].retry) return false;
  return !stateful || status === 429 || isUnsent;
}

/**
 * How long to wait before the next attempt, or nothing where there should be none. A server that asks for a pause gets it whole;
 * one that asks for more than `maxDelay` ends the call, since an earlier attempt would only be refused again.
 *
 * @param attempt How many retries there were already.
 */
export function retryDelay(
  error: AntiphonError,
  attempt: number,
  options: RetryOptions & RetryFacts = {},
  random: () => number = Math.random,
): number | undefined {
  const { retries, minDelay, maxDelay } = mergeRetry(options);
  if (attempt >= retries || !mayRetry(error, options)) return undefined;
  if (error.retryAfter) return error.retryAfter <= maxDelay ? Math.ceil(error.retryAfter) : undefined;
  return Math.round(random() * Math.min(maxDelay, minDelay * 2 ** attempt));
}

/** Reads `x-should-retry`. */
export function shouldRetry(headers: { get(name: string): string | null }): boolean | undefined {
  const said = headers.get("x-should-retry");
  return said === "true" ? true : said === "false" ? false : undefined;
}

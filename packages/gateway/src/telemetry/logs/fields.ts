import { AntiphonError, type ErrorCode } from "antiphon";
import { maskSecrets } from "antiphon/middleware";
import type { LogEntry, RequestFacts, RunFacts } from "../telemetry.ts";

export type Level = LogEntry["level"];

/** One line, before it is written; what is `undefined` is left out. */
export type Line = LogEntry;

const operations: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Health checks and scrapes come every few seconds, and say nothing while they go well. */
export const requestLevel = ({ route, status }: RequestFacts): Level =>
  status >= 500 ? "error" : operations.has(route) ? "debug" : "info";

export const requestLine = (facts: RequestFacts): Line => ({
  level: requestLevel(facts),
  message: "request",
  method: facts.method,
  route: facts.route,
  status: facts.status,
  ms: rounded(facts.milliseconds),
  owner: facts.owner,
  request_id: facts.requestId,
});

const failures: ReadonlySet<string> = new Set(["failed", "refused"]);
/** The request itself is at fault, though a parameter of the configuration may be too. */
const ofTheRequest: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  "BAD_REQUEST",
  "CHAIN_NOT_FOUND",
  "CONTENT_POLICY",
  "CONTEXT_LENGTH_EXCEEDED",
  "INVALID_ENCRYPTED_CONTENT",
  "INVALID_SCHEMA",
]);

/** An answer that reaches its bounds, or whose client leaves, ends as it was asked to. */
export const runLevel = ({ status, error }: RunFacts): Level =>
  !failures.has(status) ? "info" : ofTheRequest.has(error) ? "warn" : "error";

export function runLine(facts: RunFacts, content: boolean): Line {
  const { usage, firstOutput, request, response } = facts;
  return {
    level: runLevel(facts),
    message: "response",
    id: facts.id,
    model: maskedName(facts.model),
    provider: facts.provider,
    upstream_model: maskedName(facts.upstreamModel),
    status: facts.status,
    error: facts.error,
    ms: rounded(facts.milliseconds),
    first_ms: firstOutput === undefined ? undefined : rounded(firstOutput),
    input_tokens: usage?.input_tokens,
    cached_tokens: usage?.input_tokens_details.cached_tokens,
    output_tokens: usage?.output_tokens,
    reasoning_tokens: usage?.output_tokens_details.reasoning_tokens,
    cost: facts.cost,
    streamed: facts.streamed,
    background: facts.background,
    owner: facts.owner,
    request_id: facts.requestId,
    ...(content && { instructions: request?.instructions ?? undefined, input: request?.input, output: response?.output }),
  };
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const names = new Map<string, string>();
const mostNames = 200;

/** The name of a model, which clients may invent; those that are used again are not searched for keys again. */
function maskedName(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const masked = maskSecrets(name);
  if (names.size >= mostNames) names.clear();
  names.set(name, masked);
  return masked;
}

/** What an error says of itself in a log: its code and its words, and where it came from if it is none of ours. */
export function errorFields(error: Error): object {
  if (!(error instanceof AntiphonError)) return { name: error.name, message: error.message, stack: error.stack };
  const { code, message, provider, requestId, cause } = error;
  return { code, message, provider, request_id: requestId, ...(cause instanceof Error && { cause: cause.message }) };
}

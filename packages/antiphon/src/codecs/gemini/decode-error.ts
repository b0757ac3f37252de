import type { ErrorCode } from "../../core/error-codes.ts";
import { AntiphonError, type ErrorDetails } from "../../core/error.ts";
import { retryAfter } from "../../core/retry-after.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { HeaderReader } from "../codec.ts";
import { objectIn, objectsIn, stringIn, textIn } from "./wire.ts";

/** What Google says about a failure. */
interface GoogleError {
  /** `INVALID_ARGUMENT`, … */
  status: string | undefined;
  code: number | undefined;
  message: string;
  details: JsonObject[];
}

// The reason in an ErrorInfo is the most particular word.
const byReason: Readonly<Record<string, ErrorCode>> = {
  API_KEY_INVALID: "AUTH_ERROR",
  API_KEY_EXPIRED: "AUTH_ERROR",
  ACCESS_TOKEN_EXPIRED: "AUTH_ERROR",
  ACCESS_TOKEN_TYPE_UNSUPPORTED: "AUTH_ERROR",
  CREDENTIALS_MISSING: "AUTH_ERROR",
  API_KEY_SERVICE_BLOCKED: "PERMISSION",
  SERVICE_DISABLED: "PERMISSION",
  IAM_PERMISSION_DENIED: "PERMISSION",
  BILLING_DISABLED: "QUOTA_EXCEEDED",
  CONSUMER_SUSPENDED: "QUOTA_EXCEEDED",
};

const byStatusName: Readonly<Record<string, ErrorCode>> = {
  UNAUTHENTICATED: "AUTH_ERROR",
  PERMISSION_DENIED: "PERMISSION",
  NOT_FOUND: "NOT_FOUND",
  INVALID_ARGUMENT: "BAD_REQUEST",
  FAILED_PRECONDITION: "BAD_REQUEST",
  OUT_OF_RANGE: "BAD_REQUEST",
  UNIMPLEMENTED: "UNSUPPORTED",
  RESOURCE_EXHAUSTED: "RATE_LIMIT",
  ABORTED: "SERVER_OVERLOADED",
  UNAVAILABLE: "SERVER_OVERLOADED",
  DEADLINE_EXCEEDED: "TIMEOUT",
  CANCELLED: "SERVER_ERROR",
  INTERNAL: "SERVER_ERROR",
  UNKNOWN: "SERVER_ERROR",
  DATA_LOSS: "SERVER_ERROR",
};

const byHttpStatus: Readonly<Record<number, ErrorCode>> = {
  401: "AUTH_ERROR",
  402: "QUOTA_EXCEEDED",
  403: "PERMISSION",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  413: "CONTEXT_LENGTH_EXCEEDED",
  429: "RATE_LIMIT",
  499: "SERVER_ERROR",
  503: "SERVER_OVERLOADED",
  504: "TIMEOUT",
  529: "SERVER_OVERLOADED",
};

// Words make a vague status particular; the first that fits counts.
const byWords: readonly (readonly [from: readonly ErrorCode[], words: RegExp, to: ErrorCode])[] = [
  [["BAD_REQUEST", "PERMISSION"], /api key|oauth|access token/i, "AUTH_ERROR"],
  [["BAD_REQUEST"], /exceeds the maximum number of tokens|input token count|context (length|window)/i, "CONTEXT_LENGTH_EXCEEDED"],
  [["BAD_REQUEST"], /thought.?signature/i, "INVALID_ENCRYPTED_CONTENT"],
  [["BAD_REQUEST"], /location is not supported/i, "PERMISSION"],
  [["BAD_REQUEST", "PERMISSION"], /billing (account|is|must|to be enabled)|enable billing/i, "QUOTA_EXCEEDED"],
  [["BAD_REQUEST"], /response_?(json_?)?schema|function_?declarations?\S*\.parameters|schema/i, "INVALID_SCHEMA"],
  [
    ["NOT_FOUND"],
    /(?:^|[\s`'"/])(?:publisher )?models?\b.*(?:not found|not supported|does not (?:exist|have))/i,
    "INVALID_MODEL",
  ],
];

/** Reads the body of an HTTP error. */
export function decodeError(status: number, headers: HeaderReader, body: unknown): AntiphonError {
  const error = read(body) ?? { status: undefined, code: status, message: "", details: [] };
  const message = error.message || `The server returned status ${status} without an error message.`;
  return toError({ ...error, message, code: status }, headers, { status });
}

/** The error that a JSON value is, if it is one: Google sends it in the place of an answer, or of the rest of one. */
export function errorIn(value: unknown): AntiphonError | undefined {
  const body: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isObject(body) || body["candidates"] !== undefined || body["error"] === undefined || body["error"] === null)
    return undefined;
  const error = read(body);
  if (!error) return undefined;
  const message = error.message || "The provider returned an error without a message.";
  return toError({ ...error, message }, { get: () => null }, error.code === undefined ? {} : { status: error.code });
}

function read(body: unknown): GoogleError | undefined {
  if (Array.isArray(body)) return read(body[0]);
  if (typeof body === "string") return { status: undefined, code: undefined, message: readable(body), details: [] };
  if (!isObject(body)) return undefined;
  const inner = isObject(body["error"]) ? body["error"] : body;
  return {
    status: textIn(inner["status"]),
    code: typeof inner["code"] === "number" ? inner["code"] : undefined,
    message: textIn(inner["message"]) ?? textIn(body["error"]) ?? "",
    details: objectsIn(inner["details"]),
  };
}

/** An HTML page tells a reader nothing but its title. */
function readable(text: string): string {
  if (!/^\s*</.test(text)) return text.trim().slice(0, 500);
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1];
  return `The server returned an HTML page${title ? `: ${title.trim()}` : ""}.`;
}

function toError(error: GoogleError, headers: HeaderReader, details: ErrorDetails): AntiphonError {
  const wait = delayOf(error.details) ?? retryAfter(headers, error.message);
  return new AntiphonError(codeOf(error), error.message, {
    ...details,
    ...(error.status !== undefined && { vendorCode: error.status }),
    ...(wait !== undefined && { retryAfter: wait }),
  });
}

function codeOf({ status, code, message, details }: GoogleError): ErrorCode {
  const reasoned = details.map(({ reason }) => own(byReason, stringIn(reason) ?? "")).find(Boolean);
  if (reasoned) return reasoned;
  const named =
    own(byStatusName, status ?? "") ?? byHttpStatus[code ?? 0] ?? ((code ?? 500) >= 500 ? "SERVER_ERROR" : "BAD_REQUEST");
  if (named === "RATE_LIMIT") return limitOf(message, details);
  // The message may be a mere placeholder, and the cause stand in the debug text.
  const words = [message, ...details.map(({ detail }) => stringIn(detail) ?? "")].join("\n");
  return byWords.find(([from, pattern]) => from.includes(named) && pattern.test(words))?.[2] ?? named;
}

/** Which limit was hit. One per day, or of zero, is no matter of waiting a little. */
function limitOf(message: string, details: readonly JsonObject[]): ErrorCode {
  const infos = details.map(({ metadata }) => objectIn(metadata));
  const violations = details.flatMap(({ violations: list }) => objectsIn(list));
  const names = [
    ...infos.flatMap((info) => [info["quota_limit"], info["quota_metric"]]),
    ...violations.flatMap((violation) => [violation["quotaId"], violation["quotaMetric"]]),
  ].map((name) => stringIn(name) ?? "");
  const values = [...infos.map((info) => info["quota_limit_value"]), ...violations.map((violation) => violation["quotaValue"])];
  if (values.includes("0") || /\blimit: 0\b/.test(message) || names.some((name) => /perday/i.test(name))) return "QUOTA_EXCEEDED";
  if (names.some((name) => /tokens/i.test(name)) || /tokens per|token count/i.test(message)) return "TOKEN_RATE_LIMIT";
  if (names.every((name) => name === "") && /prepayment|credits? (?:are|is) depleted|spending (?:cap|limit)/i.test(message))
    return "QUOTA_EXCEEDED";
  return "RATE_LIMIT";
}

/** How long a RetryInfo asks to wait: `"34.4s"`. */
function delayOf(details: readonly JsonObject[]): number | undefined {
  const found = details.map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(stringIn(retryDelay) ?? "")?.[1]).find(Boolean);
  return found === undefined ? undefined : Number(found) * 1_000;
}

import type { ErrorCode } from "../../core/error-codes.ts";
import type { AntiphonError } from "../../core/error.ts";
import type { JsonObject } from "../../model/guards.ts";

interface WireError {
  status: number;
  name: string;
  /** The reason of an ErrorInfo, where the name alone would be read as something else. */
  reason?: string;
}

/** How an error is told on this wire: the HTTP status and Google's name of it. */
const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  AUTH_ERROR: { status: 401, name: "UNAUTHENTICATED" },
  PERMISSION: { status: 403, name: "PERMISSION_DENIED" },
  RATE_LIMIT: { status: 429, name: "RESOURCE_EXHAUSTED" },
  TOKEN_RATE_LIMIT: { status: 429, name: "RESOURCE_EXHAUSTED" },
  QUOTA_EXCEEDED: { status: 429, name: "RESOURCE_EXHAUSTED", reason: "BILLING_DISABLED" },
  CONNECTION_ERROR: { status: 502, name: "UNAVAILABLE" },
  TIMEOUT: { status: 504, name: "DEADLINE_EXCEEDED" },
  INVALID_MODEL: { status: 404, name: "NOT_FOUND" },
  NOT_FOUND: { status: 404, name: "NOT_FOUND" },
  CHAIN_NOT_FOUND: { status: 400, name: "FAILED_PRECONDITION" },
  CONTEXT_LENGTH_EXCEEDED: { status: 400, name: "INVALID_ARGUMENT" },
  INVALID_SCHEMA: { status: 400, name: "INVALID_ARGUMENT" },
  INVALID_ENCRYPTED_CONTENT: { status: 400, name: "INVALID_ARGUMENT" },
  CONTENT_POLICY: { status: 400, name: "INVALID_ARGUMENT" },
  BAD_REQUEST: { status: 400, name: "INVALID_ARGUMENT" },
  SERVER_OVERLOADED: { status: 503, name: "UNAVAILABLE" },
  SERVER_ERROR: { status: 500, name: "INTERNAL" },
  TRUNCATED: { status: 502, name: "DATA_LOSS" },
  PROTOCOL: { status: 502, name: "INTERNAL" },
  INVALID_OUTPUT: { status: 502, name: "INTERNAL" },
  ABORTED: { status: 499, name: "CANCELLED" },
  UNSUPPORTED: { status: 400, name: "UNIMPLEMENTED" },
};

const typed = (name: string, fields: JsonObject): JsonObject => ({
  "@type": `type.googleapis.com/google.rpc.${name}`,
  ...fields,
});

/** An error as Google tells it. */
export function encodeError(error: AntiphonError): { status: number; body: unknown } {
  const { status, name, reason } = wireErrors[error.code];
  const details = [
    ...(reason === undefined ? [] : [typed("ErrorInfo", { reason, domain: "googleapis.com" })]),
    ...(error.param === undefined
      ? []
      : [typed("BadRequest", { fieldViolations: [{ field: error.param, description: error.message }] })]),
    ...(error.retryAfter === undefined ? [] : [typed("RetryInfo", { retryDelay: `${error.retryAfter / 1_000}s` })]),
  ];
  const body = { code: status, message: error.message, status: name, ...(details.length > 0 && { details }) };
  return { status, body: { error: body } };
}

import type { ErrorCode } from "../../core/error-codes.ts";
import type { AntiphonError } from "../../core/error.ts";

/** How an error is told on the Messages wire: the HTTP status, the type, and words that clients of the wire look for. */
interface WireError {
  status: number;
  type: string;
  words?: string;
}

const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  AUTH_ERROR: { status: 401, type: "authentication_error" },
  PERMISSION: { status: 403, type: "permission_error" },
  RATE_LIMIT: { status: 429, type: "rate_limit_error" },
  TOKEN_RATE_LIMIT: { status: 429, type: "rate_limit_error" },
  QUOTA_EXCEEDED: { status: 402, type: "billing_error" },
  CONNECTION_ERROR: { status: 502, type: "api_error" },
  TIMEOUT: { status: 504, type: "timeout_error" },
  INVALID_MODEL: { status: 404, type: "not_found_error" },
  NOT_FOUND: { status: 404, type: "not_found_error" },
  CHAIN_NOT_FOUND: { status: 404, type: "not_found_error" },
  CONTEXT_LENGTH_EXCEEDED: { status: 400, type: "invalid_request_error", words: "prompt is too long" },
  INVALID_SCHEMA: { status: 400, type: "invalid_request_error" },
  INVALID_ENCRYPTED_CONTENT: { status: 400, type: "invalid_request_error", words: "Invalid `signature` in `thinking` block" },
  CONTENT_POLICY: { status: 400, type: "invalid_request_error" },
  BAD_REQUEST: { status: 400, type: "invalid_request_error" },
  SERVER_OVERLOADED: { status: 529, type: "overloaded_error" },
  SERVER_ERROR: { status: 500, type: "api_error" },
  TRUNCATED: { status: 502, type: "api_error" },
  PROTOCOL: { status: 502, type: "api_error" },
  INVALID_OUTPUT: { status: 502, type: "api_error" },
  ABORTED: { status: 499, type: "api_error" },
  UNSUPPORTED: { status: 400, type: "invalid_request_error" },
};

/** The words by which the official client knows to go on without a thread. */
const threadDetails = ({ code, param }: AntiphonError): object =>
  code === "UNSUPPORTED" && param === "thread" ? { error_code: "thread_unsupported_request", unsupported: ["thread"] } : {};

/** An error as a body, or as the event that ends a stream. */
export function errorBody(error: AntiphonError): { type: "error"; error: object; request_id?: string } {
  const { type, words } = wireErrors[error.code];
  const message = words && !error.message.includes(words) ? `${words}: ${error.message}` : error.message;
  const details = { code: error.code, ...(error.param && { param: error.param }), ...threadDetails(error) };
  return { type: "error", error: { type, message, details }, ...(error.requestId && { request_id: error.requestId }) };
}

/** An error as an HTTP answer. */
export const encodeError = (error: AntiphonError): { status: number; body: unknown } => ({
  status: wireErrors[error.code].status,
  body: errorBody(error),
});

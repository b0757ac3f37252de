import { isErrorCode, type ErrorCode } from "../../core/error-codes.ts";

/** How an error is told on the Responses wire: the HTTP status, the specification's type and the code that clients look for. */
interface WireError {
  status: number;
  type: "server_error" | "invalid_request" | "not_found" | "model_error" | "too_many_requests";
  code: string;
}

export const wireErrors: Readonly<Record<ErrorCode, WireError>> = {
  AUTH_ERROR: { status: 401, type: "invalid_request", code: "invalid_api_key" },
  PERMISSION: { status: 403, type: "invalid_request", code: "permission_denied" },
  RATE_LIMIT: { status: 429, type: "too_many_requests", code: "rate_limit_exceeded" },
  TOKEN_RATE_LIMIT: { status: 429, type: "too_many_requests", code: "rate_limit_exceeded" },
  QUOTA_EXCEEDED: { status: 429, type: "too_many_requests", code: "insufficient_quota" },
  CONNECTION_ERROR: { status: 502, type: "server_error", code: "connection_error" },
  TIMEOUT: { status: 504, type: "server_error", code: "timeout" },
  INVALID_MODEL: { status: 404, type: "not_found", code: "model_not_found" },
  NOT_FOUND: { status: 404, type: "not_found", code: "not_found" },
  CHAIN_NOT_FOUND: { status: 400, type: "invalid_request", code: "previous_response_not_found" },
  CONTEXT_LENGTH_EXCEEDED: { status: 400, type: "invalid_request", code: "context_length_exceeded" },
  INVALID_SCHEMA: { status: 400, type: "invalid_request", code: "invalid_json_schema" },
  INVALID_ENCRYPTED_CONTENT: { status: 400, type: "invalid_request", code: "invalid_encrypted_content" },
  CONTENT_POLICY: { status: 400, type: "invalid_request", code: "content_policy_violation" },
  BAD_REQUEST: { status: 400, type: "invalid_request", code: "invalid_request" },
  SERVER_OVERLOADED: { status: 503, type: "server_error", code: "server_is_overloaded" },
  SERVER_ERROR: { status: 500, type: "server_error", code: "server_error" },
  TRUNCATED: { status: 502, type: "model_error", code: "truncated" },
  PROTOCOL: { status: 502, type: "model_error", code: "protocol" },
  INVALID_OUTPUT: { status: 502, type: "model_error", code: "invalid_output" },
  ABORTED: { status: 499, type: "invalid_request", code: "aborted" },
  UNSUPPORTED: { status: 400, type: "invalid_request", code: "unsupported" },
};

/** How Anthropic's servers name what went wrong; clients of this wire look for other names. */
const foreign: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["api_error", "SERVER_ERROR"],
  ["overloaded_error", "SERVER_OVERLOADED"],
  ["rate_limit_error", "RATE_LIMIT"],
  ["timeout_error", "TIMEOUT"],
  ["authentication_error", "AUTH_ERROR"],
  ["permission_error", "PERMISSION"],
  ["not_found_error", "NOT_FOUND"],
  ["invalid_request_error", "BAD_REQUEST"],
  ["request_too_large", "CONTEXT_LENGTH_EXCEEDED"],
  ["billing_error", "QUOTA_EXCEEDED"],
]);

/** The code of a failed response as clients of the wire know it. OpenAI's own, and what nobody knows, stays as it is. */
export function toldCode(code: string): string {
  const own = code.toUpperCase();
  const meant = foreign.get(code) ?? (isErrorCode(own) && own.toLowerCase() === code ? own : undefined);
  return meant === undefined ? code : wireErrors[meant].code;
}

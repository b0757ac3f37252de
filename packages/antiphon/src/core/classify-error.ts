import { own } from "../model/guards.ts";
import type { ResponseResource } from "../model/index.ts";
import { isErrorCode, type ErrorCode } from "./error-codes.ts";
import { AntiphonError, type ErrorDetails } from "./error.ts";

/** What a vendor of OpenAI's family says about a failure. */
export interface VendorError {
  code?: string | null;
  type?: string | null;
  message?: string | null;
  param?: string | null;
}

// The vendor's code or type decides first; two vendors never mean different things by one of these.
const byCode: Readonly<Record<string, ErrorCode>> = {
  invalid_api_key: "AUTH_ERROR",
  authentication_error: "AUTH_ERROR",
  invalid_authentication: "AUTH_ERROR",
  unauthorized: "AUTH_ERROR",
  permission_error: "PERMISSION",
  permission_denied: "PERMISSION",
  forbidden: "PERMISSION",
  unsupported_country_region_territory: "PERMISSION",
  usage_not_included: "PERMISSION",
  insufficient_quota: "QUOTA_EXCEEDED",
  billing_hard_limit_reached: "QUOTA_EXCEEDED",
  billing_not_active: "QUOTA_EXCEEDED",
  quota_exceeded: "QUOTA_EXCEEDED",
  insufficient_credits: "QUOTA_EXCEEDED",
  tokens: "TOKEN_RATE_LIMIT",
  rate_limit_exceeded: "RATE_LIMIT",
  rate_limit_error: "RATE_LIMIT",
  too_many_requests: "RATE_LIMIT",
  RateLimitReached: "RATE_LIMIT",
  requests: "RATE_LIMIT",
  slow_down: "SERVER_OVERLOADED",
  server_is_overloaded: "SERVER_OVERLOADED",
  overloaded_error: "SERVER_OVERLOADED",
  engine_overloaded: "SERVER_OVERLOADED",
  service_unavailable: "SERVER_OVERLOADED",
  model_not_found: "INVALID_MODEL",
  invalid_model: "INVALID_MODEL",
  deployment_not_found: "INVALID_MODEL",
  DeploymentNotFound: "INVALID_MODEL",
  model_decommissioned: "INVALID_MODEL",
  previous_response_not_found: "CHAIN_NOT_FOUND",
  websocket_connection_limit_reached: "CONNECTION_ERROR",
  not_found: "NOT_FOUND",
  not_found_error: "NOT_FOUND",
  context_length_exceeded: "CONTEXT_LENGTH_EXCEEDED",
  exceed_context_size_error: "CONTEXT_LENGTH_EXCEEDED",
  too_many_prompt_tokens: "CONTEXT_LENGTH_EXCEEDED",
  string_above_max_length: "CONTEXT_LENGTH_EXCEEDED",
  tool_use_failed: "BAD_REQUEST",
  invalid_json_schema: "INVALID_SCHEMA",
  invalid_function_parameters: "INVALID_SCHEMA",
  invalid_schema: "INVALID_SCHEMA",
  invalid_encrypted_content: "INVALID_ENCRYPTED_CONTENT",
  content_policy_violation: "CONTENT_POLICY",
  content_filter: "CONTENT_POLICY",
  image_content_policy_violation: "CONTENT_POLICY",
  cyber_policy: "CONTENT_POLICY",
  bio_policy: "CONTENT_POLICY",
  invalid_prompt: "CONTENT_POLICY",
  server_error: "SERVER_ERROR",
  internal_error: "SERVER_ERROR",
  internal_server_error: "SERVER_ERROR",
  model_error: "SERVER_ERROR",
};

const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: "BAD_REQUEST",
  401: "AUTH_ERROR",
  402: "QUOTA_EXCEEDED",
  403: "PERMISSION",
  404: "NOT_FOUND",
  408: "TIMEOUT",
  409: "SERVER_OVERLOADED",
  413: "CONTEXT_LENGTH_EXCEEDED",
  415: "BAD_REQUEST",
  422: "BAD_REQUEST",
  425: "SERVER_OVERLOADED",
  429: "RATE_LIMIT",
  503: "SERVER_OVERLOADED",
  504: "TIMEOUT",
  529: "SERVER_OVERLOADED",
};

// Last resort, for servers that give no code: the first sentence that fits, from the particular to the general.
const byText: readonly (readonly [RegExp, ErrorCode])[] = [
  [/content.?policy|safety.(system|check)|content.?filter|violates usage guidelines/i, "CONTENT_POLICY"],
  [/api key|authentication token|unauthori[sz]ed|not authenticated/i, "AUTH_ERROR"],
  [/exceeded your current quota|insufficient (credits|balance|funds)|credit balance/i, "QUOTA_EXCEEDED"],
  [/tokens per (min|day|hour)|\bTPM\b|\bTPD\b/i, "TOKEN_RATE_LIMIT"],
  [/rate.?limit|too many requests/i, "RATE_LIMIT"],
  [/context (length|window|size)|maximum context|too many tokens|prompt is too long/i, "CONTEXT_LENGTH_EXCEEDED"],
  [/encrypted content/i, "INVALID_ENCRYPTED_CONTENT"],
  [/previous response.*not found/i, "CHAIN_NOT_FOUND"],
  [
    /model\b.*(does not exist|not found|not supported|deprecated)|not a valid model\b|supported (api )?model names|unknown model|no such model|no endpoints found for/i,
    "INVALID_MODEL",
  ],
  [/invalid schema|invalid json schema/i, "INVALID_SCHEMA"],
  [/overloaded|at capacity|try again later/i, "SERVER_OVERLOADED"],
];

/** Classifies a vendor's error by its code and type first, then by its status, and by the words of its message last. */
export function classify(error: VendorError, status?: number): ErrorCode {
  const own = error.code?.toUpperCase() ?? "";
  if (isErrorCode(own) && own.toLowerCase() === error.code) return own;
  const coded = known(error.code) ?? known(error.type);
  if (coded === "RATE_LIMIT")
    return known(error.type) === "TOKEN_RATE_LIMIT" || says("TOKEN_RATE_LIMIT", error) ? "TOKEN_RATE_LIMIT" : coded;
  // xAI reports blocked content as a missing permission.
  if ((coded ?? byStatus[status ?? 0]) === "PERMISSION" && says("CONTENT_POLICY", error)) return "CONTENT_POLICY";
  if (coded && coded !== "SERVER_ERROR") return coded;
  const worded = byText.find(([pattern]) => pattern.test(error.message ?? ""))?.[1];
  const vague = status === undefined || status === 400 || status === 404 || status === 422 || status === 429 || status >= 500;
  if (worded && vague) return worded;
  if (coded) return coded;
  if (status === undefined) return isInvalidRequest(error) ? "BAD_REQUEST" : "SERVER_ERROR";
  return byStatus[status] ?? (status >= 500 ? "SERVER_ERROR" : "BAD_REQUEST");
}

const known = (name: string | null | undefined): ErrorCode | undefined => (name ? own(byCode, name) : undefined);
// Servers use this type for nearly every error with a status of 4xx, so it decides only when there is no status.
const isInvalidRequest = ({ type }: VendorError): boolean => type === "invalid_request_error" || type === "invalid_request";
const says = (code: ErrorCode, error: VendorError): boolean =>
  byText.some(([pattern, meant]) => meant === code && pattern.test(error.message ?? ""));

/** A vendor's words as an `AntiphonError`. */
export function vendorError(error: VendorError, details: ErrorDetails = {}): AntiphonError {
  return new AntiphonError(
    classify(error, details.status),
    error.message || "The provider returned an error without a message.",
    {
      ...(error.param ? { param: error.param } : {}),
      ...(error.code || error.type ? { vendorCode: error.code ?? error.type ?? "" } : {}),
      ...details,
    },
  );
}

/** The error of a failed response. */
export function errorOf(response: ResponseResource): AntiphonError {
  const error = response.error;
  return vendorError(
    error ?? { message: "The response failed, and the provider gave no reason." },
    error?.request_id ? { requestId: error.request_id } : {},
  );
}

import { classify, type VendorError } from "../../core/classify-error.ts";
import { isErrorCode, type ErrorCode } from "../../core/error-codes.ts";
import { AntiphonError, type ErrorDetails } from "../../core/error.ts";
import { retryAfter } from "../../core/retry-after.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { HeaderReader } from "../codec.ts";
import { objectIn, stringIn } from "./extension.ts";

// The type alone decides, except where one type stands for several things and only the words tell which.
const byType: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ["billing_error", "QUOTA_EXCEEDED"],
  ["request_too_large", "CONTEXT_LENGTH_EXCEEDED"],
  ["timeout_error", "TIMEOUT"],
  ["api_error", "SERVER_ERROR"],
  ["conflict_error", "SERVER_OVERLOADED"],
]);

const byWords: readonly (readonly [type: RegExp, words: RegExp, code: ErrorCode])[] = [
  [/^not_found_error$/, /^model:|\bmodel\b/i, "INVALID_MODEL"],
  [/^invalid_request_error$/, /credit balance|usage limits?|spend limit/i, "QUOTA_EXCEEDED"],
  [
    /^invalid_request_error$/,
    /prompt is too long|exceed(s|ed)? (the )?context|input length and `max_tokens`/i,
    "CONTEXT_LENGTH_EXCEEDED",
  ],
  [
    /^invalid_request_error$/,
    /invalid `(signature|data|encrypted_content|encrypted_index)`|thinking.*cannot be modified/i,
    "INVALID_ENCRYPTED_CONTENT",
  ],
  [/^invalid_request_error$/, /input_schema|output_format|output_config\.format|schema/i, "INVALID_SCHEMA"],
  [/^invalid_request_error$/, /content filtering policy|usage policy/i, "CONTENT_POLICY"],
];

// `messages.0.content.1.text: Field required`
const paramIn = /^([a-z_]+(?:\.[\w$-]+)*): /;

function codeOf(error: VendorError, status: number | undefined): ErrorCode {
  const { type, message } = error;
  const worded = byWords.find(([kind, words]) => kind.test(type ?? "") && words.test(message ?? ""));
  if (worded) return worded[2];
  const typed = byType.get(type ?? "");
  if (typed) return typed;
  if (type === "invalid_request_error" && status === undefined) return "BAD_REQUEST";
  return classify(error, status);
}

function toError(body: JsonObject, details: ErrorDetails): AntiphonError {
  const said = objectIn(body["error"]);
  const type = stringIn(said["type"]) ?? null;
  const message = stringIn(said["message"]) ?? stringIn(body["message"]) ?? stringIn(body["error"]) ?? null;
  const requestId = stringIn(body["request_id"]);
  const own = stringIn(objectIn(said["details"])["code"]);
  const code = own && isErrorCode(own) ? own : codeOf({ type, message }, details.status);
  const param = message ? paramIn.exec(message)?.[1] : undefined;
  return new AntiphonError(code, message || "The provider returned an error without a message.", {
    ...(type && { vendorCode: type }),
    ...(requestId && { requestId }),
    ...(param && param !== "model" && { param }),
    ...details,
  });
}

/** Reads the body of an HTTP error. */
export function decodeError(status: number, headers: HeaderReader, body: unknown): AntiphonError {
  const text = typeof body === "string" ? body.trim().slice(0, 500) : "";
  const message = text && !text.startsWith("<") ? text : `The server returned status ${status} without an error message.`;
  const read = isObject(body) ? body : { error: { message } };
  const wait = retryAfter(headers, stringIn(objectIn(read["error"])["message"]));
  const requestId = stringIn(read["request_id"]) ?? headers.get("request-id");
  return toError(read, { status, ...(requestId && { requestId }), ...(wait !== undefined && { retryAfter: wait }) });
}

/** The error that a JSON value of an HTTP 200 answer is, if it is one. */
export function errorIn(value: unknown): AntiphonError | undefined {
  if (!isObject(value)) return undefined;
  const isBody = value["type"] === undefined && value["content"] === undefined && value["error"] !== undefined;
  if (value["type"] !== "error" && !isBody) return undefined;
  const wait = retryAfter({ get: () => null }, stringIn(objectIn(value["error"])["message"]));
  return toError(value, wait === undefined ? {} : { retryAfter: wait });
}

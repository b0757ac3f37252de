import { vendorError, type VendorError } from "../../core/classify-error.ts";
import type { AntiphonError } from "../../core/error.ts";
import { retryAfter } from "../../core/retry-after.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { HeaderReader } from "../codec.ts";
import { readVendorError } from "../responses/decode-error.ts";

const noHeaders: HeaderReader = { get: () => null };

/** Reads the body of an HTTP error. */
export function decodeError(status: number, headers: HeaderReader, body: unknown): AntiphonError {
  const message = `The server returned status ${status} without an error message.`;
  return toError(body, headers, status, message);
}

/** The error that a JSON value of an HTTP 200 answer is, or carries beside its choices. */
export function errorIn(value: unknown): AntiphonError | undefined {
  if (!isObject(value)) return undefined;
  const isError = value["object"] === "error" || value["type"] === "error" || Boolean(value["error"]);
  const isBare = value["choices"] === undefined && value["object"] === undefined && Boolean(value["detail"] ?? value["errors"]);
  return isError || isBare
    ? toError(value, noHeaders, undefined, "The provider returned an error without a message.")
    : undefined;
}

function toError(body: unknown, headers: HeaderReader, httpStatus: number | undefined, fallback: string): AntiphonError {
  const outer = firstOf(body);
  const said = readVendorError(outer);
  // Proxies put what the model's own server said below their own words; their numbers are HTTP statuses.
  const inner = upstreamError(outer);
  const vendor: VendorError = inner ? { ...said, ...inner } : said;
  const status = httpStatus ?? statusOf(said.code) ?? statusIn(outer);
  const wait = retryAfter(withLimits(headers, outer), vendor.message ?? undefined);
  return vendorError(
    { ...vendor, code: statusOf(vendor.code) ? null : (vendor.code ?? null), message: vendor.message ?? fallback },
    { ...(status === undefined ? {} : { status }), ...(wait === undefined ? {} : { retryAfter: wait }) },
  );
}

/** Some servers answer with a list of errors. */
function firstOf(body: unknown): unknown {
  const list = isObject(body) && Array.isArray(body["errors"]) ? body["errors"] : body;
  return Array.isArray(list) ? list.find(isObject) : body;
}

function statusOf(code: string | null | undefined): number | undefined {
  return code && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}

/** Reads the HTTP status that Groq puts into an error inside a stream. */
function statusIn(body: unknown): number | undefined {
  const { status_code } = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  return typeof status_code === "number" ? statusOf(String(status_code)) : undefined;
}

const metadataOf = (body: unknown): JsonObject => {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  return isObject(error["metadata"]) ? error["metadata"] : {};
};

function upstreamError(body: unknown): VendorError | undefined {
  const { raw } = metadataOf(body);
  if (typeof raw !== "string" || raw === "") return undefined;
  const { code, type, message, param } = readVendorError(parsed(raw));
  return message ? { ...(code ? { code } : {}), ...(type ? { type } : {}), ...(param ? { param } : {}), message } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Headers, and behind them those that a proxy passes on in the body. */
function withLimits(headers: HeaderReader, body: unknown): HeaderReader {
  const { headers: passed } = metadataOf(body);
  if (!isObject(passed)) return headers;
  const byName = new Map(Object.entries(passed).map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { get: (name) => headers.get(name) ?? byName.get(name) ?? null };
}

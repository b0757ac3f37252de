import { vendorError, type VendorError } from "../../core/classify-error.ts";
import type { AntiphonError } from "../../core/error.ts";
import { retryAfter } from "../../core/retry-after.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { HeaderReader } from "../codec.ts";

const string = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;

/** The vendor's words, wherever its server puts them: nested or flat, `detail` or `message`, or plain text. */
export function readVendorError(body: unknown): VendorError {
  if (!isObject(body)) return { message: typeof body === "string" ? readableText(body) : null };
  const inner: JsonObject = isObject(body["error"]) ? body["error"] : body;
  const message =
    string(inner["message"]) ??
    string(body["error"]) ??
    string(body["detail"]) ??
    detailList(body["detail"]) ??
    string(body["message"]);
  return { code: string(inner["code"]), type: string(inner["type"]), message, param: string(inner["param"]) };
}

// FastAPI servers give a list of what they could not validate.
const detailList = (detail: unknown): string | null => (Array.isArray(detail) ? JSON.stringify(detail).slice(0, 500) : null);

/** An HTML page tells a reader nothing but its title. */
function readableText(text: string): string {
  if (!/^\s*</.test(text)) return text.trim().slice(0, 500);
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1];
  return `The server returned an HTML page${title ? `: ${title.trim()}` : ""}.`;
}

/** Reads the body of an HTTP error. */
export function decodeError(status: number, headers: HeaderReader, body: unknown): AntiphonError {
  const vendor = readVendorError(body);
  const wait = retryAfter(headers, vendor.message ?? undefined);
  const message = vendor.message ?? `The server returned status ${status} without an error message.`;
  return vendorError({ ...vendor, message }, { status, ...(wait === undefined ? {} : { retryAfter: wait }) });
}

/** The error that a JSON value is, if it is one: an `error` event, or a body that holds nothing but an error. */
export function errorIn(value: unknown): AntiphonError | undefined {
  if (!isObject(value)) return undefined;
  const isEvent = value["type"] === "error";
  const isBody =
    value["object"] === undefined &&
    value["type"] === undefined &&
    value["output"] === undefined &&
    Boolean(value["error"] ?? value["detail"]);
  if (!isEvent && !isBody) return undefined;
  const vendor = readVendorError(value);
  // A flat error event has `type: "error"`, which says nothing about the kind.
  const said = { ...vendor, type: vendor.type === "error" ? null : vendor.type };
  const wait = retryAfter({ get: () => null }, said.message ?? undefined);
  return vendorError(said, wait === undefined ? {} : { retryAfter: wait });
}

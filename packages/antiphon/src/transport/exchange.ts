import type { HeaderReader } from "../codecs/codec.ts";
import { AntiphonError, messageOf } from "../core/error.ts";
import { readText } from "./body.ts";
import { redact } from "./secrets.ts";
import type { HttpResponse, WireUpstream } from "./upstream.ts";

const largestError = 64 * 1024;
const requestIds = ["x-request-id", "request-id", "x-ms-request-id", "apim-request-id", "cf-ray"] as const;

/** A body as JSON. A circle or a bigint in it is the caller's mistake. */
export function written(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new AntiphonError("BAD_REQUEST", `The request cannot be converted to JSON: ${messageOf(cause)}`, { cause });
  }
}

/** The server's id of an exchange, under whichever name it has one. */
export function requestIdOf(headers: HeaderReader): string | undefined {
  for (const name of requestIds) {
    const id = headers.get(name);
    if (id) return id;
  }
  return undefined;
}

/** Whether a body is one JSON value. */
export const isJson = (headers: HeaderReader): boolean => /[/+]json\b/i.test(headers.get("content-type") ?? "");

/** Headers in order of growing weight, under lower-case names. */
export function mergeHeaders(...list: (Record<string, string> | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of list) for (const name in headers) merged[name.toLowerCase()] = headers[name]!;
  return merged;
}

/** The URL of a path below an upstream's base. */
export function urlOf({ baseUrl, query }: WireUpstream, path: string): string {
  let url = baseUrl + path;
  for (const name in query)
    url += `${url.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${encodeURIComponent(query[name]!)}`;
  return url;
}

export const isGood = ({ status }: HttpResponse): boolean => status >= 200 && status < 300;

/** Throws unless the answer is a good one. */
export async function checkStatus(response: HttpResponse, upstream: WireUpstream): Promise<void> {
  if (!isGood(response)) await refusal(response, upstream);
}

/** Throws what an answer says that is no good one. */
export async function refusal(response: HttpResponse, upstream: WireUpstream): Promise<never> {
  const { status, headers } = response;
  if (status >= 400) throw upstream.codec.decodeError(status, headers, await errorBody(response));
  response.cancel();
  const place = originOf(headers.get("location"));
  const message = `The server returned a redirect${place ? ` to ${place}` : ""}, which is not followed. Check the base URL.`;
  throw new AntiphonError("BAD_REQUEST", message, status > 0 ? { status } : {});
}

/** Only the origin: a path or a query may hold what is nobody's business. */
const originOf = (location: string | null): string | undefined => /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(location ?? "")?.[0];

async function errorBody(response: HttpResponse): Promise<unknown> {
  // The status alone tells enough where the connection breaks before its reason came.
  const { text } = await readText(response, largestError).catch(() => ({ text: "" }));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The error as its reader should see it: with provider and request id, without secrets. */
export function describe(
  error: AntiphonError,
  upstream: WireUpstream,
  sent: Record<string, string>,
  answer?: { headers: HeaderReader },
): AntiphonError {
  const requestId = error.requestId ?? (answer && requestIdOf(answer.headers));
  return redact(error.with({ provider: error.provider ?? upstream.name, requestId }), sent, upstream.keyHeader);
}

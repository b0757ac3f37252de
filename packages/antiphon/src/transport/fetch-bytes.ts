import { AntiphonError } from "../core/error.ts";
import { mergeHeaders, urlOf } from "./exchange.ts";
import { readDocument } from "./fetch-document.ts";
import type { FetchJsonOptions } from "./fetch-json.ts";
import { prepared } from "./prepared.ts";
import { mergeTimeouts, readTimeouts } from "./timeouts.ts";
import type { HttpResponse, WireUpstream } from "./upstream.ts";

/** What may be said about one file. */
export interface FetchBytesOptions extends Omit<FetchJsonOptions, "method" | "body"> {
  /** The largest file that is taken. */
  maxBytes: number;
}

/** A file as a server gave it. */
export interface FetchedBytes {
  bytes: Uint8Array<ArrayBuffer>;
  /** The `content-type`, without parameters. */
  mimeType: string | undefined;
}

/** Gets a file below an upstream's base URL, with the same errors and retries as a call. */
export async function fetchBytes(upstream: WireUpstream, path: string, options: FetchBytesOptions): Promise<FetchedBytes> {
  const timeouts = mergeTimeouts(readTimeouts, upstream.timeouts, options.timeouts);
  await prepared(upstream, timeouts.connect, options.signal);
  const headers = mergeHeaders({ accept: "*/*" }, upstream.headers(), options.headers);
  const request = { method: "GET", url: urlOf(upstream, path), headers, connectTimeout: timeouts.connect } as const;
  return readDocument(upstream, request, { ...options, timeouts }, (response, heard) =>
    readFile(response, options.maxBytes, heard),
  );
}

async function readFile(response: HttpResponse, maxBytes: number, heard: () => void): Promise<FetchedBytes> {
  const mimeType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (Number(response.headers.get("content-length")) > maxBytes) throw tooLarge(response, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await response.read(); chunk !== undefined; chunk = await response.read()) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(response, maxBytes);
    chunks.push(chunk);
    heard();
  }
  return { bytes: joined(chunks, size), mimeType };
}

function tooLarge(response: HttpResponse, maxBytes: number): AntiphonError {
  response.cancel();
  return new AntiphonError("BAD_REQUEST", `The file is larger than ${maxBytes} bytes. Raise \`maxBytes\` to download it.`, {
    param: "maxBytes",
  });
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

import { lookup as lookUp } from "node:dns/promises";
import { request as requestHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { AntiphonError } from "antiphon";
import { hostOf, type UrlGuard } from "./url-guard.ts";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface GuardedFetchOptions {
  guard: UrlGuard;
  /** The largest body that is taken, in bytes. */
  maxBytes?: number;
  /** For everything: names, redirects, the body; in milliseconds. */
  timeout?: number;
  /** What the caller can use, for the `accept` header. */
  accept?: string;
  signal?: AbortSignal;
  resolve?: Resolve;
}

/** What was fetched. */
export interface Fetched {
  /** Where it was in the end. */
  url: string;
  status: number;
  /** Without parameters; empty where the server says nothing. */
  mediaType: string;
  body: Uint8Array;
}

/** Milliseconds for everything: names, redirects, the body. */
export const defaultFetchTimeout = 30_000;
const megabyte = 1024 * 1024;
const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const resolveByDns: Resolve = async (host) => (await lookUp(host, { all: true })).map(({ address }) => address);

/**
 * Fetches a URL that a caller supplied, but only public addresses. Every redirect is checked again. It carries
 * nothing of ours.
 *
 * @example
 * const { body, mediaType } = await guardedFetch("https://example.com/cat.png", { guard: new UrlGuard() });
 */
export async function guardedFetch(url: string, options: GuardedFetchOptions): Promise<Fetched> {
  const { timeout = defaultFetchTimeout, signal } = options;
  // The reason of an abort is the error that is thrown.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(tooSlow(timeout)), timeout);
  const leave = (): void => stop.abort(new AntiphonError("ABORTED", "The fetch was cancelled.", { cause: signal?.reason }));
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await follow(url, options, stop.signal);
  } catch (thrown) {
    throw stop.signal.aborted ? stop.signal.reason : failed(thrown);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

async function follow(first: string, options: GuardedFetchOptions, signal: AbortSignal): Promise<Fetched> {
  const { guard, resolve = resolveByDns, accept = "*/*", maxBytes = 20 * megabyte } = options;
  let url = guard.check(first);
  for (let left = mostRedirects; ; left -= 1) {
    const addresses = await addressesOf(url, resolve, signal);
    guard.checkAddresses(url, addresses);
    const response = await send(url, addresses, accept, signal);
    const next = redirectOf(response);
    if (next === undefined) return { ...(await take(response, maxBytes)), url: url.href };
    response.destroy();
    if (left === 0) throw refused(`redirects more than ${mostRedirects} times`);
    url = guard.check(absolute(next, url));
  }
}

async function addressesOf(url: URL, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isIP(host)) return [host];
  signal.throwIfAborted();
  // A question for a name cannot be called back: an answer that comes too late is not waited for.
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );
  const addresses = await Promise.race([resolve(host), aborted]);
  if (addresses.length === 0) throw new AntiphonError("CONNECTION_ERROR", "The host of the URL has no address in DNS.");
  return addresses;
}

/** Asks one server; the connection is its own, to one of these addresses and no other. */
function send(url: URL, addresses: readonly string[], accept: string, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    // A pool, or a proxy of the environment, would go its own ways.
    agent: false,
    headers: { accept, "accept-encoding": "identity", "user-agent": "antiphon" },
    lookup: lookupIn(addresses),
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options, resolve);
    request.on("error", reject);
    request.end();
  });
}

/** In the place of a question for the name, which could be answered differently this time. */
const lookupIn = (addresses: readonly string[]): LookupFunction => {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, options, done) => {
    const fitting = options.family ? known.filter(({ family }) => family === options.family) : known;
    const [first] = fitting;
    if (options.all || !first) done(null, fitting);
    else done(null, first.address, first.family);
  };
};

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage): string | undefined =>
  redirects.has(statusCode) ? headers.location : undefined;

function absolute(location: string, base: URL): string {
  try {
    // Whatever is odd about the new URL stays in it, for the guard to see.
    return /^[a-z][a-z\d+.-]*:/i.test(location) ? location : new URL(location, base).href;
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", "The server redirects to an invalid URL.", { cause });
  }
}

async function take(response: IncomingMessage, maxBytes: number): Promise<Omit<Fetched, "url">> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (Number(headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
    // What unpacks to any size is not unpacked, and it was not asked for.
    if ((headers["content-encoding"] ?? "identity") !== "identity")
      throw refused("returns compressed content, which is not supported");
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  const mediaType = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return { status, mediaType, body: Buffer.concat(chunks) };
}

const refused = (why: string): AntiphonError => new AntiphonError("BAD_REQUEST", `The URL ${why}.`, { status: 400 });
const tooLarge = (maxBytes: number): AntiphonError => refused(`returns more than ${maxBytes} bytes`);
const tooSlow = (timeout: number): AntiphonError =>
  new AntiphonError("TIMEOUT", `Fetching the URL took longer than ${timeout} ms (\`timeout\`).`);

/** Which address did not answer is not told; the cause is for logs. */
const failed = (thrown: unknown): AntiphonError =>
  thrown instanceof AntiphonError
    ? thrown
    : new AntiphonError("CONNECTION_ERROR", "The URL could not be fetched.", { cause: thrown });

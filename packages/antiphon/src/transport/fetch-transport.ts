import { abortError, AntiphonError } from "../core/error.ts";
import { abortSignal } from "../core/stop.ts";
import { connectionError, systemCode } from "./connection-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "./upstream.ts";

export { openGlobalWebSocket as defaultWebSocket } from "./websocket-global.ts";

/** Codes of runtimes built on Node that say for sure that no connection stood. */
const notConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * A transport over a `fetch` function. `fetch` does not tell when a connection stands, so `connectTimeout` has no effect here.
 *
 * @example
 * const respond = connect(upstream, { transport: fetchTransport(myFetch) });
 */
export const fetchTransport =
  (fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis)): Transport =>
  async (request) => {
    const { method, url, headers, body } = request;
    const init = { method, headers, body, signal: abortSignal(request.signal), window: null };
    try {
      return new FetchResponse(request, await fetchOnce(fetch, url, init));
    } catch (cause) {
      throw failure(request, "answer", cause);
    }
  };

/** Node's own `fetch` copies the body of a request that may be redirected, unless that is an error. */
const copiesBodies = "undici" in ((globalThis as { process?: { versions?: object } }).process?.versions ?? {});

const isRedirect = (thrown: unknown): boolean =>
  thrown instanceof TypeError && thrown.cause instanceof Error && thrown.cause.message === "unexpected redirect";

/** Follows no redirect, which would take the key to another host. Whoever redirects has not answered: asked again, they say where to. */
async function fetchOnce(fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<Response> {
  if (!copiesBodies) return fetch(url, { ...init, redirect: "manual" });
  try {
    return await fetch(url, { ...init, redirect: "error" });
  } catch (thrown) {
    if (!isRedirect(thrown)) throw thrown;
    return fetch(url, { ...init, redirect: "manual" });
  }
}

/** The way that every runtime has. */
export const defaultTransport: Transport = (request) => fetchTransport()(request);

class FetchResponse implements HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly #request: HttpRequest;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: HttpRequest, response: Response) {
    this.#request = request;
    this.status = response.status;
    this.headers = response.headers;
    this.#reader = response.body?.getReader();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (!this.#reader) return undefined;
    try {
      return (await this.#reader.read()).value;
    } catch (cause) {
      throw failure(this.#request, "body", cause);
    }
  }

  cancel(): void {
    // A body that broke cannot be cancelled, which is as good.
    this.#reader?.cancel().catch(() => {});
  }
}

/** Codes of Node's own `fetch`, which gives up after five minutes of silence. The model may have worked until then. */
const silent: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

function failure({ url, signal }: HttpRequest, phase: "answer" | "body", cause: unknown): AntiphonError {
  if (signal?.aborted) return abortError(signal.reason);
  if (!URL.canParse(url)) return new AntiphonError("BAD_REQUEST", "The base URL is not a valid URL.");
  const code = systemCode(cause) ?? "";
  if (silent.has(code)) {
    const { host } = new URL(url);
    const advice = "Use Antiphon's default transport, or a `fetch` without this limit";
    return new AntiphonError(
      "TIMEOUT",
      `\`fetch\` cancelled the request to ${host} because of its own time limit (${code}). ${advice}.`,
      {
        cause,
      },
    );
  }
  const connected = phase === "body" || !notConnected.has(code);
  return connectionError(new URL(url).host, connected ? phase : "connect", cause);
}

const most = 8192;

/** A text with a character for each byte, in which bytes can be looked up by words. */
export function latin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let text = "";
  for (let at = from; at < to; at += most) text += String.fromCharCode(...bytes.subarray(at, Math.min(at + most, to)));
  return text;
}

/** Whether some bytes have these words in them. */
export const includes = (bytes: Uint8Array, words: string): boolean => latin1(bytes).includes(words);

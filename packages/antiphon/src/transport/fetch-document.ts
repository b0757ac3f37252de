import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import type { RetryOptions, Timeouts } from "../core/respond.ts";
import { readText } from "./body.ts";
import { checkStatus, describe, mergeHeaders, urlOf, written } from "./exchange.ts";
import type { FetchJsonOptions } from "./fetch-json.ts";
import { prepared } from "./prepared.ts";
import { parseJson } from "./readers.ts";
import { retryDelay, shouldRetry } from "./retry.ts";
import { Deadlines, defaultTimeouts, mergeTimeouts, readTimeouts } from "./timeouts.ts";
import { transportOf } from "./transport-choice.ts";
import type { HttpRequest, HttpResponse, Transport, WireUpstream } from "./upstream.ts";

const largestBody = 64 * 1024 * 1024;

/** The work of `fetchJson`. */
export async function fetchDocument(upstream: WireUpstream, path: string, options: FetchJsonOptions): Promise<unknown> {
  const { body, method = body === undefined ? "GET" : "POST" } = options;
  const timeouts = mergeTimeouts(method === "GET" ? readTimeouts : defaultTimeouts, upstream.timeouts, options.timeouts);
  await prepared(upstream, timeouts.connect, options.signal);
  const request: HttpRequest = {
    method,
    url: urlOf(upstream, path),
    headers: mergeHeaders(
      { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      upstream.headers(),
      options.headers,
    ),
    ...(body === undefined ? {} : { body: written(body) }),
    connectTimeout: timeouts.connect,
  };
  return readDocument(upstream, request, { ...options, timeouts }, readJson);
}

async function readJson(response: HttpResponse): Promise<unknown> {
  const { text, cut } = await readText(response, largestBody);
  if (cut) throw new AntiphonError("PROTOCOL", `The document is larger than ${largestBody} bytes.`);
  return text.trim() === "" ? undefined : parseJson(text);
}

/** Makes something of the body of a good answer; `heard` says that it is still coming. */
type ReadBody<T> = (response: HttpResponse, heard: () => void) => Promise<T>;

/** Sends a request that may be sent twice, and reads its answer, in as many attempts as it takes. */
export async function readDocument<T>(
  upstream: WireUpstream,
  request: HttpRequest,
  options: Omit<FetchJsonOptions, "timeouts"> & { timeouts: Required<Timeouts> },
  read: ReadBody<T>,
): Promise<T> {
  const { signal, timeouts } = options;
  await upstream.codec.load?.();
  const exchange = new DocumentExchange(upstream, request, transportOf(options), timeouts, read);
  const stop = (): void => exchange.stop(abortError(signal?.reason), true);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    return await exchange.run(options.retry);
  } finally {
    signal?.removeEventListener("abort", stop);
    exchange.close();
  }
}

/** One document, in as many attempts as it takes. */
class DocumentExchange<T> {
  readonly #upstream: WireUpstream;
  readonly #request: HttpRequest;
  readonly #transport: Transport;
  readonly #read: ReadBody<T>;
  readonly #deadlines: Deadlines;
  #response: HttpResponse | undefined;
  #controller = new AbortController();
  #stopped: AntiphonError | undefined;
  #final = false;

  constructor(
    upstream: WireUpstream,
    request: HttpRequest,
    transport: Transport,
    timeouts: Required<Timeouts>,
    read: ReadBody<T>,
  ) {
    this.#upstream = upstream;
    this.#request = request;
    this.#transport = transport;
    this.#read = read;
    this.#deadlines = new Deadlines(timeouts, (error, name) => this.stop(error, name === "total"));
  }

  async run(retry: RetryOptions | undefined): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once();
      } catch (thrown) {
        const error = this.#describe(this.#stopped ?? toAntiphonError(thrown, "CONNECTION_ERROR"));
        const facts = {
          readOnly: this.#request.method === "GET",
          shouldRetry: this.#response && shouldRetry(this.#response.headers),
        };
        const delay = this.#final ? undefined : retryDelay(error, attempt, { ...retry, ...facts });
        if (delay === undefined) throw error;
        await this.#pause(delay);
      }
    }
  }

  stop(error: AntiphonError, final: boolean): void {
    this.#stopped ??= error;
    this.#final = final;
    this.#controller.abort(error);
  }

  close(): void {
    this.#deadlines.stop();
    this.#controller.abort("done");
  }

  async #once(): Promise<T> {
    if (this.#stopped) throw this.#stopped;
    this.#response = undefined;
    this.#deadlines.attempt();
    this.#response = await this.#transport({ ...this.#request, signal: this.#controller.signal });
    await checkStatus(this.#response, this.#upstream);
    return this.#read(this.#response, () => {
      this.#deadlines.heard();
      this.#deadlines.wait();
    });
  }

  #pause(delay: number): Promise<void> {
    this.#deadlines.rest();
    this.#stopped = undefined;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  #describe(error: AntiphonError): AntiphonError {
    return describe(error, this.#upstream, this.#request.headers, this.#response);
  }
}

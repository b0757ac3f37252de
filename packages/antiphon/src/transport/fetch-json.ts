import { AntiphonError, toAntiphonError } from "../core/error.ts";
import type { RetryOptions, Timeouts } from "../core/respond.ts";
import { readText } from "./body.ts";
import { abortError } from "./connection-error.ts";
import { checkStatus, describe, mergeHeaders, urlOf } from "./exchange.ts";
import { parseJson } from "./readers.ts";
import { retryDelay, shouldRetry } from "./retry.ts";
import { Deadlines, mergeTimeouts } from "./timeouts.ts";
import { transportOf, type TransportChoice } from "./transport-choice.ts";
import type { HttpRequest, HttpResponse, Transport, WireUpstream } from "./upstream.ts";

/** What may be said about one document. */
export interface FetchJsonOptions extends TransportChoice {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  timeouts?: Timeouts;
  retry?: RetryOptions;
}

const largestBody = 64 * 1024 * 1024;

/**
 * Gets a JSON document below an upstream's base URL, with the same errors and retries as a call.
 *
 * @example
 * const models = await fetchJson(upstream, "/models");
 */
export async function fetchJson(upstream: WireUpstream, path: string, options: FetchJsonOptions = {}): Promise<unknown> {
  const timeouts = mergeTimeouts(upstream.timeouts, options.timeouts);
  const request: HttpRequest = {
    method: "GET",
    url: urlOf(upstream, path),
    headers: mergeHeaders({ accept: "application/json" }, upstream.headers(), options.headers),
    connectTimeout: timeouts.connect,
  };
  const { signal } = options;
  const get = new JsonGet(upstream, request, transportOf(options), timeouts);
  const stop = (): void => get.stop(abortError(signal?.reason), true);
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    return await get.run(options.retry);
  } finally {
    signal?.removeEventListener("abort", stop);
    get.close();
  }
}

/** One document, in as many attempts as it takes. */
class JsonGet {
  readonly #upstream: WireUpstream;
  readonly #request: HttpRequest;
  readonly #transport: Transport;
  readonly #deadlines: Deadlines;
  #response: HttpResponse | undefined;
  #controller = new AbortController();
  #stopped: AntiphonError | undefined;
  #final = false;

  constructor(upstream: WireUpstream, request: HttpRequest, transport: Transport, timeouts: Required<Timeouts>) {
    this.#upstream = upstream;
    this.#request = request;
    this.#transport = transport;
    this.#deadlines = new Deadlines(timeouts, (error, name) => this.stop(error, name === "total"));
  }

  async run(retry: RetryOptions | undefined): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once();
      } catch (thrown) {
        const error = this.#describe(this.#stopped ?? toAntiphonError(thrown, "CONNECTION_ERROR"));
        const said = this.#response && shouldRetry(this.#response.headers);
        const delay = this.#final ? undefined : retryDelay(error, attempt, { ...retry, shouldRetry: said });
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

  async #once(): Promise<unknown> {
    if (this.#stopped) throw this.#stopped;
    this.#response = undefined;
    this.#deadlines.attempt();
    this.#response = await this.#transport({ ...this.#request, signal: this.#controller.signal });
    await checkStatus(this.#response, this.#upstream);
    const { text, cut } = await readText(this.#response, largestBody);
    if (cut) throw new AntiphonError("PROTOCOL", `The document is larger than ${largestBody} bytes.`);
    return parseJson(text);
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

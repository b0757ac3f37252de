import { fromCaller } from "../core/caller-stack.ts";
import type { RetryOptions, Timeouts } from "../core/respond.ts";
import type { StopSignal } from "../core/stop.ts";
import type { TransportChoice } from "./transport-choice.ts";
import type { HttpRequest, WireUpstream } from "./upstream.ts";

/** What may be said about one document. */
export interface FetchJsonOptions extends TransportChoice {
  /** `GET` where left out, or `POST` where there is a body. Only what may be sent twice belongs here: failures are retried. */
  method?: HttpRequest["method"];
  /** Sent as JSON. */
  body?: unknown;
  signal?: StopSignal;
  headers?: Record<string, string>;
  timeouts?: Timeouts;
  retry?: RetryOptions;
}

/**
 * Requests a JSON document below an upstream's base URL, with the same errors and retries as a call. An empty answer is `undefined`.
 *
 * @example
 * const models = await fetchJson(upstream, "/models");
 */
export const fetchJson = (upstream: WireUpstream, path: string, options: FetchJsonOptions = {}): Promise<unknown> =>
  fromCaller(async () => {
    const { fetchDocument } = await import("./fetch-document.ts");
    return fetchDocument(upstream, path, options);
  });

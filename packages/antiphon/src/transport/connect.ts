import { fromBatches, type Respond, type RetryOptions, type Timeouts } from "../core/respond.ts";
import type { CreateResponse } from "../model/index.ts";
import { Call, type CallPlan } from "./call.ts";
import { newId } from "./ids.ts";
import { mergeRetry } from "./retry.ts";
import { mergeTimeouts } from "./timeouts.ts";
import { transportOf, type TransportChoice } from "./transport-choice.ts";
import type { Transport, Upstream, WireUpstream } from "./upstream.ts";

export { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";

/** What may be said about every call of an upstream. */
export interface ConnectOptions extends TransportChoice {
  /** Added to every request; a call's own headers win over these. */
  headers?: Record<string, string>;
  timeouts?: Timeouts;
  retry?: RetryOptions;
  /** The largest server-sent event that is taken; 32 MiB where nothing is said. */
  maxEventBytes?: number;
  /** Makes ids where a server gives none. */
  newId?(prefix: string): string;
  /** Seconds since 1970. */
  now?(): number;
  /** Tells in an `antiphon:repairs` event what had to be put right in the answer. */
  reportRepairs?: boolean;
}

const secondsNow = (): number => Math.floor(Date.now() / 1000);

/**
 * Makes a model of an upstream. Failures before the first event are thrown; later ones are events, and a stream that began ends
 * in exactly one terminal event.
 *
 * @example
 * const respond = connect(upstream, { retry: { retries: 4 } });
 * for await (const event of respond({ input: "Hello" })) console.log(event.type);
 */
export function connect(upstream: Upstream, options: ConnectOptions = {}): Respond {
  if ("respond" in upstream) return (request, call) => upstream.respond(withModel(request, upstream.model), call);
  const transport = transportOf(options);
  return (request, call = {}) =>
    fromBatches(() => new Call({ ...planOf(upstream, options, transport, request), ...overrides(upstream, options, call) }));
}

function planOf(upstream: WireUpstream, options: ConnectOptions, transport: Transport, request: CreateResponse) {
  const ctx = {
    request: withModel(request, upstream.model),
    newId: options.newId ?? newId,
    now: options.now ?? secondsNow,
  };
  return { upstream, transport, ctx, maxEventBytes: options.maxEventBytes, reportRepairs: options.reportRepairs };
}

const overrides = (
  upstream: WireUpstream,
  options: ConnectOptions,
  call: Parameters<Respond>[1] & {},
): Pick<CallPlan, "headers" | "timeouts" | "retry" | "signal"> => ({
  headers: [options.headers, call.headers],
  timeouts: mergeTimeouts(upstream.timeouts, options.timeouts, call.timeouts),
  retry: mergeRetry(options.retry, call.retry),
  signal: call.signal,
});

const withModel = (request: CreateResponse, model: string | undefined): CreateResponse =>
  request.model || model === undefined ? request : { ...request, model };

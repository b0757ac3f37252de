import { fromBatches, type CallOptions, type Respond, type RetryOptions, type Timeouts } from "../core/respond.ts";
import type { CreateResponse } from "../model/index.ts";
import { Call, type CallPlan } from "./call.ts";
import { newId } from "./ids.ts";
import { mergeRetry } from "./retry.ts";
import { mergeTimeouts, plainTimeouts } from "./timeouts.ts";
import { transportOf, type TransportChoice } from "./transport-choice.ts";
import type { Upstream, WireUpstream } from "./upstream.ts";

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
  const plan = planOf(upstream, options);
  return (request, call = {}) => fromBatches(() => new Call(forCall(plan, withModel(request, upstream.model), call)));
}

/** What all calls have in common. */
const planOf = (upstream: WireUpstream, options: ConnectOptions) => ({
  upstream,
  transport: transportOf(options),
  newId: options.newId ?? newId,
  now: options.now ?? secondsNow,
  headers: [options.headers],
  timeouts: mergeTimeouts(upstream.timeouts, options.timeouts),
  plainTimeouts: mergeTimeouts(plainTimeouts, upstream.timeouts, options.timeouts),
  retry: mergeRetry(options.retry),
  maxEventBytes: options.maxEventBytes,
  reportRepairs: options.reportRepairs,
});

const forCall = (
  { plainTimeouts: patient, ...plan }: ReturnType<typeof planOf>,
  request: CreateResponse,
  call: CallOptions,
): CallPlan => ({
  ...plan,
  ctx: { request, newId: plan.newId, now: plan.now },
  headers: [...plan.headers, call.headers],
  timeouts: mergeTimeouts(request.stream === false ? patient : plan.timeouts, call.timeouts),
  retry: call.retry ? mergeRetry(plan.retry, call.retry) : plan.retry,
  signal: call.signal,
});

const withModel = (request: CreateResponse, model: string | undefined): CreateResponse =>
  request.model || model === undefined ? request : { ...request, model };

import { lazily, type CallOptions, type Respond } from "../core/respond.ts";
import { abortSignal } from "../core/stop.ts";
import type { ConnectOptions } from "./call-plan.ts";
import type { Upstream } from "./upstream.ts";
import { withModel } from "./with-model.ts";

export type { ConnectOptions } from "./call-plan.ts";
export { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";

/**
 * Makes a model of an upstream. Failures before the first event are thrown; later ones are events, and a stream that began ends
 * in exactly one terminal event.
 *
 * @example
 * const respond = connect(upstream, { retry: { retries: 4 } });
 * for await (const event of respond({ input: "Hello" })) console.log(event.type);
 */
export function connect(upstream: Upstream, options: ConnectOptions = {}): Respond {
  if ("respond" in upstream) return (request, call) => upstream.respond(withModel(request, upstream.model), withRealSignal(call));
  // To import the library should not take longer for those who ask nobody yet.
  return lazily(async () => (await import("./http-respond.ts")).httpRespond(upstream, options));
}

/** Whoever wrote a model of their own may count on an `AbortSignal`. */
const withRealSignal = (call: CallOptions | undefined): CallOptions | undefined =>
  call?.signal ? { ...call, signal: abortSignal(call.signal) } : call;

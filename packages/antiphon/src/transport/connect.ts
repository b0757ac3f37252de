import { checkOptions } from "../core/options.ts";
import { lazily, type CallOptions, type Respond, type Timeouts } from "../core/respond.ts";
import { abortSignal } from "../core/stop.ts";
import type { ConnectOptions } from "./call-plan.ts";
import { checkCall, checkLists } from "./check-request.ts";
import { checkUpstream, connectRules } from "./connect-rules.ts";
import type { LocalUpstream, Upstream } from "./upstream.ts";
import { withModel } from "./with-model.ts";

export type { ConnectOptions } from "./call-plan.ts";
export { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";

/**
 * Returns the model behind an upstream or a provider, as a function from a request to a stream of events. Failures
 * before the first event are thrown; later ones are events, and a stream that began ends in exactly one terminal
 * event.
 *
 * @example
 * const respond = connect(upstream, { retry: { retries: 4 } });
 * for await (const event of respond({ input: "Hello" })) console.log(event.type);
 */
export function connect(upstream: Upstream, options: ConnectOptions = {}): Respond {
  checkUpstream("connect", upstream);
  checkOptions("connect", options, connectRules);
  return respondOf(upstream, options);
}

/** `connect` without its checks. */
export function respondOf(upstream: Upstream, options: ConnectOptions): Respond {
  if ("respond" in upstream) return localRespond(upstream, options);
  // To import the library should not take longer for those who ask nobody yet.
  return lazily(async () => (await import("./http-respond.ts")).httpRespond(upstream, options));
}

/** A model inside this process has all the time that it wants, unless somebody says how much it may take. */
function localRespond(upstream: LocalUpstream, options: ConnectOptions): Respond {
  return (request, call = {}) => {
    checkCall(request, call);
    checkLists(request);
    const asked = withModel(request, upstream.model);
    const timeouts = { ...noTimeouts, ...said(options.timeouts), ...said(call?.timeouts) };
    if (Object.values(timeouts).every((limit) => limit === 0)) return upstream.respond(asked, withRealSignal(call));
    return lazily(async () => (await import("./timed-local.ts")).timedLocal(upstream.respond, timeouts))(asked, call);
  };
}

const noTimeouts: Required<Timeouts> = { connect: 0, firstEvent: 0, idle: 0, total: 0 };
const said = (timeouts: Timeouts = {}): Timeouts =>
  Object.fromEntries(Object.entries(timeouts).filter(([name, limit]) => name !== "connect" && limit !== undefined));

/** Whoever wrote a model of their own may count on an `AbortSignal`. */
const withRealSignal = (call: CallOptions | undefined): CallOptions | undefined =>
  call?.signal ? { ...call, signal: abortSignal(call.signal) } : call;

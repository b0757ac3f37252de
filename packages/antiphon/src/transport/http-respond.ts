import { fromBatches, type Respond } from "../core/respond.ts";
import { forCall, planOf, type ConnectOptions } from "./call-plan.ts";
import { Call } from "./call.ts";
import { checkCall } from "./check-request.ts";
import type { WireUpstream } from "./upstream.ts";

/** A model of an upstream that is asked over HTTP. */
export function httpRespond(upstream: WireUpstream, options: ConnectOptions): Respond {
  const plan = planOf(upstream, options);
  return (request, call = {}) =>
    fromBatches(() => {
      checkCall(request, call);
      return new Call(forCall(plan, request, call));
    });
}

import { callRules, retryRules, timeoutRules } from "../core/call-rules.ts";
import { AntiphonError } from "../core/error.ts";
import { anything, checkArgument, func, limit, nested, oneOf, signal, strings, yesOrNo, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { ConnectOptions } from "./call-plan.ts";
import type { FetchJsonOptions } from "./fetch-json.ts";
import type { TransportChoice } from "./transport-choice.ts";
import type { Upstream } from "./upstream.ts";

const transportRules: Rules<TransportChoice> = { fetch: func, transport: func };

export const connectRules: Rules<ConnectOptions> = {
  ...transportRules,
  headers: strings,
  timeouts: nested(timeoutRules),
  retry: nested(retryRules),
  maxEventBytes: limit(1),
  newId: func,
  now: func,
  relay: yesOrNo,
  reportRepairs: yesOrNo,
};

export const fetchJsonRules: Rules<FetchJsonOptions> = {
  ...transportRules,
  method: oneOf("GET", "POST", "DELETE"),
  body: anything,
  signal,
  headers: callRules.headers,
  timeouts: callRules.timeouts,
  retry: callRules.retry,
};

/** Throws `BAD_REQUEST` for anything that is not an upstream, such as the name of a provider. */
export function checkUpstream(of: string, upstream: Upstream): void {
  if (typeof upstream === "string")
    throw new AntiphonError("BAD_REQUEST", `\`${of}\` takes a provider, not its name: \`${of}(provider(…))\`.`, {
      param: "upstream",
    });
  const isUpstream = isObject(upstream) && "name" in upstream && ("respond" in upstream || isObject(upstream.codec));
  checkArgument(of, "a provider", isUpstream, upstream);
}

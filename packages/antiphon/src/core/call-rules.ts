import { limit, milliseconds, nested, signal, strings, yesOrNo, type Rules } from "./options.ts";
import type { CallOptions, RetryOptions, Timeouts } from "./respond.ts";

export const timeoutRules: Rules<Timeouts> = {
  connect: milliseconds,
  firstEvent: milliseconds,
  idle: milliseconds,
  total: milliseconds,
};

export const retryRules: Rules<RetryOptions> = { retries: limit(0), minDelay: milliseconds, maxDelay: milliseconds };

export const callRules: Rules<CallOptions> = {
  signal,
  headers: strings,
  timeouts: nested(timeoutRules),
  retry: nested(retryRules),
  eager: yesOrNo,
  runs: yesOrNo,
  relay: yesOrNo,
};

import type { Ctx } from "../codecs/codec.ts";
import type { CallOptions, RetryOptions, Timeouts } from "../core/respond.ts";
import type { CreateResponse } from "../model/index.ts";
import type { CallPlan } from "./call.ts";
import { isGood, isJson, refusal } from "./exchange.ts";
import { newId } from "./ids.ts";
import { EventReader, JsonReader, type AnswerReader } from "./readers.ts";
import { relayedJson, RelayReader } from "./relay-reader.ts";
import { mergeRetry } from "./retry.ts";
import { mergeTimeouts } from "./timeouts.ts";
import { transportOf, type TransportChoice } from "./transport-choice.ts";
import type { HttpResponse, Transport, WireUpstream } from "./upstream.ts";
import { withModel } from "./with-model.ts";

/** What may be said about every call of an upstream. */
export interface ConnectOptions extends TransportChoice {
  /** Added to every request; a call's own headers win over these. */
  headers?: Record<string, string>;
  timeouts?: Timeouts;
  retry?: RetryOptions;
  /** The largest event that is taken; 32 MiB where nothing is said. */
  maxEventBytes?: number;
  /** Makes ids where a server gives none. */
  newId?(prefix: string): string;
  /** Seconds since 1970. */
  now?(): number;
  /**
   * For callers that speak the upstream's wire themselves: what they need not read comes as `antiphon:wire` events, whole frames just
   * as the server sent them. On Responses these are all but the terminal event, as a rule; on Chat and Messages all but the beginning
   * and the terminal event, whose response tells usage and status and may have no output. Plain answers give their terminal event
   * alone, on Chat and Messages behind the body. Only for servers that keep to their wire's rules: little of what passes is checked.
   * Agents, `fallback`, `cache` and `guardrail` need every event, so they override this option for their calls.
   */
  relay?: boolean;
  /** Tells in an `antiphon:repairs` event what had to be put right in the answer. */
  reportRepairs?: boolean;
}

const secondsNow = (): number => Math.floor(Date.now() / 1000);

/** What all calls of an upstream have in common. */
export interface UpstreamPlan {
  upstream: WireUpstream;
  transport: Transport;
  newId(prefix: string): string;
  now(): number;
  headers: Record<string, string> | undefined;
  timeouts: Required<Timeouts>;
  retry: Required<RetryOptions>;
  maxEventBytes: number | undefined;
  relay: boolean | undefined;
  reportRepairs: boolean | undefined;
}

export const planOf = (upstream: WireUpstream, options: ConnectOptions): UpstreamPlan => ({
  upstream,
  transport: transportOf(options),
  newId: options.newId ?? newId,
  now: options.now ?? secondsNow,
  headers: options.headers,
  timeouts: mergeTimeouts(upstream.timeouts, options.timeouts),
  retry: mergeRetry(options.retry),
  maxEventBytes: options.maxEventBytes,
  relay: options.relay,
  reportRepairs: options.reportRepairs,
});

/** One call over HTTP. */
export function forCall(plan: UpstreamPlan, request: CreateResponse, call: CallOptions): CallPlan {
  const { upstream, newId, now, reportRepairs } = plan;
  const ctx: Ctx = { request: withModel(request, upstream.model), newId, now, runs: call.runs };
  const relay = call.relay ?? plan.relay;
  const reading: Reading = { upstream, maxEventBytes: plan.maxEventBytes, relay, eager: call.eager };
  let stream: AnswerReader | undefined;
  return {
    upstream,
    ctx,
    send: plan.transport,
    expect() {
      stream = request.stream === false ? undefined : streamReaderOf(reading, ctx);
    },
    readerOf: (response: HttpResponse) => readerOf(response, reading, ctx, stream),
    headers: [plan.headers, call.headers],
    timeouts: call.timeouts ? mergeTimeouts(plan.timeouts, call.timeouts) : plan.timeouts,
    retry: call.retry ? mergeRetry(plan.retry, call.retry) : plan.retry,
    reportRepairs,
    signal: call.signal,
  };
}

interface Reading extends Pick<UpstreamPlan, "upstream" | "maxEventBytes" | "relay"> {
  eager?: boolean | undefined;
}

function streamReaderOf({ upstream: { codec }, maxEventBytes, relay, eager }: Reading, ctx: Ctx): AnswerReader {
  const passing = relay ? codec.createRelay?.(ctx) : undefined;
  return passing ? new RelayReader(passing, { maxEventBytes }) : new EventReader(codec, ctx, { maxEventBytes, eager });
}

/** Who reads an HTTP answer; rejects where it is no good one. `stream` is who reads it if it is a stream, where it is there already. */
function readerOf(
  response: HttpResponse,
  reading: Reading,
  ctx: Ctx,
  stream?: AnswerReader,
): AnswerReader | Promise<AnswerReader> {
  const { upstream, relay } = reading;
  const { codec } = upstream;
  if (!isGood(response)) return refusal(response, upstream);
  if (!isJson(response.headers)) return stream ?? streamReaderOf(reading, ctx);
  return relay && codec.createRelay?.(ctx) ? relayedJson(codec, ctx) : new JsonReader(codec, ctx);
}

import type { Respond } from "antiphon";
import { telemetry, type TelemetryMeter } from "antiphon/middleware";
import { knownMethod } from "../methods.ts";
import type { RequestFacts, RequestStart, RunStart, Telemetry, Trace } from "../telemetry.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import { loadTracingApi, type TracingApi, type TracingSpan, type TracingTracer } from "./tracing-api.ts";

/** What spans say, and whose they are. */
export interface TracingOptions {
  /** The module `@opentelemetry/api`; loaded where it is left out. */
  api?: TracingApi;
  /** Whether spans carry what was asked and answered. It may be private: off unless asked for. */
  content?: boolean;
}

const scope = "antiphon-gateway";
// OpenTelemetry's numbers for kinds of spans and for a status.
const server = 1;
const failed = 2;

/** How the conventions call providers that we call otherwise. */
const providerNames: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  azure: "azure.ai.openai",
  "azure-chat": "azure.ai.openai",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  "vertex-anthropic": "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
  "xai-chat": "x_ai",
  "deepseek-responses": "deepseek",
};

/**
 * Creates OpenTelemetry traces: a span for each request and each model call, and histograms of times and tokens.
 *
 * @example
 * const telemetry = await tracing();
 */
export async function tracing({ api: given, content = false }: TracingOptions = {}): Promise<Telemetry> {
  const api = given ?? (await loadTracingApi());
  const tracer = api.trace.getTracer(scope);
  const meter = remembering(api.metrics.getMeter(scope));
  const durations = meter.createHistogram("http.server.request.duration", {
    unit: "s",
    description: "Duration of HTTP requests until the end of the response.",
  });
  return {
    begin: (start) => new RequestSpan(api, tracer, start),
    model: (respond, run) => traced(respond, run, { api, tracer, meter, content }),
    request: (facts) => {
      if (facts.trace instanceof RequestSpan) facts.trace.end(facts);
      durations.record(facts.milliseconds / 1_000, outcomeOf(facts));
    },
    run() {},
    log() {},
  };
}

/** Makes every instrument once, however many runs ask for it. */
function remembering(meter: TelemetryMeter): TelemetryMeter {
  const made = new Map<string, ReturnType<TelemetryMeter["createHistogram"]>>();
  return {
    createHistogram: (name, options) => {
      const histogram = made.get(name) ?? meter.createHistogram(name, options);
      made.set(name, histogram);
      return histogram;
    },
  };
}

const other = "_OTHER";

type Attributes = Parameters<TracingSpan["setAttributes"]>[0];

const outcomeOf = ({ method, route, status }: RequestFacts): Attributes => ({
  "http.request.method": knownMethod(method, other),
  "http.route": route,
  "http.response.status_code": status,
  ...(status >= 500 && { "error.type": String(status) }),
});

/** One request and its span. */
class RequestSpan implements Trace {
  readonly #api: TracingApi;
  readonly #span: TracingSpan;
  /** In which the span of the request is the parent. */
  readonly context: unknown;

  constructor(api: TracingApi, tracer: TracingTracer, { method, route, path, headers, address, requestId }: RequestStart) {
    this.#api = api;
    const agent = headers.get("user-agent");
    const attributes: Attributes = {
      "http.request.method": knownMethod(method, other),
      "http.route": route,
      "url.path": path,
      "antiphon.request.id": requestId,
      ...(address !== undefined && { "client.address": address }),
      ...(agent !== null && { "user_agent.original": agent }),
    };
    const parent = parentOf(api, headers);
    this.#span = tracer.startSpan(`${knownMethod(method, "HTTP")} ${route}`, { kind: server, attributes }, parent);
    this.context = api.trace.setSpan(parent, this.#span);
  }

  within<T>(run: () => T): T {
    return this.#api.context.with(this.context, run);
  }

  end(facts: RequestFacts): void {
    this.#span.setAttributes(outcomeOf(facts));
    // By the conventions, what the client did wrong is no error of a server's span.
    if (facts.status >= 500) this.#span.setStatus({ code: failed });
    this.#span.end();
  }
}

/** Where another instrument has opened a span for the request already, that is the parent; else the one that the client names. */
function parentOf(api: TracingApi, headers: RequestStart["headers"]): unknown {
  const active = api.context.active();
  if (api.trace.getSpan(active)) return active;
  const place = parseTraceparent(headers.get("traceparent"));
  return place ? api.trace.setSpanContext(active, place) : active;
}

type Instruments = Required<TracingOptions> & { tracer: TracingTracer; meter: TelemetryMeter };

/** The model with a span for its answer, below that of the request. Of all that tracing knows, the upstream is told `traceparent` alone. */
function traced(respond: Respond, { id, provider, trace }: RunStart, instruments: Instruments): Respond {
  const { tracer, api } = instruments;
  const parent = trace instanceof RequestSpan ? trace.context : api.context.active();
  let told: string | undefined;
  const below: TracingTracer = {
    startSpan: (name, options, context) => {
      const span = tracer.startSpan(name, options, context ?? parent);
      if (context === undefined) {
        span.setAttributes({ "antiphon.response.id": id });
        told = formatTraceparent(span.spanContext());
      }
      return span;
    },
  };
  const watch = telemetry({ ...instruments, tracer: below, provider: providerNames[provider] ?? provider });
  return watch((request, call) => respond(request, told ? { ...call, headers: { ...call?.headers, traceparent: told } } : call));
}

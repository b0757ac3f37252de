import { AntiphonError } from "antiphon";
import type { TelemetryApi, TelemetryMeter, TelemetrySpan, TelemetryTracer } from "antiphon/middleware";
import type { SpanPlace } from "./traceparent.ts";

export interface TracingSpan extends TelemetrySpan {
  spanContext(): SpanPlace;
}

export interface TracingTracer extends TelemetryTracer {
  startSpan(...args: Parameters<TelemetryTracer["startSpan"]>): TracingSpan;
}

/** As much of the module `@opentelemetry/api` as is used here: whoever does not trace need not have it. */
export interface TracingApi extends TelemetryApi {
  trace: TelemetryApi["trace"] & {
    getTracer(name: string): TracingTracer;
    getSpan(context: unknown): TracingSpan | undefined;
    setSpanContext(context: unknown, place: SpanPlace): unknown;
  };
  metrics: { getMeter(name: string): TelemetryMeter };
}

const packageName = "@opentelemetry/api";

/** Loads OpenTelemetry; the program that starts the gateway sets up where its spans go. */
export async function loadTracingApi(): Promise<TracingApi> {
  try {
    // The package is a peer that may be missing; what it exports is checked by the compiler in the tests.
    return (await import(packageName)) as TracingApi;
  } catch (cause) {
    throw new AntiphonError("UNSUPPORTED", `Tracing requires the package ${packageName}. Install it next to the gateway.`, {
      cause,
    });
  }
}

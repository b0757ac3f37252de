import { combine } from "./combine.ts";
import { logs, type LogOptions } from "./logs/logs.ts";
import { prometheus, type Metrics, type MetricsOptions } from "./metrics/metrics.ts";
import { tracing, type TracingOptions } from "./tracing/tracing.ts";
import { readTelemetryConfig } from "./read-config.ts";
import type { Telemetry } from "./telemetry.ts";

/** What a gateway tells those who run it. */
export interface TelemetryConfig {
  /** Lines for standard error, or wherever; only warnings and errors where nothing is said. */
  logs?: LogOptions | boolean;
  /** On where nothing is said. */
  metrics?: MetricsConfig | boolean;
  /** OpenTelemetry, which the program that starts the gateway sets up; off where nothing is said. */
  tracing?: TracingOptions | boolean;
  /** Told as well. */
  others?: readonly Telemetry[];
}

/** Which metrics there are, and who may read them. */
export interface MetricsConfig extends MetricsOptions {
  /** Whoever shows it as a bearer token may read them. */
  token?: string;
  /**
   * Who else may: those on the same machine (`loopback`), those with a key of the gateway (`keys`) or everybody (`open`). Where
   * nothing is said, `loopback` without a token, and nobody else with one.
   */
  access?: "loopback" | "keys" | "open";
}

/** All of a gateway's telemetry, and its metrics where there are any. */
export interface OpenedTelemetry {
  telemetry: Telemetry;
  metrics: Metrics | undefined;
}

/** `true` stands for what is usual. */
const optionsIn = <T extends object>(given: T | true): Partial<T> => (given === true ? {} : given);

/** Starts what the configuration asks for. */
export async function openTelemetry(config: TelemetryConfig = {}): Promise<OpenedTelemetry> {
  const {
    logs: log = { level: "warn" },
    metrics: counting = true,
    tracing: trace = false,
    others = [],
  } = readTelemetryConfig(config);
  const traced = trace === false ? undefined : await tracing(optionsIn(trace));
  const written = log === false ? undefined : logs(optionsIn(log));
  const metrics = counting === false ? undefined : prometheus(optionsIn(counting));
  if (metrics && written) metrics.gauges.droppedLines = () => written.dropped;
  const parts = [metrics, written, traced, ...others].filter((part) => part !== undefined);
  return { telemetry: combine(...parts), metrics };
}

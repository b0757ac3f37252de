import { AntiphonError } from "antiphon";
import { anything, count, flag, oneOf, table, text, written, type ConfigProblem, type Reader } from "../models/shapes.ts";
import type { LogOptions } from "./logs/logs.ts";
import type { MetricsConfig, TelemetryConfig } from "./telemetry-config.ts";
import type { TracingOptions } from "./tracing/tracing.ts";

/** Streams, clocks and the like come from programs, where the compiler has looked at them. */
const given = <T>(): Reader<T> => anything as Reader<T>;

const logs = table<LogOptions>({
  level: oneOf(["debug", "info", "warn", "error"]),
  format: oneOf(["json", "text"]),
  content: flag,
  to: given(),
  maxWaiting: count,
  now: given(),
});
const metrics = table<MetricsConfig>({
  token: text,
  access: oneOf(["loopback", "keys", "open"]),
  maxModels: count,
  maxOwners: count,
});
const tracing = table<TracingOptions>({ api: given(), content: flag });

/** A table, or `true` and `false` for all of it. */
const switched =
  <T>(read: Reader<T>): Reader<T | boolean> =>
  (value, path, problems) =>
    typeof value === "boolean" ? value : read(value, path, problems);

const telemetry = table<TelemetryConfig>({
  logs: switched(logs),
  metrics: switched(metrics),
  tracing: switched(tracing),
  others: given(),
});

/** A configuration that was checked, in either spelling of its keys; throws `BAD_REQUEST` with all that is wrong with it. */
export function readTelemetryConfig(config: unknown): TelemetryConfig {
  const problems: ConfigProblem[] = [];
  const read = telemetry(config, ["telemetry"], problems);
  const [first] = problems;
  if (read && !first) return read;
  const message = `${problems.map((problem) => problem.message).join(".\n")}.`;
  throw new AntiphonError("BAD_REQUEST", message, { param: written(first?.path ?? ["telemetry"]) });
}

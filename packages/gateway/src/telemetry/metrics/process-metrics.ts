import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Registry } from "./registry.ts";

const perSecond = { milli: 1e3, micro: 1e6, nano: 1e9 };
/** Of the timer that the event loop is watched with, in milliseconds. */
const resolution = 20;

/** What every process of Node's tells of itself, under the names that dashboards expect; gives the way to stop watching. */
export function addProcessMetrics(registry: Registry): () => void {
  registry.read({
    name: "process_cpu_seconds_total",
    kind: "counter",
    help: "CPU time used by the process, in seconds.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / perSecond.micro;
    },
  });
  registry.read({
    name: "process_resident_memory_bytes",
    kind: "gauge",
    help: "Resident memory of the process, in bytes.",
    read: () => process.memoryUsage.rss(),
  });
  registry.read({
    name: "process_start_time_seconds",
    kind: "gauge",
    help: "Start time of the process, in seconds since 1970.",
    read: () => performance.timeOrigin / perSecond.milli,
  });
  registry.read({
    name: "nodejs_heap_size_used_bytes",
    kind: "gauge",
    help: "JavaScript heap in use, in bytes.",
    read: () => process.memoryUsage().heapUsed,
  });
  return addEventLoopMetrics(registry);
}

function addEventLoopMetrics(registry: Registry): () => void {
  registry.read({
    name: "nodejs_eventloop_busy_seconds_total",
    kind: "counter",
    help: "Time that the event loop was busy, in seconds.",
    read: () => performance.eventLoopUtilization().active / perSecond.milli,
  });
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  // What is measured is the time between two ticks of a timer, which is late by what exceeds its interval.
  const late = (quantile: number): number =>
    Math.max(0, delay.percentile(quantile * 100) / perSecond.nano - resolution / perSecond.milli);
  registry.read({
    name: "nodejs_eventloop_lag_seconds",
    kind: "gauge",
    help: "Delay of the event loop since the last scrape, in seconds.",
    labels: ["quantile"],
    read: () => {
      const values = [0.5, 0.99, 1].map((quantile) => [[String(quantile)], late(quantile)] as const);
      delay.reset();
      return values;
    },
  });
  return () => delay.disable();
}

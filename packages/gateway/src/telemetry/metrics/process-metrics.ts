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
    help: "Processor time that the process took, in seconds.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / perSecond.micro;
    },
  });
  registry.read({
    name: "process_resident_memory_bytes",
    kind: "gauge",
    help: "Memory of the process, in bytes.",
    read: () => process.memoryUsage.rss(),
  });
  registry.read({
    name: "process_start_time_seconds",
    kind: "gauge",
    help: "When the process began, in seconds since 1970.",
    read: () => performance.timeOrigin / perSecond.milli,
  });
  registry.read({
    name: "nodejs_heap_size_used_bytes",
    kind: "gauge",
    help: "Memory of JavaScript's objects, in bytes.",
    read: () => process.memoryUsage().heapUsed,
  });
  return addEventLoopMetrics(registry);
}

function addEventLoopMetrics(registry: Registry): () => void {
  registry.read({
    name: "nodejs_eventloop_busy_seconds_total",
    kind: "counter",
    help: "How long the event loop was at work, in seconds; the rest of the time it waited.",
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
    help: "By how much the event loop was late since the last scrape, in seconds.",
    labels: ["quantile"],
    read: () => {
      const values = [0.5, 0.99, 1].map((quantile) => [[String(quantile)], late(quantile)] as const);
      delay.reset();
      return values;
    },
  });
  return () => delay.disable();
}

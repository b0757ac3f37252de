import type { Usage } from "antiphon";
import { knownMethod } from "../methods.ts";
import type { RequestFacts, RunFacts, Telemetry } from "../telemetry.ts";
import type { Exposition, ReadMetric } from "./exposition.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { Registry } from "./registry.ts";

/** What only others know: asked for at every scrape, and left out where nobody tells. */
export interface Gauges {
  /** Responses that run now. */
  runs?(): number;
  /** Queued background responses. */
  queued?(): number | Promise<number>;
  /** Answers that are being streamed, and Open WebSockets. */
  streams?(): number;
  sockets?(): number;
  /** Lines that the log had to leave out. */
  droppedLines?(): number;
}

/** How many values of a label are told apart. */
export interface MetricsOptions {
  /** Names of models, which clients may invent; those that come later are counted together. */
  maxModels?: number;
  maxOwners?: number;
}

/** Counts, for Prometheus to scrape. */
export interface Metrics extends Telemetry {
  /** May be filled in later, when those who know are there. */
  readonly gauges: Gauges;
  readonly registry: Registry;
  /** What a scrape gets, in the form that its `Accept` header asks for. */
  expose(accept?: string | null): Promise<Exposition>;
}

/** In seconds: requests that are only looked up take a millisecond, long answers minutes. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Creates metrics of requests, responses, tokens, cost, errors and the process.
 *
 * @example
 * const metrics = prometheus();
 * const { text } = await metrics.expose();
 */
export function prometheus({ maxModels = 100, maxOwners = 100 }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const gauges: Gauges = {};
  const request = requestMetrics(registry);
  const run = runMetrics(registry, maxModels);
  const owner = ownerMetrics(registry, maxOwners);
  addGauges(registry, gauges);
  const stop = addProcessMetrics(registry);
  return {
    registry,
    gauges,
    expose: (accept) => registry.expose(accept),
    request,
    run: (facts) => {
      run(facts);
      owner(facts);
    },
    log() {},
    close: async () => stop(),
  };
}

const classes = ["other", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;

function requestMetrics(registry: Registry): (facts: RequestFacts) => void {
  const requests = registry.counter({
    name: "antiphon_requests_total",
    help: "Answered HTTP requests.",
    labels: ["method", "route", "status"],
  });
  const times = registry.histogram(
    {
      name: "antiphon_request_seconds",
      help: "Duration of HTTP requests until the end of the response, in seconds.",
      labels: ["method", "route"],
    },
    seconds,
  );
  return ({ method: asked, route, status, milliseconds }) => {
    const method = knownMethod(asked, "other");
    requests.of(method, route, classes[Math.floor(status / 100)] ?? "other").add();
    times.of(method, route).observe(milliseconds / 1_000);
  };
}

/** The kinds of tokens; the latter two are among the former. */
const tokenKinds: Readonly<Record<string, (usage: Usage) => number>> = {
  input: (usage) => usage.input_tokens,
  output: (usage) => usage.output_tokens,
  cached: (usage) => usage.input_tokens_details.cached_tokens,
  reasoning: (usage) => usage.output_tokens_details.reasoning_tokens,
};
const kinds = Object.entries(tokenKinds);

function runMetrics(registry: Registry, maxValues: number): (facts: RunFacts) => void {
  const labels = ["model", "provider"];
  const responses = registry.counter({
    name: "antiphon_responses_total",
    help: "Responses that ended, by status.",
    labels: [...labels, "status"],
    maxValues,
  });
  const times = registry.histogram(
    { name: "antiphon_response_seconds", help: "Duration of responses, in seconds.", labels, maxValues },
    seconds,
  );
  const firsts = registry.histogram(
    { name: "antiphon_first_output_seconds", help: "Time to the first output, in seconds.", labels, maxValues },
    seconds,
  );
  const errors = registry.counter({
    name: "antiphon_upstream_errors_total",
    help: "Failed responses, by error code.",
    labels: [...labels, "code"],
    maxValues,
  });
  const tokens = registry.counter({
    name: "antiphon_tokens_total",
    help: "Tokens; `input` includes `cached`, `output` includes `reasoning`.",
    labels: [...labels, "kind"],
    maxValues,
  });
  const cost = registry.counter({
    name: "antiphon_cost_dollars_total",
    help: "Cost of responses with a known price, in dollars.",
    labels,
    maxValues,
  });
  return ({ model, provider, status, error, usage, cost: dollars, firstOutput, milliseconds }) => {
    responses.of(model, provider, status).add();
    times.of(model, provider).observe(milliseconds / 1_000);
    if (firstOutput !== undefined) firsts.of(model, provider).observe(firstOutput / 1_000);
    // That a client left is no error of the upstream.
    if (error !== undefined && error !== "ABORTED") errors.of(model, provider, error).add();
    if (usage) for (const [kind, count] of kinds) tokens.of(model, provider, kind).add(count(usage));
    if (dollars !== undefined) cost.of(model, provider).add(dollars);
  };
}

function ownerMetrics(registry: Registry, maxValues: number): (facts: RunFacts) => void {
  const tokens = registry.counter({
    name: "antiphon_owner_tokens_total",
    help: "Tokens, by owner of the key.",
    labels: ["owner"],
    maxValues,
  });
  const cost = registry.counter({
    name: "antiphon_owner_cost_dollars_total",
    help: "Cost of responses, in dollars, by owner of the key.",
    labels: ["owner"],
    maxValues,
  });
  return ({ owner, usage, cost: dollars }) => {
    if (usage) tokens.of(owner).add(usage.total_tokens);
    if (dollars !== undefined) cost.of(owner).add(dollars);
  };
}

function addGauges(registry: Registry, gauges: Gauges): void {
  const gauge = (name: string, help: string, read: ReadMetric["read"]): void =>
    registry.read({ name, kind: "gauge", help, read });
  gauge("antiphon_runs_in_progress", "Responses that are running in this process.", () => gauges.runs?.());
  gauge("antiphon_background_queued", "Queued background responses.", () => gauges.queued?.());
  gauge("antiphon_open_streams", "Open response streams.", () => gauges.streams?.());
  gauge("antiphon_open_websockets", "Open WebSockets.", () => gauges.sockets?.());
  registry.read({
    name: "antiphon_log_lines_dropped_total",
    kind: "counter",
    help: "Log lines dropped because the log was read too slowly.",
    read: () => gauges.droppedLines?.(),
  });
}

import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { prometheus, type Metrics, type MetricsOptions } from "../../src/telemetry/metrics/metrics.ts";
import { Registry } from "../../src/telemetry/metrics/registry.ts";
import { requestFacts, runFacts } from "./facts.ts";
import { parseExposition, type Samples } from "./parse-exposition.ts";

const open: Metrics[] = [];
const made = (options?: MetricsOptions): Metrics => {
  const metrics = prometheus(options);
  open.push(metrics);
  return metrics;
};
const scrape = async (metrics: Metrics): Promise<Samples> => parseExposition((await metrics.expose()).text);
afterEach(() => Promise.all(open.splice(0).flatMap((metrics) => metrics.close?.() ?? [])));

describe("what is counted", () => {
  test("requests by method, route and class of status, with their times", async () => {
    const metrics = made();
    metrics.request(requestFacts());
    metrics.request(requestFacts({ status: 201 }));
    metrics.request(requestFacts({ method: "GET", route: "/v1/responses/:id", status: 404, milliseconds: 3_000 }));
    const { value } = await scrape(metrics);
    expect(value("antiphon_requests_total", { method: "POST", route: "/v1/responses", status: "2xx" })).toBe(2);
    expect(value("antiphon_requests_total", { method: "GET", route: "/v1/responses/:id", status: "4xx" })).toBe(1);
    const slow = { method: "GET", route: "/v1/responses/:id" };
    expect(value("antiphon_request_seconds_bucket", { ...slow, le: "2.5" })).toBe(0);
    expect(value("antiphon_request_seconds_bucket", { ...slow, le: "5" })).toBe(1);
    expect(value("antiphon_request_seconds_sum", slow)).toBe(3);
    expect(value("antiphon_request_seconds_count", slow)).toBe(1);
  });

  test("responses, tokens by kind, cost, times and owners", async () => {
    const metrics = made();
    metrics.run(runFacts());
    metrics.run(runFacts({ owner: "bob", cost: 0.5 }));
    metrics.run(runFacts({ status: "incomplete", usage: null, cost: undefined, firstOutput: undefined }));
    const { value } = await scrape(metrics);
    const of = { model: "fast", provider: "openai" };
    expect(value("antiphon_responses_total", { ...of, status: "completed" })).toBe(2);
    expect(value("antiphon_responses_total", { ...of, status: "incomplete" })).toBe(1);
    const tokens = ["input", "output", "cached", "reasoning"].map((kind) => value("antiphon_tokens_total", { ...of, kind }));
    expect(tokens).toEqual([200, 40, 120, 10]);
    expect(value("antiphon_cost_dollars_total", of)).toBe(0.75);
    expect(value("antiphon_first_output_seconds_count", of)).toBe(2);
    expect(value("antiphon_first_output_seconds_sum", of)).toBeCloseTo(0.08);
    expect(value("antiphon_response_seconds_sum", of)).toBe(6);
    expect(value("antiphon_owner_tokens_total", { owner: "ada" })).toBe(120);
    expect(value("antiphon_owner_cost_dollars_total", { owner: "bob" })).toBe(0.5);
  });

  test("upstream errors by code, but not that a client left", async () => {
    const metrics = made();
    metrics.run(runFacts({ status: "failed", error: "SERVER_OVERLOADED" }));
    metrics.run(runFacts({ status: "cancelled", error: "ABORTED" }));
    const { series, value } = await scrape(metrics);
    expect(series("antiphon_upstream_errors_total")).toHaveLength(1);
    expect(value("antiphon_upstream_errors_total", { model: "fast", provider: "openai", code: "SERVER_OVERLOADED" })).toBe(1);
  });

  test("what others know, as it is at the moment of the scrape", async () => {
    const metrics = made();
    let runs = 3;
    metrics.gauges.runs = () => runs;
    metrics.gauges.queued = () => Promise.resolve(7);
    metrics.gauges.sockets = () => {
      throw new Error("closed");
    };
    expect((await scrape(metrics)).value("antiphon_runs_in_progress")).toBe(3);
    runs = 0;
    expect((await scrape(metrics)).value("antiphon_runs_in_progress")).toBe(0);
    expect((await scrape(metrics)).value("antiphon_background_queued")).toBe(7);
    expect((await scrape(metrics)).series("antiphon_open_websockets")).toEqual([]);
    expect((await scrape(metrics)).series("antiphon_open_streams")).toEqual([]);
  });

  test("the process itself", async () => {
    const metrics = made();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const { value } = await scrape(metrics);
    expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    expect(value("nodejs_heap_size_used_bytes")).toBeGreaterThan(1e6);
    expect(value("process_start_time_seconds")).toBeGreaterThan(1.7e9);
    expect(value("nodejs_eventloop_busy_seconds_total")).toBeGreaterThan(0);
    expect(value("nodejs_eventloop_lag_seconds", { quantile: "1" })).toBeGreaterThanOrEqual(0);
  });
});

describe("memory", () => {
  test("names that clients invent are counted together once there are many", async () => {
    const metrics = made({ maxModels: 10, maxOwners: 5 });
    for (let at = 0; at < 1_000; at += 1) {
      metrics.run(runFacts({ model: `m${at}`, owner: `o${at}` }));
      metrics.request(requestFacts({ method: `M${at}` }));
    }
    const { series, value } = await scrape(metrics);
    expect(series("antiphon_responses_total")).toHaveLength(11);
    expect(value("antiphon_responses_total", { model: "m3", provider: "openai", status: "completed" })).toBe(1);
    expect(value("antiphon_responses_total", { model: "other", provider: "openai", status: "completed" })).toBe(990);
    expect(series("antiphon_owner_tokens_total")).toHaveLength(6);
    expect(value("antiphon_owner_tokens_total", { owner: "other" })).toBe(995 * 120);
    expect(series("antiphon_requests_total").map(({ labels }) => labels["method"])).toEqual(["other"]);
  });

  test("an overlong name has no series of its own", async () => {
    const metrics = made();
    metrics.run(runFacts({ model: "x".repeat(100_000) }));
    expect((await metrics.expose()).text.length).toBeLessThan(50_000);
  });
});

describe("the exposition", () => {
  test("escapes what labels hold, whatever that is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 50 }), async (model) => {
        const registry = new Registry();
        registry
          .counter({ name: "a_total", help: 'Says "so"\nand \\ so.', labels: ["model"] })
          .of(model)
          .add(2);
        const { text } = await registry.expose();
        expect(parseExposition(text).series("a_total")).toEqual([{ labels: { model }, value: 2 }]);
        expect(text).toContain('# HELP a_total Says "so"\\nand \\\\ so.\n# TYPE a_total counter\n');
      }),
    );
  });

  test("is OpenMetrics for those who ask for it", async () => {
    const registry = new Registry();
    registry.counter({ name: "a_total", help: "A." }).of().add();
    registry.histogram({ name: "b_seconds", help: "B." }, [1, 2]).of().observe(1.5);
    const accept = "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5";
    expect(await registry.expose(accept)).toEqual({
      contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
      text: [
        "# HELP a A.",
        "# TYPE a counter",
        "a_total 1",
        "# HELP b_seconds B.",
        "# TYPE b_seconds histogram",
        'b_seconds_bucket{le="1"} 0',
        'b_seconds_bucket{le="2"} 1',
        'b_seconds_bucket{le="+Inf"} 1',
        "b_seconds_sum 1.5",
        "b_seconds_count 1",
        "# EOF\n",
      ].join("\n"),
    });
    expect((await registry.expose("text/plain")).contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test("counts what lies on a bound below it, and leaves out what is no time", async () => {
    const registry = new Registry();
    const times = registry.histogram({ name: "b_seconds", help: "B." }, [1, 2]).of();
    for (const value of [1, 2, 3, -1, NaN]) times.observe(value);
    const { value } = parseExposition((await registry.expose()).text);
    expect(["1", "2", "+Inf"].map((le) => value("b_seconds_bucket", { le }))).toEqual([1, 2, 3]);
    expect(value("b_seconds_sum")).toBe(6);
  });

  test("refuses two metrics of one name, and a wrong number of labels", () => {
    const registry = new Registry();
    const family = registry.counter({ name: "a_total", help: "A.", labels: ["x", "y"] });
    expect(() => registry.counter({ name: "a_total", help: "A." })).toThrow("already");
    family.of("1", "2").add();
    for (const values of [[], ["1"], ["1", "2", "3"]]) expect(() => family.of(...values)).toThrow("2 labels");
  });
});

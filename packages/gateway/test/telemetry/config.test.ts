import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { combine } from "../../src/telemetry/combine.ts";
import { openTelemetry, type MetricsConfig, type TelemetryConfig } from "../../src/telemetry/telemetry-config.ts";
import { silent, type Telemetry } from "../../src/telemetry/telemetry.ts";
import { requestFacts, runFacts } from "./facts.ts";

const opened: Telemetry[] = [];
const open = async (config?: TelemetryConfig): ReturnType<typeof openTelemetry> => {
  const result = await openTelemetry(config);
  opened.push(result.telemetry);
  return result;
};
afterEach(() => Promise.all(opened.splice(0).flatMap((telemetry) => telemetry.close?.() ?? [])));

describe("telemetry by configuration", () => {
  test("counts and logs the same facts", async () => {
    const to = new PassThrough();
    const { telemetry, metrics } = await open({ logs: { to, level: "info", format: "json" } });
    telemetry.request(requestFacts());
    telemetry.run(runFacts());
    telemetry.log({ level: "info", message: "started" });
    await telemetry.close?.();
    const lines = String(to.read()).trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(["request", "response", "started"]);
    const { text = "" } = (await metrics?.expose()) ?? {};
    expect(text).toContain('antiphon_responses_total{model="fast",provider="openai",status="completed"} 1');
    expect(text).toContain("antiphon_log_lines_dropped_total 0");
  });

  test("is read in the spelling of files as well", async () => {
    const { telemetry, metrics } = await open({ logs: false, metrics: { max_models: 1 } as MetricsConfig });
    for (const model of ["a", "b", "c"]) telemetry.run(runFacts({ model }));
    expect((await metrics?.expose())?.text).toContain('antiphon_responses_total{model="other"');
  });

  test("is refused where it cannot be, with all that is wrong and never a value", async () => {
    const config = { logs: { level: "verbose" }, metrics: { tokn: "secret" }, tracing: 1 } as unknown as TelemetryConfig;
    await expect(openTelemetry(config)).rejects.toMatchObject({
      code: "BAD_REQUEST",
      param: "telemetry.logs.level",
      message: [
        "telemetry.logs.level must be one of debug, info, warn, error.",
        'Unknown key "telemetry.metrics.tokn"; did you mean "token"?.',
        "telemetry.tracing must be a table, not a number.",
      ].join("\n"),
    });
  });

  test("tells others as well, and only them where the rest is switched off", async () => {
    const told: string[] = [];
    const other: Telemetry = { ...silent, log: ({ message }) => void told.push(message) };
    const { telemetry, metrics } = await open({ logs: false, metrics: false, others: [other] });
    telemetry.log({ level: "error", message: "heard" });
    expect(metrics).toBeUndefined();
    expect(told).toEqual(["heard"]);
    expect(telemetry.begin).toBeUndefined();
  });

  test("traces where that is asked for", async () => {
    const { telemetry } = await open({ tracing: true });
    expect(telemetry.begin).toBeTypeOf("function");
    expect(telemetry.model).toBeTypeOf("function");
  });
});

test("two that trace are refused: a request has one span", () => {
  const tracer: Telemetry = { ...silent, model: (respond) => respond };
  expect(() => combine(tracer, tracer)).toThrow("Only one");
});

test("nobody is told where there is nobody", () => {
  expect(combine()).toBe(silent);
});

// OpenTelemetry: a span for each run, model call and tool call. Spans contain no prompts or answers by default.
import * as api from "@opentelemetry/api";
import { BasicTracerProvider, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { collect, connect, looping, provider, tool } from "antiphon";
import { telemetry } from "antiphon/middleware";

// This program prints its spans. A real one sends them to a collector.
const print = (span: ReadableSpan): void => {
  const { "gen_ai.usage.output_tokens": tokens, "gen_ai.response.finish_reasons": reasons } = span.attributes;
  console.log(tokens === undefined ? span.name : `${span.name}: ${tokens} tokens, ${String(reasons)}`);
};
const exporter = { export: (spans: ReadableSpan[]) => spans.forEach(print), shutdown: async () => {} };
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("example");

const weather = tool({
  name: "weather",
  description: "Returns the weather in a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "4 °C and rain",
});

const model = telemetry({ tracer, api, provider: "offline" })(connect(provider("offline")));
const agent = telemetry({ tracer, api, agent: "forecaster" })(looping({ tools: [weather] })(model));

await collect(agent({ model: "offline", input: "What is the weather in Oslo?" }));

// Prints:
//   chat offline: 5 tokens, tool_calls
//   execute_tool weather
//   chat offline: 10 tokens, stop
//   invoke_agent forecaster: 15 tokens, stop

import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import type { Respond } from "../../src/core/respond.ts";
import { telemetry } from "../../src/middleware/telemetry.ts";
import type { Item, ResponseEvent } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { clock } from "./models.ts";

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test");
const spans = (): ReadableSpan[] => exporter.getFinishedSpans();

/** As much of a context manager as a test of parents needs. */
const contexts = new AsyncLocalStorage<api.Context>();
const manager: api.ContextManager = {
  active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
  with: (context, run, self, ...args) => contexts.run(context, () => run.apply(self as never, args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
};

beforeAll(() => api.context.setGlobalContextManager(manager));
afterAll(() => api.context.disable());
beforeEach(() => exporter.reset());

describe("the span of a call", () => {
  test("says what was asked for and what came of it, by the conventions' names", async () => {
    const respond = telemetry({ tracer, provider: "offline" })(offline());
    const response = await collect(
      respond({
        model: "parrot",
        input: "Hi",
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 500,
        seed: 7,
        stop: "END",
        conversation: "conv_1",
        text: { format: { type: "json_object" } },
      }),
    );
    const [span] = spans();
    expect(span).toMatchObject({
      name: "chat parrot",
      kind: api.SpanKind.CLIENT,
      status: { code: api.SpanStatusCode.UNSET },
      ended: true,
    });
    expect(span?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "offline",
      "gen_ai.request.model": "parrot",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.top_p": 0.9,
      "gen_ai.request.max_tokens": 500,
      "gen_ai.request.seed": 7,
      "gen_ai.request.stop_sequences": ["END"],
      "gen_ai.conversation.id": "conv_1",
      "gen_ai.output.type": "json",
      "gen_ai.response.id": response.id,
      "gen_ai.response.model": "parrot",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": response.usage?.input_tokens,
      "gen_ai.usage.output_tokens": response.usage?.output_tokens,
    });
    expect(span?.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThanOrEqual(0);
  });

  test("carries nothing that was said, unless asked to", async () => {
    const request = {
      input: "the secret word is plum",
      instructions: "say nothing of pears",
      tools: [{ type: "function" as const, name: "clock" }],
    };
    await collect(telemetry({ tracer })(offline())(request));
    await collect(telemetry({ tracer, content: true })(offline())(request));
    const [closed, open] = spans().map(({ attributes }) => JSON.stringify(attributes));
    expect(closed).not.toMatch(/plum|pears|clock/);
    expect(open).toMatch(/plum/);
    expect(JSON.parse(String(spans()[1]?.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "the secret word is plum" }] },
    ]);
    expect(JSON.parse(String(spans()[1]?.attributes["gen_ai.output.messages"]))).toMatchObject([
      { role: "assistant", finish_reason: "stop", parts: [{ type: "text" }] },
    ]);
    expect(spans()[1]?.attributes["gen_ai.system_instructions"]).toContain("pears");
  });

  test("carries items of kinds that nobody knows as they are", async () => {
    const item = { type: "constructor", id: "x_1", status: "completed" } as unknown as Item;
    await collect(telemetry({ tracer, content: true })(scripted([[item]]))({ input: "Hi" }));
    expect(JSON.parse(String(spans()[0]?.attributes["gen_ai.output.messages"]))).toMatchObject([{ parts: [item] }]);
  });

  test("ends in an error where the call does, thrown or told", async () => {
    const model = scripted([new AntiphonError("RATE_LIMIT", "Slow down."), "fine"]);
    await collect(telemetry({ tracer })(model)({ model: "m", input: "Hi" })).catch(() => {});
    await collect(telemetry({ tracer })(offline())({ input: "[[truncate]] [[say:One two three]]" }));
    expect(spans().map(({ status, attributes }) => [status.code, attributes["error.type"]])).toEqual([
      [api.SpanStatusCode.ERROR, "RATE_LIMIT"],
      [api.SpanStatusCode.ERROR, "TRUNCATED"],
    ]);
  });

  test("ends when the reader leaves or stops, and that is no error", async () => {
    const respond = telemetry({ tracer })(offline());
    for await (const event of respond({ input: "[[long:50]]" })) if (event.type === "response.output_text.delta") break;
    const controller = new AbortController();
    for await (const event of respond({ input: "[[long:50]]" }, { signal: controller.signal }))
      if (event.type === "response.output_text.delta") controller.abort();
    await collect(respond({ input: "Hi" }, { signal: AbortSignal.abort() })).catch(() => {});
    expect(spans().map(({ status, attributes }) => [status.code, attributes["gen_ai.response.finish_reasons"]])).toEqual(
      Array.from({ length: 3 }, () => [api.SpanStatusCode.UNSET, ["cancelled"]]),
    );
  });

  test("is the parent of spans made inside, and the child of the one outside", async () => {
    const inner: Respond = (request, call) => ({
      async *[Symbol.asyncIterator]() {
        tracer.startSpan("inside").end();
        yield* offline()(request, call);
      },
    });
    const outside = tracer.startSpan("outside");
    await api.context.with(api.trace.setSpan(api.context.active(), outside), () =>
      collect(telemetry({ tracer, api })(inner)({ input: "Hi" })),
    );
    const [inside, chat] = spans();
    expect(inside?.parentSpanContext?.spanId).toBe(chat?.spanContext().spanId);
    expect(chat?.parentSpanContext?.spanId).toBe(outside.spanContext().spanId);
  });
});

test("tools of a run get spans of their own below the agent's", async () => {
  const tells = async function* (): AsyncGenerator<ResponseEvent> {
    const about = { sequence_number: 0 };
    yield { type: "antiphon:tool_started", ...about, call_id: "call_1", name: "weather" };
    yield { type: "antiphon:tool_started", ...about, call_id: "call_2", name: "clock" };
    yield { type: "antiphon:tool_done", ...about, call_id: "call_1", name: "weather", status: "ok", milliseconds: 1 };
    yield { type: "antiphon:tool_done", ...about, call_id: "call_2", name: "clock", status: "timeout", milliseconds: 2 };
    yield { type: "antiphon:tool_started", ...about, call_id: "call_3", name: "cut-off" };
    yield* offline()({ input: "Hi" });
  };
  const run: Respond = () => ({ [Symbol.asyncIterator]: tells });
  await collect(telemetry({ tracer, api, agent: "guide" })(run)({ model: "m", input: "Hi" }));
  const [weather, late, cut, agent] = spans();
  expect([weather, late, cut, agent].map((span) => span?.name)).toEqual([
    "execute_tool weather",
    "execute_tool clock",
    "execute_tool cut-off",
    "invoke_agent guide",
  ]);
  expect(weather).toMatchObject({ kind: api.SpanKind.INTERNAL, status: { code: api.SpanStatusCode.UNSET } });
  expect(weather?.attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.id": "call_1",
  });
  expect(late).toMatchObject({ status: { code: api.SpanStatusCode.ERROR }, attributes: { "error.type": "timeout" } });
  expect(weather?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId);
});

test("a meter measures durations in seconds, and tokens by kind", async () => {
  const time = clock();
  const records: [string, number, unknown][] = [];
  const meter = {
    createHistogram: (name: string) => ({
      record: (value: number, attributes: unknown) => void records.push([name, value, attributes]),
    }),
  };
  const slow: Respond = (request, call) => ({
    async *[Symbol.asyncIterator]() {
      await time.pass(250);
      yield* offline()(request, call);
      await time.pass(250);
    },
  });
  const response = await collect(
    telemetry({ tracer, meter, provider: "offline", now: time.now })(slow)({ model: "m", input: "Hi" }),
  );
  const about = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "offline",
    "gen_ai.request.model": "m",
    "gen_ai.response.model": "m",
  };
  expect(records).toEqual([
    ["gen_ai.client.operation.duration", 0.25, about],
    ["gen_ai.client.operation.time_to_first_chunk", 0.25, about],
    ["gen_ai.client.token.usage", response.usage?.input_tokens, { ...about, "gen_ai.token.type": "input" }],
    ["gen_ai.client.token.usage", response.usage?.output_tokens, { ...about, "gen_ai.token.type": "output" }],
  ]);
});

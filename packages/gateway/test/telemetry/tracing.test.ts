import * as api from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { AntiphonError, collect, type CallOptions, type Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RequestStart, Telemetry } from "../../src/telemetry/telemetry.ts";
import { formatTraceparent, parseTraceparent } from "../../src/telemetry/tracing/traceparent.ts";
import { tracing } from "../../src/telemetry/tracing/tracing.ts";
import { requestFacts } from "./facts.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const spanOf = (name: string): ReadableSpan => {
  const span = exporter.getFinishedSpans().find((one) => one.name === name);
  if (!span) throw new Error(`There is no span ${name}.`);
  return span;
};

/** As much of a context manager as a test of parents needs. */
const contexts = new AsyncLocalStorage<api.Context>();
const manager: api.ContextManager = {
  active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
  with: (context, run, self, ...args) => contexts.run(context, () => run.apply(self as never, args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
};

interface Measured {
  name: string;
  value: number;
  attributes: api.Attributes | undefined;
}
const measured: Measured[] = [];
const made: string[] = [];
const createHistogram = (name: string): { record: api.Histogram["record"] } => {
  made.push(name);
  return { record: (value, attributes) => void measured.push({ name, value, attributes }) };
};

const clientSpan = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const traceparent = `00-${clientSpan.traceId}-${clientSpan.spanId}-01`;

const start = (headers: Record<string, string> = {}): RequestStart => ({
  method: "POST",
  route: "/v1/responses/:id/cancel",
  path: "/v1/responses/resp_7/cancel",
  headers: new Headers(headers),
  address: "203.0.113.7",
  requestId: "req_1",
});
const run = { id: "resp_1", model: "fast", provider: "gemini" };

/** A model that remembers how it was asked. */
function asked(): { respond: Respond; calls: (CallOptions | undefined)[] } {
  const model = offline();
  const calls: (CallOptions | undefined)[] = [];
  return { calls, respond: (request, call) => (calls.push(call), model(request, call)) };
}

let telemetry: Telemetry;
beforeAll(async () => {
  api.trace.setGlobalTracerProvider(provider);
  const meter = { createHistogram } as unknown as api.Meter;
  api.metrics.setGlobalMeterProvider({ getMeter: () => meter });
  telemetry = await tracing();
});
afterAll(() => {
  api.trace.disable();
  api.metrics.disable();
});
beforeEach(() => {
  exporter.reset();
  measured.length = 0;
});
afterEach(() => api.context.disable());

describe("the span of a request", () => {
  test("goes on from the client's and says how it ended, by the conventions' names", () => {
    const trace = telemetry.begin?.(start({ traceparent, "user-agent": "curl/8" }));
    telemetry.request(requestFacts({ route: "/v1/responses/:id/cancel", trace, status: 404, milliseconds: 250 }));
    const span = spanOf("POST /v1/responses/:id/cancel");
    expect(span).toMatchObject({ kind: api.SpanKind.SERVER, status: { code: api.SpanStatusCode.UNSET }, ended: true });
    expect(span.parentSpanContext).toMatchObject({ ...clientSpan, isRemote: true });
    expect(span.spanContext().traceId).toBe(clientSpan.traceId);
    expect(span.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v1/responses/:id/cancel",
      "url.path": "/v1/responses/resp_7/cancel",
      "antiphon.request.id": "req_1",
      "client.address": "203.0.113.7",
      "user_agent.original": "curl/8",
      "http.response.status_code": 404,
    });
    expect(measured).toEqual([
      {
        name: "http.server.request.duration",
        value: 0.25,
        attributes: { "http.request.method": "POST", "http.route": "/v1/responses/:id/cancel", "http.response.status_code": 404 },
      },
    ]);
  });

  test("fails where the gateway did, and begins a trace of its own where no lawful one is named", () => {
    const trace = telemetry.begin?.(start({ traceparent: "00-zz-1-01" }));
    telemetry.request(requestFacts({ trace, status: 503 }));
    const span = spanOf("POST /v1/responses/:id/cancel");
    expect(span.status.code).toBe(api.SpanStatusCode.ERROR);
    expect(span.attributes["error.type"]).toBe("503");
    expect(span.parentSpanContext).toBeUndefined();
  });

  test("is the parent of what other instruments do within it", () => {
    api.context.setGlobalContextManager(manager);
    const trace = telemetry.begin?.(start());
    trace?.within(() => api.trace.getTracer("pg").startSpan("SELECT").end());
    telemetry.request(requestFacts({ trace }));
    expect(spanOf("SELECT").parentSpanContext?.spanId).toBe(spanOf("POST /v1/responses/:id/cancel").spanContext().spanId);
  });
});

describe("the span of a response", () => {
  test("stands below that of the request, and the upstream is told of it", async () => {
    const trace = telemetry.begin?.(start({ traceparent }));
    const { respond, calls } = asked();
    const traced = telemetry.model?.(respond, { ...run, trace }) ?? respond;
    await collect(traced({ model: "fast", input: "Hi", temperature: 0.5 }, { headers: { "x-title": "me" } }));
    telemetry.request(requestFacts({ trace }));
    const span = spanOf("chat fast");
    expect(span.parentSpanContext?.spanId).toBe(spanOf("POST /v1/responses/:id/cancel").spanContext().spanId);
    expect(span.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.model": "fast",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.response.finish_reasons": ["stop"],
      "antiphon.response.id": "resp_1",
    });
    expect(calls[0]?.headers).toEqual({
      "x-title": "me",
      traceparent: `00-${clientSpan.traceId}-${span.spanContext().spanId}-01`,
    });
    const names = measured.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["gen_ai.client.operation.duration", "gen_ai.client.token.usage", "http.server.request.duration"]),
    );
  });

  test("is the first of its trace where a run is taken up again", async () => {
    const { respond } = asked();
    await collect((telemetry.model?.(respond, run) ?? respond)({ model: "fast", input: "Hi" }));
    expect(spanOf("chat fast").parentSpanContext).toBeUndefined();
  });

  test("is measured by the same instruments as every other", () => {
    expect(new Set(made).size).toBe(made.length);
  });

  test("says what went wrong", async () => {
    const refusing: Respond = () => {
      throw new AntiphonError("RATE_LIMIT", "Too many.");
    };
    const traced = telemetry.model?.(refusing, run) ?? refusing;
    await expect(collect(traced({ model: "fast", input: "Hi" }))).rejects.toThrow("Too many.");
    expect(spanOf("chat fast")).toMatchObject({
      status: { code: api.SpanStatusCode.ERROR },
      attributes: { "error.type": "RATE_LIMIT" },
    });
  });

  test("carries nothing that was said, unless asked to", async () => {
    const ask = async (watching: Telemetry): Promise<string> => {
      exporter.reset();
      const { respond } = asked();
      await collect((watching.model?.(respond, run) ?? respond)({ model: "fast", input: "the word is plum" }));
      return JSON.stringify(spanOf("chat fast").attributes);
    };
    expect(await ask(telemetry)).not.toContain("plum");
    expect(await ask(await tracing({ content: true, api }))).toContain("plum");
  });
});

test("a method that a client invents is not told apart", () => {
  const trace = telemetry.begin?.({ ...start(), method: "BREW" });
  telemetry.request(requestFacts({ method: "BREW", trace }));
  expect(spanOf("HTTP /v1/responses/:id/cancel").attributes["http.request.method"]).toBe("_OTHER");
  expect(measured[0]?.attributes?.["http.request.method"]).toBe("_OTHER");
});

describe("traceparent", () => {
  test("is read as it is written", () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
        .map((digits) => digits.join(""))
        .filter((text) => /[^0]/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom(0, 1), (traceId, spanId, traceFlags) => {
        const header = formatTraceparent({ traceId, spanId, traceFlags });
        expect(parseTraceparent(header ?? null)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
      }),
    );
  });

  test.each([
    ["nothing", null],
    ["a trace of zeros", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
    ["a span of zeros", `00-${clientSpan.traceId}-${"0".repeat(16)}-01`],
    ["the version that is none", `ff-${clientSpan.traceId}-${clientSpan.spanId}-01`],
    ["capital letters", traceparent.toUpperCase()],
    ["more than the version has", `${traceparent}-more`],
  ])("%s is not taken for one", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test("of a later version is read as far as it is known", () => {
    expect(parseTraceparent(`01-${clientSpan.traceId}-${clientSpan.spanId}-03-more`)).toMatchObject(clientSpan);
  });
});

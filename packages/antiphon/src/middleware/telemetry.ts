import { errorOf } from "../core/classify-error.ts";
import type { AntiphonError } from "../core/error.ts";
import { checkOptions, func, object, objectWith, text, yesOrNo, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, type CallOptions, type Middleware, type Respond } from "../core/respond.ts";
import type { CreateResponse, ExtensionEvent, ResponseEvent, ResponseResource } from "../model/index.ts";
import { isOutput } from "../core/seen-events.ts";
import { Passage, type Batches, type Ending, type Watcher } from "./passage.ts";
import { inputContent, outputContent, requestAttributes, responseAttributes, type Attributes } from "./telemetry-attributes.ts";

/** As much of OpenTelemetry's span as is used here. */
export interface TelemetrySpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** As much of OpenTelemetry's tracer as is used here. */
export interface TelemetryTracer {
  startSpan(name: string, options: { kind: number; attributes: Attributes }, context?: unknown): TelemetrySpan;
}

/** As much of OpenTelemetry's meter as is used here. */
export interface TelemetryMeter {
  createHistogram(name: string, options: { unit: string; description: string }): TelemetryHistogram;
}

interface TelemetryHistogram {
  record(value: number, attributes: Attributes): void;
}

/** As much of `@opentelemetry/api` itself as is used here. */
export interface TelemetryApi {
  context: { active(): unknown; with<T>(context: unknown, run: () => T): T };
  trace: { setSpan(context: unknown, span: unknown): unknown };
}

/** Where spans and measurements go, and what they say. */
export interface TelemetryOptions {
  tracer: TelemetryTracer;
  meter?: TelemetryMeter;
  /** The module `@opentelemetry/api`. With it, spans made during a call (of HTTP requests, of tools) become children of its span. */
  api?: TelemetryApi;
  /** `gen_ai.provider.name`: `openai`, `anthropic`, `gcp.gemini`, … */
  provider?: string;
  /** The name of the agent, where what is wrapped is one: its span is `invoke_agent`, not `chat`. */
  agent?: string;
  /** Whether spans carry what was said. It may be private: off unless asked for. */
  content?: boolean;
  now?(): number;
}

const telemetryRules: Rules<TelemetryOptions> = {
  tracer: objectWith("be an OpenTelemetry tracer", "startSpan"),
  meter: objectWith("be an OpenTelemetry meter", "createHistogram"),
  api: object,
  provider: text,
  agent: text,
  content: yesOrNo,
  now: func,
};

// OpenTelemetry's numbers for kinds of spans and for a status.
const internal = 0;
const client = 2;
const failed = 2;

/**
 * Middleware that traces calls with OpenTelemetry's conventions for generative AI, one span for each call.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * const tracer = api.trace.getTracer("my-program");
 * const respond = telemetry({ tracer, api, provider: "openai" })(connect(provider("openai")));
 */
export function telemetry(options: TelemetryOptions): Middleware {
  checkOptions("telemetry", options, telemetryRules);
  const instruments = options.meter && createInstruments(options.meter);
  return (next) => (request, call) => fromBatches(() => new Passage(new Trace(options, instruments, next, request, call)));
}

interface Instruments {
  duration: TelemetryHistogram;
  firstChunk: TelemetryHistogram;
  tokens: TelemetryHistogram;
}

const createInstruments = (meter: TelemetryMeter): Instruments => ({
  duration: meter.createHistogram("gen_ai.client.operation.duration", { unit: "s", description: "Duration of a call." }),
  firstChunk: meter.createHistogram("gen_ai.client.operation.time_to_first_chunk", {
    unit: "s",
    description: "Time until the first output.",
  }),
  tokens: meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}", description: "Tokens used by a call." }),
});

/** One call and its spans. */
class Trace implements Watcher {
  readonly #options: TelemetryOptions;
  readonly #instruments: Instruments | undefined;
  readonly #open: () => Batches;
  readonly #now: () => number;
  readonly #begun: number;
  /** What spans and measurements of this call have in common. */
  readonly #about: Attributes;
  readonly #span: TelemetrySpan;
  /** The context in which this call's span is the parent. */
  readonly #context: unknown;
  readonly #tools = new Map<string, TelemetrySpan>();
  #first: number | undefined;

  constructor(
    options: TelemetryOptions,
    instruments: Instruments | undefined,
    next: Respond,
    request: CreateResponse,
    call: CallOptions | undefined,
  ) {
    const { tracer, api, provider, agent, content, now = () => performance.now() } = options;
    this.#options = options;
    this.#instruments = instruments;
    this.#now = now;
    this.#begun = now();
    this.#open = () => batchesOf(next(request, call));
    const operation = agent === undefined ? "chat" : "invoke_agent";
    this.#about = { "gen_ai.operation.name": operation, ...(provider ? { "gen_ai.provider.name": provider } : {}) };
    const attributes: Attributes = { ...this.#about, ...requestAttributes(request) };
    if (agent) attributes["gen_ai.agent.name"] = agent;
    if (request.model) this.#about["gen_ai.request.model"] = request.model;
    const name = [operation, agent === undefined ? request.model : agent].filter(Boolean).join(" ");
    this.#span = tracer.startSpan(name, { kind: agent === undefined ? client : internal, attributes });
    this.#context = api?.trace.setSpan(api.context.active(), this.#span);
    if (content) this.#span.setAttributes(inputContent(request));
  }

  open(): Batches {
    const { api } = this.#options;
    if (!api) return this.#open();
    const within = <T>(run: () => T): T => api.context.with(this.#context, run);
    const inner = within(this.#open);
    return {
      next: () => within(() => inner.next()),
      return: () => within(() => inner.return?.() ?? Promise.resolve({ done: true, value: undefined })),
    };
  }

  batch(events: readonly ResponseEvent[]): void {
    if (this.#first === undefined && events.some(isOutput)) this.#first = this.#seconds();
    for (const event of events) {
      if (event.type === "antiphon:tool_started") this.#toolStarted(event);
      else if (event.type === "antiphon:tool_done") this.#toolDone(event);
    }
  }

  ended({ response, error, left }: Ending): void {
    for (const span of this.#tools.values()) span.end();
    const failure = error ?? (response?.status === "failed" ? errorOf(response) : undefined);
    if (response) this.#answered(response);
    else if (left || error?.code === "ABORTED") this.#span.setAttributes({ "gen_ai.response.finish_reasons": ["cancelled"] });
    if (failure && failure.code !== "ABORTED") this.#failed(failure);
    if (this.#first !== undefined) this.#span.setAttributes({ "gen_ai.response.time_to_first_chunk": this.#first });
    this.#measure(response);
    this.#span.end();
  }

  #seconds(): number {
    return (this.#now() - this.#begun) / 1_000;
  }

  #answered(response: ResponseResource): void {
    this.#about["gen_ai.response.model"] = response.model;
    this.#span.setAttributes(responseAttributes(response));
    if (this.#options.content) this.#span.setAttributes(outputContent(response));
  }

  #failed({ code, message }: AntiphonError): void {
    this.#about["error.type"] = code;
    this.#span.setAttributes({ "error.type": code });
    this.#span.setStatus({ code: failed, message });
  }

  #measure(response: ResponseResource | undefined): void {
    const { duration, firstChunk, tokens } = this.#instruments ?? {};
    duration?.record(this.#seconds(), this.#about);
    if (this.#first !== undefined) firstChunk?.record(this.#first, this.#about);
    const usage = response?.usage;
    if (!usage) return;
    tokens?.record(usage.input_tokens, { ...this.#about, "gen_ai.token.type": "input" });
    tokens?.record(usage.output_tokens, { ...this.#about, "gen_ai.token.type": "output" });
  }

  #toolStarted({ call_id, name }: ExtensionEvent): void {
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": String(name),
      "gen_ai.tool.call.id": String(call_id),
    };
    const options = { kind: internal, attributes };
    this.#tools.set(String(call_id), this.#options.tracer.startSpan(`execute_tool ${String(name)}`, options, this.#context));
  }

  #toolDone({ call_id, status }: ExtensionEvent): void {
    const span = this.#tools.get(String(call_id));
    if (!span) return;
    this.#tools.delete(String(call_id));
    if (status !== "ok" && status !== "replaced") {
      span.setAttributes({ "error.type": String(status) });
      span.setStatus({ code: failed });
    }
    span.end();
  }
}

import { AntiphonError } from "../core/error.ts";
import { unansweredCalls } from "../core/pending.ts";
import { LateBatches } from "../core/late-batches.ts";
import { batchesOf } from "../core/respond.ts";
import { addUsage, noUsage } from "../core/usage.ts";
import { finishReason, refusal, text } from "../core/views.ts";
import { containerFiles } from "../hosted/container-files.ts";
import { deliverables, type Deliverables } from "../hosted/deliverables.ts";
import { user } from "../model/construct.ts";
import { isAssistantMessage } from "../model/guards.ts";
import type { CreateResponse, InputItem, Item, ResponseEvent, ResponseResource } from "../model/index.ts";
import { newId } from "../transport/ids.ts";
import type { NestedRun } from "./agent-tool.ts";
import type { Agent } from "./agent.ts";
import type { BoundOptions } from "./agent-options.ts";
import { agentInCharge } from "./handover.ts";
import { excuseFor, judge } from "./judge.ts";
import { Leg, type Journey } from "./leg.ts";
import { Meter } from "./meter.ts";
import { distinct, readRun } from "./read-run.ts";
import { Relay, type Onward } from "./relay.ts";
import { Reply, type TypedOutput } from "./reply.ts";
import { requestFields } from "./request-fields.ts";
import { leftOver } from "./loop/run-items.ts";
import { mostSteps } from "./loop/run-loop.ts";
import { unchainedRequests } from "./unchained.ts";
import { typedReader, type OutputSchema, type Reading, type TypedReader } from "./typed-output.ts";

/** What one run of an agent is about. */
export interface RunTask {
  agent: Agent;
  /** The options of this call. */
  options: Partial<BoundOptions>;
  items: readonly InputItem[];
  /** The request, where the agent answers in a model's stead. */
  asked?: CreateResponse;
}

/** One run of an agent: its events, and what they come to. */
export class AgentRun<Output> {
  readonly #task: RunTask;
  readonly #settings: BoundOptions;
  readonly #reader: TypedReader<Output> | undefined;
  readonly #meter = new Meter();
  readonly #losses: Journey["losses"] = [];
  /** Items of an answer that was asked for again. */
  readonly #superseded = new Set<Item>();
  #signal: AbortSignal | undefined;
  #leg: Leg | undefined;
  #reading: Reading<Output> | undefined;
  #askedAgain = false;

  constructor(task: RunTask) {
    const settings = { ...task.agent.options, ...defined(task.options) };
    settings.around ??= unchainedRequests();
    const schema = task.asked?.text?.format ? undefined : settings.output;
    this.#task = task;
    this.#settings = settings;
    // The caller's types say that `Output` is what this schema gives.
    this.#reader = schema && typedReader(schema as OutputSchema<Output>);
  }

  /** The value inside the object that the model was asked to write. */
  readonly unwrap = (value: unknown): unknown => (this.#reader ? this.#reader.unwrap(value) : value);

  /** Asks, and tells what happens. */
  open(signal: AbortSignal): AsyncIterableIterator<ResponseEvent[]> {
    return new LateBatches(() => this.#begin(signal));
  }

  async #begin(signal: AbortSignal): Promise<AsyncIterator<ResponseEvent[]>> {
    const { agent, items, asked } = this.#task;
    const journey: Journey = { signal, meter: this.#meter, reader: this.#reader, asked, steps: [], losses: this.#losses };
    this.#signal = signal;
    const waiting = leftOver(items, this.#settings.decisions)[0];
    const owner = agentInCharge(agent, waiting ? items.slice(0, items.indexOf(waiting.item)) : items);
    // A hand-over that was decided beside a call which still waits takes place once that is answered.
    const isLeaving = agentInCharge(agent, items) !== owner;
    this.#leg = new Leg(owner, this.#settingsOf(owner), items, journey);
    const stream = await this.#leg.open(isLeaving ? 0 : this.#settings.maxSteps);
    if (!this.#reader && agent.handovers.length === 0) return batchesOf(stream);
    return new Relay(this.#newId("run"), stream, {
      stepped: (response) => this.#leg!.stepped(response),
      next: (ended) => this.#next(ended, journey),
    });
  }

  /** What came of it; throws where that is a failure. */
  async reply(events: Iterable<ResponseEvent>): Promise<Reply<Output>> {
    const { response, steps, losses, pending, metadata, nested } = readRun(events);
    if (!response) throw new AntiphonError("TRUNCATED", "The run ended before its response was complete.");
    const items = response.output.filter((item) => !this.#superseded.has(item));
    const { files, problems } = await this.#deliver(items);
    const usage = response.usage ?? noUsage;
    const reply = new Reply<Output>({
      response,
      items,
      steps,
      pending,
      metadata,
      files,
      input: this.#task.items,
      usage: nested ? addUsage(usage, nested.usage) : usage,
      cost: this.#cost(nested),
      warnings: distinct([...losses, ...this.#losses, ...problems]),
      typed: this.#typed(response),
    });
    judge(reply, this.#reader, this.#reading);
    return reply;
  }

  /** What follows when a leg has ended: another agent's, the same question again, or nothing. */
  async #next(ended: ResponseResource, journey: Journey): Promise<Onward | Partial<ResponseResource> | undefined> {
    const leg = this.#leg!;
    const isOver = ended.status !== "completed" && ended.incomplete_details?.reason !== "max_steps";
    if (isOver || leg.stopped || unansweredCalls(ended.output).length > 0) return undefined;
    const history = leg.history(ended);
    const owner = agentInCharge(this.#task.agent, [...leg.items, ...ended.output]);
    const left = (this.#settings.maxSteps ?? mostSteps) - journey.steps.length;
    if (owner !== leg.agent) return left > 0 ? this.#handOver(owner, history, left, journey) : outOfSteps;
    return ended.status === "completed" ? this.#check(history, left, journey) : undefined;
  }

  async #handOver(owner: Agent, items: readonly InputItem[], left: number, journey: Journey): Promise<Onward> {
    const from = this.#leg!.agent.name;
    this.#leg = new Leg(owner, this.#laterSettingsOf(owner), items, journey);
    return { stream: await this.#leg.open(left), type: "antiphon:handover", fields: { from, to: owner.name } };
  }

  /** Reads the answer, and asks for another where it does not fit: once, with what is wrong. */
  async #check(history: readonly InputItem[], left: number, journey: Journey): Promise<Onward | undefined> {
    const leg = this.#leg!;
    const output = leg.last?.output ?? [];
    if (!this.#reader || output.some(isCall) || refusal(output) !== undefined) return undefined;
    const message = output.findLast(isAssistantMessage);
    this.#reading = await this.#reader.read(message ? text([message]) : "");
    if ("value" in this.#reading || this.#askedAgain || left <= 0) return undefined;
    this.#askedAgain = true;
    for (const item of output) this.#superseded.add(item);
    const { problem } = this.#reading;
    const correction = user(`Your answer does not match the required format.\n${problem}\n\n${this.#reader.words}`);
    this.#leg = new Leg(leg.agent, this.#laterSettingsOf(leg.agent), [...history, correction], journey);
    return { stream: await this.#leg.open(left, true), type: "antiphon:asked_again", fields: { problem } };
  }

  /** An agent's own options, and those of this call that are not about what makes an agent. */
  #settingsOf(agent: Agent): BoundOptions {
    if (agent === this.#task.agent) return this.#settings;
    const { context, around, onLoss, prices, newId, now } = this.#settings;
    return { ...agent.options, ...defined({ context, around, onLoss, prices, newId, now }), ...ofTheRun(this.#task.options) };
  }

  /** The settings of a leg after the first, which has dealt with the caller's decisions. */
  #laterSettingsOf(agent: Agent): BoundOptions {
    return { ...this.#settingsOf(agent), decisions: undefined };
  }

  #newId(prefix: string): string {
    return (this.#settings.newId ?? newId)(prefix);
  }

  #typed(response: ResponseResource): TypedOutput<Output> | undefined {
    if (!this.#reader) return undefined;
    if (this.#reading && "value" in this.#reading) return this.#reading;
    return { absent: excuseFor(finishReason(response) ?? "error") };
  }

  #cost(nested: NestedRun | undefined): number | undefined {
    const { cost } = this.#meter;
    if (!this.#settings.prices || cost === undefined) return undefined;
    if (!nested) return cost;
    return nested.cost === undefined ? undefined : cost + nested.cost;
  }

  async #deliver(output: Item[]): Promise<Deliverables> {
    const upstream = this.#leg?.model.upstream;
    const signal = this.#signal;
    const { connect, files } = this.#settings;
    const download = upstream && containerFiles(upstream, connect);
    try {
      // What a stopped run left is still there to be asked for, but nobody waits for it.
      return await deliverables({ output }, { ...files, download, ...(signal?.aborted ? { lazy: true } : { signal }) });
    } catch (thrown) {
      return { files: [], problems: [{ path: "files", reason: `The files could not be downloaded: ${messageOf(thrown)}` }] };
    }
  }
}

const isCall = (item: Item): boolean => unansweredCalls([item]).length > 0;
const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const outOfSteps: Partial<ResponseResource> = { status: "incomplete", incomplete_details: { reason: "max_steps" } };

/** Options that were left undefined say nothing. */
const defined = (options: Partial<BoundOptions>): Partial<BoundOptions> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** What makes an agent, beside the fields of its requests. */
const makings = ["model", "instructions", "tools", "verbosity", "middleware", "handovers", "connect"];

/** What one call says about the run as a whole, whichever agent is at work. */
function ofTheRun(options: Partial<BoundOptions>): Partial<BoundOptions> {
  const own = new Set([...makings, ...Object.keys(requestFields(options))]);
  return Object.fromEntries(Object.entries(defined(options)).filter(([name]) => !own.has(name)));
}

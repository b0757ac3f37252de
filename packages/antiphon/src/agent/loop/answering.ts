import { own } from "../../model/guards.ts";
import { toAntiphonError, type AntiphonError } from "../../core/error.ts";
import type { InputContent, InputItem, ResponseEvent } from "../../model/index.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { answerItem, outputOf } from "./calls.ts";
import { decide, type Verdict } from "./decide.ts";
import { execute, failed, type Outcome } from "./execute.ts";
import { hook } from "./failures.ts";
import { limiter } from "./limiter.ts";
import type { MergedSteps } from "./merge-steps.ts";
import { combineOutputs, expandParallel } from "./parallel-tool.ts";
import type { RunEventFields, RunEventType } from "./run-events.ts";
import type { Decision, Journal, PendingCall, RunOptions } from "./run-options.ts";
import type { ToolSet } from "./tool-set.ts";

/** One call to deal with, alone or as one of those inside a `parallel` call. */
interface Leg {
  call: PendingCall;
  controller: AbortController;
  context: ToolContext;
  journal: Journal | undefined;
  verdict: Verdict;
  running: Promise<Outcome | undefined>;
  outcome?: Outcome;
}

/** One call of the model's, and its legs. */
interface Slot {
  call: PendingCall;
  legs: Leg[];
  parallel: boolean;
}

/** The options of the run; the journal depends on how many calls of the step have the same id. */
type AnsweringOptions = Omit<RunOptions, "journal"> & { journal?: ((nth: number) => Journal) | undefined };

/** Milliseconds for one call of a tool. */
export const defaultToolTimeout = 120_000;
const atOnce = 8;

/**
 * Answers the calls of one step: asks the hooks in the order of the calls, runs the tools side by side, and appends the outputs
 * in the order of the calls, each as soon as those before it are there.
 */
export class Answering {
  /** The answers so far, in the order of the calls. */
  readonly outputs: InputItem[] = [];
  /** The calls that wait for the caller. */
  readonly pending: PendingCall[] = [];
  /** What a hook or the journal threw: the run cannot go on. */
  failure: AntiphonError | undefined;
  #ended = false;
  readonly #slots: Slot[];
  readonly #options: AnsweringOptions;
  readonly #tools: ToolSet;
  readonly #stream: MergedSteps;
  readonly #newId: (prefix: string) => string;
  #at = 0;
  #events: ResponseEvent[] = [];
  #wake: (() => void) | undefined;

  constructor(
    calls: readonly PendingCall[],
    options: AnsweringOptions,
    tools: ToolSet,
    stream: MergedSteps,
    newId: (prefix: string) => string,
  ) {
    this.#options = options;
    this.#tools = tools;
    this.#stream = stream;
    this.#newId = newId;
    const counts = new Map<string, number>();
    this.#slots = calls.map((call) => {
      const nth = counts.get(call.call_id) ?? 0;
      counts.set(call.call_id, nth + 1);
      return this.#slot(call, options.journal?.(nth));
    });
    this.#work().catch((thrown: unknown) => this.#fail(thrown));
  }

  /** Whether nothing more will come. */
  get ended(): boolean {
    return this.#ended && this.#events.length === 0;
  }

  /** What happened since the last time; waits for something to happen. */
  async next(): Promise<ResponseEvent[]> {
    while (this.#events.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Ends at once: tools are told by their signals, and what they give from now on is dropped. */
  stop(reason: unknown): void {
    if (this.#ended) return;
    // A result that nobody has a say in any more is kept, also when an earlier call is still at work.
    if (!this.#options.afterTool) for (const slot of this.#slots.slice(this.#at)) this.#append(slot);
    this.#end();
    for (const { legs } of this.#slots) for (const { controller } of legs) controller.abort(reason);
  }

  async #work(): Promise<void> {
    for (const slot of this.#slots) await this.#decide(slot);
    if (this.#ended) return;
    const limited = limiter(this.#options.maxParallel ?? atOnce);
    for (const leg of this.#slots.flatMap(({ legs }) => legs)) {
      leg.running = this.#start(leg, limited);
      // Whoever waits for it in its turn hears of a failure; until then nobody does.
      leg.running.catch(() => {});
    }
    for (const slot of this.#slots) {
      for (const leg of slot.legs) await this.#afterwards(leg);
      if (this.#ended) return;
      this.#append(slot);
      this.#at += 1;
    }
    this.#end();
  }

  #slot(call: PendingCall, journal: Journal | undefined): Slot {
    const decision = this.#decided(call);
    const written = decision?.action === "continue" && decision.input !== undefined ? decision.input : call.written;
    const whole = call.item.status === "incomplete" || this.#tools.knows(call);
    const inner = whole ? undefined : expandParallel({ ...call, written });
    return { call, parallel: inner !== undefined, legs: (inner ?? [call]).map((one) => this.#leg(one, journal)) };
  }

  #decided({ call_id }: PendingCall): Decision | undefined {
    const { decisions = {} } = this.#options;
    return own(decisions, call_id);
  }

  #leg(call: PendingCall, journal: Journal | undefined): Leg {
    const controller = new AbortController();
    const { call_id, name } = call;
    const context: ToolContext = { signal: controller.signal, call_id, name, context: this.#options.context };
    return { call, controller, context, journal, verdict: { type: "pause" }, running: Promise.resolve(undefined) };
  }

  /**
   * A `parallel` call has one answer, so it runs as a whole or waits as a whole. If it waits, its decided calls are
   * pending too: nothing keeps those decisions for the next run.
   */
  async #decide({ call, legs, parallel }: Slot): Promise<void> {
    const whole = this.#decided(call);
    // What was written inside a `parallel` call was edited there already.
    const forAll = parallel && whole?.action === "continue" ? { action: whole.action } : whole;
    for (const leg of legs) {
      if (this.#ended) return;
      leg.verdict = await decide(leg.call, this.#decided(leg.call) ?? forAll, leg.context, this.#tools, this.#options);
    }
    if (!legs.some(({ verdict }) => verdict.type === "pause")) return;
    const waiting = legs.filter((leg) => leg.verdict.type === "pause" || this.#decided(leg.call) !== undefined);
    this.pending.push(...waiting.map((leg) => leg.call));
    for (const leg of legs) leg.verdict = { type: "pause" };
  }

  async #start(leg: Leg, limited: ReturnType<typeof limiter>): Promise<Outcome | undefined> {
    const { call, verdict } = leg;
    if (verdict.type === "pause") return undefined;
    if (verdict.type === "run") return limited(() => this.#run(leg, verdict));
    const outcome: Outcome =
      verdict.type === "failure"
        ? failed(call, verdict.text, verdict.status, false)
        : { status: verdict.status, value: verdict.value, output: outputOf(call, verdict.value), ran: false };
    return this.#done(leg, outcome, 0);
  }

  async #run(leg: Leg, { tool, input }: Extract<Verdict, { type: "run" }>): Promise<Outcome | undefined> {
    if (this.#ended) return undefined;
    const { call, controller, context, journal } = leg;
    const { toolTimeout = defaultToolTimeout, afterTool } = this.#options;
    const { call_id, name } = call;
    let begun = performance.now();
    const outcome = await execute({
      call,
      tool,
      input,
      context,
      controller,
      journal,
      timeout: tool.timeout ?? toolTimeout,
      settles: afterTool === undefined,
      started: () => {
        begun = performance.now();
        this.#tell("antiphon:tool_started", { call_id, name });
      },
      progress: (data) => this.#tell("antiphon:tool_progress", { call_id, name, data }),
    });
    return outcome && this.#done(leg, outcome, performance.now() - begun);
  }

  #done(leg: Leg, outcome: Outcome, milliseconds: number): Outcome {
    leg.outcome = outcome;
    const { call_id, name } = leg.call;
    this.#tell("antiphon:tool_done", { call_id, name, status: outcome.status, milliseconds: Math.round(milliseconds) });
    return outcome;
  }

  /** Waits for a call; if it ran, the caller may still change what it gave. */
  async #afterwards(leg: Leg): Promise<void> {
    const outcome = await leg.running;
    const { afterTool } = this.#options;
    if (!outcome?.ran || !afterTool || this.#ended) return;
    const { call, context, journal } = leg;
    const value = await hook("afterTool", () => afterTool(call, outcome.value, context));
    if (value !== undefined && !this.#ended) leg.outcome = { ...outcome, value, output: outputOf(call, value) };
    if (leg.outcome?.output && !this.#ended) await journal?.settle(call.call_id, leg.outcome.output);
  }

  /** Adds the answer to a call, if there is one; a failure that has no words leaves the call to the caller. */
  #append({ call, legs, parallel }: Slot): void {
    if (legs.some(({ outcome }) => outcome === undefined)) return;
    const outputs = legs.flatMap(({ outcome }) => outcome?.output ?? []);
    const whole = parallel ? outputOf(call, combined(legs, outputs)) : outputs[0];
    if (!whole) {
      this.pending.push(call);
      return;
    }
    this.outputs.push(whole);
    this.#events.push(...this.#stream.item(answerItem(call, whole, this.#newId)));
    this.#wake?.();
  }

  #tell<T extends RunEventType>(type: T, fields: RunEventFields[T]): void {
    if (this.#ended) return;
    this.#events.push(this.#stream.note(type, fields));
    this.#wake?.();
  }

  #fail(thrown: unknown): void {
    if (this.#ended) return;
    this.failure = toAntiphonError(thrown, "SERVER_ERROR");
    this.stop(this.failure);
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}

// The legs of a `parallel` call are function calls, so their answers are texts or parts.
const combined = (legs: readonly Leg[], outputs: readonly InputItem[]): string | InputContent[] =>
  combineOutputs(
    legs.map(({ call }) => call),
    outputs.map((item) => ("output" in item ? (item.output as string | InputContent[]) : "")),
  );

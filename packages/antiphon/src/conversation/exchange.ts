import { errorOf } from "../core/classify-error.ts";
import { toAntiphonError, type AntiphonError } from "../core/error.ts";
import { responseError } from "../core/interrupt.ts";
import { batchesOf, type CallOptions, type Respond } from "../core/respond.ts";
import { isOutOfBand, isOutput, terminalAt } from "../core/seen-events.ts";
import { abortSignal } from "../core/stop.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent, TerminalEvent } from "../model/index.ts";
import { isSame, planned, takeDown } from "./ask.ts";
import type { ConverseOptions } from "./converse.ts";
import type { Entry } from "./log-records.ts";
import { fallbackIn, originOf } from "./ownership.ts";
import { saveLog } from "./persist.ts";
import { plan, type Distrust, type Plan } from "./plan.ts";
import { recoveries, recoveryFor, warned, type RecoveryKind } from "./recover.ts";

type Batches = AsyncIterator<ResponseEvent[]>;

const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };
const secondsNow = (): number => Math.floor(Date.now() / 1000);

// What these tell is true only of the request that they came with.
const ofOneRequest: ReadonlySet<string> = new Set(["antiphon:loss", "antiphon:repairs"]);
/** Whether an event can be told at once, whatever becomes of the request. */
const isLive = (event: ResponseEvent): boolean => isOutOfBand(event) && !ofOneRequest.has(event.type);

/** What a conversation has learnt about its provider. */
export interface Memory {
  distrust: Distrust;
  /** It was asked to keep a response and said that it did not, as where nothing may be retained. */
  keepsNothing: boolean;
  /** The newest response that is whole in the log, as this conversation took it down itself: a copy of the log may have only a part. */
  last: string | undefined;
}

interface ExchangeOptions extends ConverseOptions {
  memory: Memory;
  /** As in `PlanOptions`. */
  chain?: boolean;
  follows?: boolean;
}

/** One request and its answer. Not an async generator: leaving one waits for the batch that is under way. */
export class Exchange implements Batches {
  readonly #options: ExchangeOptions;
  readonly #next: Respond;
  readonly #request: CreateResponse;
  readonly #call: CallOptions;
  readonly #recovered = new Set<RecoveryKind>();
  /** Told before the next batch. */
  #news: ResponseEvent[] = [];
  #plan: Plan | undefined;
  /** How many entries the plan knew. */
  #planned = 0;
  #inner: Batches | undefined;
  /** Events that nobody has seen; `undefined` once output was. */
  #held: ResponseEvent[] | undefined = [];
  /** What to be careful about; remembered for later requests once this one has shown that it helps. */
  #distrust: Distrust;
  /** The fallback that answers; none if the target itself does. */
  #fallback: number | undefined;
  #left = false;

  constructor(options: ExchangeOptions, next: Respond, request: CreateResponse, call: CallOptions = {}) {
    this.#options = options;
    this.#distrust = options.memory.distrust;
    this.#next = next;
    this.#request = request;
    this.#call = call;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    while (!this.#left) {
      this.#inner ??= await this.#open();
      if (this.#news.length > 0) return this.#tell();
      if (this.#left) break;
      const events = this.#held ? await this.#try(this.#inner, this.#held) : await this.#pass(this.#inner);
      if (!events) break;
      if (events.length > 0) return { done: false, value: events };
    }
    if (this.#left) await this.#inner?.return?.();
    return over;
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#left = true;
    await this.#inner?.return?.();
    return over;
  }

  #tell(): IteratorResult<ResponseEvent[]> {
    const value = this.#news;
    this.#news = [];
    return { done: false, value };
  }

  /** Takes the question down, shortens what is too long, and asks. */
  async #open(): Promise<Batches> {
    const { signal } = this.#call;
    if (signal?.aborted) throw toAntiphonError(signal.reason, "ABORTED");
    takeDown(this.#options.log, this.#request);
    await this.#save();
    await this.#compact(false);
    this.#replan();
    return this.#ask();
  }

  /** Plans what to send; whether that is something else than before. */
  #replan(): boolean {
    const { log, target, hoist, chain = true, follows = false, memory, holds, now = secondsNow } = this.#options;
    const { instructions } = this.#request;
    const store = memory.keepsNothing ? false : this.#request.store;
    const before = this.#plan;
    const choice = {
      store: store ?? null,
      instructions: instructions ?? null,
      chain,
      follows,
      ...(hoist !== undefined && { hoist }),
    };
    const held = holds && { held: (id: string): boolean => id === memory.last && holds(id) };
    this.#plan = plan(log, target, { ...choice, ...held, distrust: this.#distrust, now: now() });
    this.#planned = log.entries.length;
    return before === undefined || !isSame(before, this.#plan);
  }

  #ask(): Batches {
    this.#fallback = undefined;
    return batchesOf(this.#next(planned(this.#request, this.#plan!, this.#options.target), this.#call));
  }

  async #save(): Promise<void> {
    const { log, sessions } = this.#options;
    if (sessions) await saveLog(log, sessions);
  }

  /** Lets the compactor shorten the log; whether it did. */
  async #compact(force: boolean): Promise<boolean> {
    const { log, target, compact } = this.#options;
    const signal = abortSignal(this.#call.signal);
    const about = { request: this.#request, target, ask: this.#next, force, ...(signal && { signal }) };
    try {
      const compacted = await compact?.(log, about);
      if (!compacted) return false;
      log.compact(compacted);
      this.#news.push({ type: "antiphon:compacted", sequence_number: 0, force, ...compacted });
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      const { code, message } = toAntiphonError(thrown, "SERVER_ERROR");
      this.#news.push({ type: "antiphon:compaction_failed", sequence_number: 0, force, error: { code, message } });
      return false;
    }
    await this.#save();
    return true;
  }

  /** What can be told of the next batch while no output was seen; nothing where the stream is over. */
  async #try(inner: Batches, held: ResponseEvent[]): Promise<ResponseEvent[] | undefined> {
    let events: ResponseEvent[];
    try {
      const { done, value } = await inner.next();
      if (done) return this.#release(held);
      events = value;
      this.#fallback = fallbackIn(events) ?? this.#fallback;
    } catch (thrown) {
      const error = toAntiphonError(thrown, "CONNECTION_ERROR");
      if (await this.#recover(error)) return [];
      throw error;
    }
    const seen = events.find(isOutput);
    if (seen?.type === "response.failed" && (await this.#recover(errorOf(seen.response)))) return [];
    if (!seen) {
      held.push(...events.filter((event) => !isLive(event)));
      return events.filter(isLive);
    }
    if (seen.type !== "response.failed") this.#options.memory.distrust = this.#distrust;
    const all = this.#release([...held, ...events]) ?? [];
    return this.#settle(all);
  }

  #release(events: ResponseEvent[]): ResponseEvent[] | undefined {
    this.#held = undefined;
    return events.length > 0 ? events : undefined;
  }

  async #pass(inner: Batches): Promise<ResponseEvent[] | undefined> {
    const { done, value } = await inner.next();
    return done ? undefined : this.#settle(value);
  }

  /** Asks once more where the error is one that the conversation can answer, and something else can be sent. */
  async #recover(error: AntiphonError): Promise<boolean> {
    const kind = recoveryFor(error);
    if (!kind || this.#recovered.has(kind) || this.#call.signal?.aborted || this.#left) return false;
    this.#recovered.add(kind);
    if (kind === "too-long" && !(await this.#compact(true))) return false;
    this.#distrust = warned(this.#distrust, kind, this.#options.log.entries.length, error);
    if (!this.#replan()) return false;
    await this.#inner?.return?.();
    this.#inner = this.#ask();
    this.#held = [];
    const { code, message } = error;
    const told = { code, recovery: kind, action: recoveries[kind].action, message, reason: this.#plan?.reason };
    this.#news.push({ type: "antiphon:recovered", sequence_number: 0, ...told });
    return true;
  }

  /** Takes the answer down before its end is shown. */
  async #settle(events: ResponseEvent[]): Promise<ResponseEvent[]> {
    const at = terminalAt(events);
    const terminal = events[at];
    if (!terminal || !isTerminal(terminal)) return events;
    try {
      if (!this.#left) this.#takeAnswer(terminal);
      await this.#save();
      return events;
    } catch (thrown) {
      return events.with(at, failed(terminal, toAntiphonError(thrown, "SERVER_ERROR")));
    }
  }

  #takeAnswer({ response }: TerminalEvent): void {
    const { log, target, memory } = this.#options;
    if (response.status === "failed") return;
    const whole = response.status === "completed";
    // What somebody else has added meanwhile is not in the chain.
    const chainable = whole && log.entries.length === this.#planned;
    if (chainable) memory.last = response.id;
    const asked = this.#plan?.store === true;
    if (asked && !response.store) memory.keepsNothing = true;
    const origin = originOf(response, target, { stored: chainable && asked && response.store, fallback: this.#fallback });
    log.append(response.output.map((item): Entry => ({ item, origin })));
    // Nobody runs the calls of an answer that was cut off.
    if (!whole) log.closeCalls();
  }
}

/** The end of an answer that could not be kept. */
function failed({ response, sequence_number }: TerminalEvent, error: AntiphonError): ResponseEvent {
  const told = { ...response, status: "failed" as const, incomplete_details: null, error: responseError(error) };
  return { type: "response.failed", sequence_number, response: told };
}

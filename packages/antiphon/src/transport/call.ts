import type { Ctx } from "../codecs/codec.ts";
import { errorOf } from "../core/classify-error.ts";
import { abortError, AntiphonError, messageOf, toAntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { isOutput } from "../core/seen-events.ts";
import { retryAfter } from "../core/retry-after.ts";
import type { RetryOptions, Timeouts } from "../core/respond.ts";
import { Stop, type StopSignal } from "../core/stop.ts";
import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent } from "../model/index.ts";
import { drain } from "./body.ts";
import { checkLists } from "./check-request.ts";
import { describe, mergeHeaders, urlOf, written } from "./exchange.ts";
import { prepared } from "./prepared.ts";
import type { AnswerReader } from "./readers.ts";
import { isStateful, retryDelay, shouldRetry } from "./retry.ts";
import { Deadlines } from "./timeouts.ts";
import type { Answer, Chunk, HttpRequest, WireUpstream } from "./upstream.ts";

/** All that one call needs to know. */
export interface CallPlan {
  upstream: WireUpstream;
  /** Sends the request. */
  send(request: HttpRequest): Promise<Answer>;
  /** The request is on its way: what reads the answer can be made meanwhile. */
  expect?(): void;
  /** Who reads the answer; rejects where it is no good one. */
  readerOf(answer: Answer): AnswerReader | Promise<AnswerReader>;
  ctx: Ctx;
  headers: (Record<string, string> | undefined)[];
  timeouts: Required<Timeouts>;
  retry: Required<RetryOptions>;
  reportRepairs?: boolean;
  signal?: StopSignal;
}

/** What all attempts send. */
type Sent = Required<Omit<HttpRequest, "signal">>;

type Batch = IteratorResult<ResponseEvent[]>;
const over: Batch = { done: true, value: undefined };

/** A connection that breaks once an answer began cuts it off, whichever way it breaks. */
const cutOff = (error: AntiphonError): AntiphonError =>
  error.code === "CONNECTION_ERROR" ? new AntiphonError("TRUNCATED", error.message, { ...error, cause: error }) : error;

/** Events that tell nothing but that the line is open. */
export const quiet: ReadonlySet<string> = new Set(["keepalive", "ping"]);
const noHeaders = { get: () => null };

/** What one attempt sends. Its fields are named, since a spread takes ten times as long. */
const withSignal = ({ method, url, headers, body, connectTimeout, once }: Sent, signal: StopSignal): HttpRequest => ({
  method,
  url,
  headers,
  body,
  connectTimeout,
  once,
  signal,
});

/**
 * One call of an upstream, as a stream of batches: sends the request, reads the answer, tries again while nobody has seen output,
 * and ends in one terminal event, whatever happens after the first.
 */
export class Call implements AsyncIterator<ResponseEvent[]> {
  readonly #plan: CallPlan;
  #request: Sent | undefined;
  #deadlines: Deadlines | undefined;
  /** Ends the attempt that runs. */
  #end: Stop | undefined;
  #response: Answer | undefined;
  #reader: AnswerReader | undefined;
  /** Preliminary events that are not released yet; none are held once output was seen or no retry is left. */
  #held: ResponseEvent[] | undefined;
  #retries = 0;
  #resumeAt = 0;
  #wake: (() => void) | undefined;
  #stopped: AntiphonError | undefined;
  /** What is thrown when there is nothing left to deliver. */
  #failure: AntiphonError | undefined;
  #final = false;
  #closed = false;
  #sequence = 0;

  constructor(plan: CallPlan) {
    this.#plan = plan;
  }

  async next(): Promise<Batch> {
    if (!this.#request && !this.#closed) {
      const { codec, prepare } = this.#plan.upstream;
      if (codec.load ?? prepare) await this.#prepare();
      if (this.#closed) return over;
      const losses = this.#begin();
      if (losses.length > 0) return { done: false, value: losses };
    }
    while (!this.#closed) {
      let events: ResponseEvent[];
      try {
        if (this.#reader === undefined) events = await this.#open();
        else if (this.#reader.hasMore) events = this.#more(this.#reader);
        else {
          this.#deadlines!.wait();
          events = this.#read(await this.#response!.read(this.#reader.apart));
        }
      } catch (thrown) {
        events = this.#broken([], toAntiphonError(thrown, "CONNECTION_ERROR"));
      }
      if (events.length > 0) {
        this.#deadlines?.rest();
        return { done: false, value: events };
      }
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
    return over;
  }

  return(): Promise<Batch> {
    if (!this.#closed) {
      this.#close();
      this.#hangUp("left");
    }
    return Promise.resolve(over);
  }

  /** Sends the request, after the pause before a retry. */
  async #open(): Promise<ResponseEvent[]> {
    if (this.#resumeAt > 0) await this.#pause();
    if (this.#stopped) throw this.#stopped;
    if (this.#closed) return [];
    this.#deadlines!.attempt();
    this.#end = new Stop();
    const sent = this.#plan.send(withSignal(this.#request!, this.#end));
    this.#plan.expect?.();
    const response = await sent;
    this.#response = response;
    // A transport may miss the signal when the answer and the stop cross.
    if (this.#closed || this.#stopped) response.cancel();
    else {
      const reader = this.#plan.readerOf(response);
      // To wait for what is there already costs a turn.
      this.#receive(response, reader instanceof Promise ? await reader : reader);
    }
    return [];
  }

  async #prepare(): Promise<void> {
    const { upstream, timeouts, signal } = this.#plan;
    try {
      await upstream.codec.load?.();
      await prepared(upstream, timeouts.connect, signal);
    } catch (thrown) {
      this.#closed = true;
      throw thrown;
    }
  }

  /** Makes the request; the losses that its wire causes are told before anything else. */
  #begin(): ResponseEvent[] {
    const { timeouts, signal } = this.#plan;
    try {
      if (signal?.aborted) throw abortError(signal.reason);
      const losses = this.#encode();
      this.#deadlines = new Deadlines(timeouts, (error, name) => this.#stop(error, name === "total"));
      signal?.addEventListener("abort", this.#onAbort);
      return losses.length > 0 ? [{ type: "antiphon:loss", sequence_number: 0, losses }] : [];
    } catch (thrown) {
      this.#closed = true;
      throw this.#describe(thrown instanceof AntiphonError ? thrown : cannotBeMade(thrown));
    }
  }

  #encode(): Loss[] {
    const { upstream, ctx, headers, timeouts } = this.#plan;
    checkLists(ctx.request);
    const { path, body, losses } = upstream.codec.encodeRequest(ctx);
    this.#request = {
      method: "POST",
      url: urlOf(upstream, path),
      headers: mergeHeaders({ accept: "text/event-stream", "content-type": "application/json" }, upstream.headers(), ...headers),
      body: written(body),
      connectTimeout: timeouts.connect,
      once: isStateful(ctx.request),
    };
    return losses;
  }

  #receive(response: Answer, reader: AnswerReader): void {
    const { ctx, retry } = this.#plan;
    this.#reader = reader;
    const repeatable = this.#retries < retry.retries && !isStateful(ctx.request) && shouldRetry(response.headers) !== false;
    this.#held = repeatable ? [] : undefined;
  }

  /** The events that lie in what was read, ready to be delivered. */
  #read(chunk: Chunk | undefined): ResponseEvent[] {
    if (this.#closed) return [];
    if (this.#stopped) throw this.#stopped;
    const reader = this.#reader!;
    const released = this.#told(chunk === undefined ? reader.end() : this.#push(reader, chunk));
    // A plain answer that is still at work has no terminal event; the stream ends all the same.
    if (chunk === undefined && this.#reader) this.#close();
    return released;
  }

  /** What is left of the last chunk. */
  #more(reader: AnswerReader): ResponseEvent[] {
    if (this.#stopped) throw this.#stopped;
    return this.#told(reader.more?.() ?? []);
  }

  /** What is delivered of events that were read. */
  #told(events: ResponseEvent[]): ResponseEvent[] {
    const { error } = this.#reader!;
    if (error) return this.#broken(events, error);
    return events.length > 0 ? this.#release(events) : events;
  }

  /** The events of a chunk, and of those that came together with it. */
  #push(reader: AnswerReader, chunk: Chunk): ResponseEvent[] {
    const events = reader.push(chunk);
    if (!reader.apart || reader.hasMore) return events;
    for (let next = this.#response!.more?.(); next && !reader.error; next = this.#response!.more?.())
      for (const event of reader.push(next)) events.push(event);
    return events;
  }

  #release(events: ResponseEvent[]): ResponseEvent[] {
    const last = events[events.length - 1]!;
    if (!quiet.has(last.type) || events.some((event) => !quiet.has(event.type))) this.#deadlines!.heard();
    const released = this.#held ? this.#hold(this.#held, events) : events;
    if (released.length === 0 || !this.#reader) return released;
    if (isTerminal(last)) {
      this.#close();
      void drain(this.#response!);
      return this.#withRepairs(released);
    }
    this.#sequence = last.sequence_number;
    return released;
  }

  /** Holds events back until output comes, or a failure before any output, which calls for another attempt. */
  #hold(held: ResponseEvent[], events: ResponseEvent[]): ResponseEvent[] {
    const first = events.find(isOutput);
    const all = held.concat(events);
    if (!first) {
      this.#held = all;
      return [];
    }
    if (first.type === "response.failed") {
      const error = errorOf(first.response);
      const wait = error.retryAfter ?? retryAfter(noHeaders, error.message);
      const retry = this.#retry(this.#describe(wait === undefined ? error : error.with({ retryAfter: wait })));
      if (retry) return retry;
    }
    this.#held = undefined;
    return all;
  }

  /** Says, before the terminal event, what had to be put right. */
  #withRepairs(events: ResponseEvent[]): ResponseEvent[] {
    const repairs = this.#reader?.repairs ?? [];
    if (!this.#plan.reportRepairs || repairs.length === 0) return events;
    const sequence_number = events.at(-2)?.sequence_number ?? this.#sequence;
    return events.toSpliced(-1, 0, { type: "antiphon:repairs", sequence_number, repairs: [...repairs] });
  }

  /** What is told of a failure: another attempt, the end of the stream, or nothing, and then the error is thrown. */
  #broken(events: ResponseEvent[], thrown: AntiphonError): ResponseEvent[] {
    if (this.#closed) return [];
    const error = this.#describe(this.#stopped ?? thrown);
    const held = this.#held;
    if (!this.#reader?.started || (held && !events.some(isOutput))) {
      const retry = this.#final ? undefined : this.#retry(error);
      if (retry) return retry;
    }
    const closing = this.#reader?.started ? this.#reader.fail(cutOff(error)) : undefined;
    this.#held = undefined;
    this.#close();
    this.#hangUp(error);
    if (closing) return this.#withRepairs((held ?? []).concat(events, closing));
    this.#failure = error;
    return [];
  }

  /** Plans another attempt, and says so; nothing where there should be none. */
  #retry(error: AntiphonError): ResponseEvent[] | undefined {
    const { retry, ctx } = this.#plan;
    const facts = { stateful: isStateful(ctx.request), shouldRetry: this.#response && shouldRetry(this.#response.headers) };
    const delay = retryDelay(error, this.#retries, { ...retry, ...facts });
    if (delay === undefined) return undefined;
    if (this.#response && !this.#stopped) void drain(this.#response);
    else this.#hangUp(error);
    this.#retries += 1;
    this.#resumeAt = performance.now() + delay;
    this.#reader = undefined;
    this.#response = undefined;
    this.#held = undefined;
    this.#stopped = undefined;
    const { code, message } = error;
    const told = { attempt: this.#retries, delay, error: { code, message } };
    return [{ type: "antiphon:retry", sequence_number: this.#sequence, ...told }];
  }

  #pause(): Promise<void> {
    const left = this.#resumeAt - performance.now();
    this.#resumeAt = 0;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  readonly #onAbort = (): void => this.#stop(abortError(this.#plan.signal?.reason), true);

  #stop(error: AntiphonError, final: boolean): void {
    if (this.#stopped || this.#closed) return;
    this.#stopped = error;
    this.#final = final;
    this.#hangUp(error);
  }

  #hangUp(reason: unknown): void {
    this.#end?.abort(reason);
    this.#response?.cancel();
    this.#wake?.();
  }

  #close(): void {
    this.#closed = true;
    this.#deadlines?.stop();
    this.#plan.signal?.removeEventListener("abort", this.#onAbort);
  }

  #describe(error: AntiphonError): AntiphonError {
    return describe(error, this.#plan.upstream, this.#request?.headers ?? {}, this.#response);
  }
}

/** A codec trips over a request that breaks its own types: callers without types may write one, and asking again would not help. */
const cannotBeMade = (thrown: unknown): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The request could not be encoded: ${messageOf(thrown)}`, { cause: thrown });

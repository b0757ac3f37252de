import type { Codec } from "../codecs/codec.ts";
import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import type { CallOptions } from "../core/respond.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../model/index.ts";
import type { JobDecoder } from "./background-decoder.ts";
import { forCall, type UpstreamPlan } from "./call-plan.ts";
import { Call, type CallPlan } from "./call.ts";
import { checkStatus, isJson } from "./exchange.ts";
import { EventReader, JsonReader } from "./readers.ts";
import { mergeRetry, retryDelay } from "./retry.ts";
import type { HttpResponse } from "./upstream.ts";

/** How often to ask after a job whose stream cannot be had, in milliseconds: the pause grows from one to the other. */
export interface PollOptions {
  minDelay?: number;
  maxDelay?: number;
}

/** All that following one job takes. */
export interface FollowPlan {
  plan: UpstreamPlan;
  call: CallOptions;
  decoder: JobDecoder;
  /** The request that starts the job, or the id of one that was started before. */
  job: { request: CreateResponse } | { id: string };
  poll: Required<PollOptions>;
  /** Where the job's stream is, after one of its events. */
  streamPath(id: string, after: number): string;
  retrieve(id: string, call: CallOptions): Promise<ResponseResource>;
  /** Stops the job when the caller stops following it. */
  cancel?: (id: string) => Promise<ResponseResource>;
}

const pollGrowth = 1.5;
/** Refusals that concern the caller and not the stream. */
const personal: ReadonlySet<string> = new Set(["AUTH_ERROR", "PERMISSION", "QUOTA_EXCEEDED"]);

/** How long to wait before the next question to a job. */
export const pollDelay = ({ minDelay, maxDelay }: Required<PollOptions>, polls: number): number =>
  Math.min(maxDelay, minDelay * pollGrowth ** polls);

export const tookTooLong = (total: number): AntiphonError =>
  new AntiphonError("TIMEOUT", `The response took longer than ${total} ms (\`timeouts.total\`).`);

/**
 * Follows a job to its end: over its stream, taken up again where it broke off; where it cannot be, by asking how the job stands.
 * Each connection is a `Call`, and the decoder outlives them.
 */
export class Follower implements AsyncIterator<ResponseEvent[]> {
  /** Whether the end that was told is not the job's own. */
  gaveUp = false;
  readonly #plan: FollowPlan;
  readonly #total: number;
  readonly #end: number;
  readonly #batches: AsyncGenerator<ResponseEvent[]>;
  #id: string | undefined;
  #streams = true;
  /** Failures in a row, without anything new in between. */
  #failures = 0;
  #polls = 0;
  #sequence = 0;
  #call: Call | undefined;
  #left = false;
  #wake: (() => void) | undefined;

  constructor(plan: FollowPlan) {
    this.#plan = plan;
    this.#id = "id" in plan.job ? plan.job.id : undefined;
    this.#total = plan.call.timeouts?.total ?? plan.plan.timeouts.total;
    this.#end = this.#total > 0 ? performance.now() + this.#total : Number.POSITIVE_INFINITY;
    this.#batches = this.#run();
  }

  /** After which of the server's numbers a stream goes on that was left at this event. */
  cursorAt(event: ResponseEvent): number {
    return this.#plan.decoder.cursorAt(event);
  }

  next(): Promise<IteratorResult<ResponseEvent[]>> {
    return this.#batches.next();
  }

  /** Leaves. The job goes on without us. */
  return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#left = true;
    // A generator that waits would not hear of it.
    void this.#call?.return();
    this.#wake?.();
    return this.#batches.return(undefined);
  }

  async *#run(): AsyncGenerator<ResponseEvent[]> {
    const { decoder, call } = this.#plan;
    while (!decoder.ended && !this.#left) {
      const { cursor } = decoder;
      let error: AntiphonError | undefined;
      try {
        error = this.#streams ? yield* this.#stream() : yield* this.#ask();
      } catch (thrown) {
        error = toAntiphonError(thrown, "CONNECTION_ERROR");
      }
      if (decoder.ended || this.#left) return;
      if (call.signal?.aborted) yield* this.#abandon();
      else {
        if (decoder.cursor > cursor) this.#failures = 0;
        yield* this.#goOn(error);
      }
    }
  }

  /** One connection; gives the reason why it ended before the job. */
  async *#stream(): AsyncGenerator<ResponseEvent[], AntiphonError | undefined> {
    const { decoder } = this.#plan;
    const call = new Call(this.#callPlan());
    this.#call = call;
    decoder.broken = undefined;
    try {
      for (let next = await call.next(); !next.done; next = await call.next()) {
        this.#learn(next.value);
        yield next.value;
      }
      return decoder.broken;
    } finally {
      this.#call = undefined;
      await call.return();
    }
  }

  /** Asks how the job stands, and tells what is new. */
  async *#ask(): AsyncGenerator<ResponseEvent[], undefined> {
    const { call, decoder, retrieve } = this.#plan;
    const timeouts = { ...call.timeouts, total: this.#timeLeft() };
    const events = decoder.tell(await retrieve(this.#id!, { ...call, timeouts, retry: { retries: 0 } }));
    this.#failures = 0;
    this.#learn(events);
    if (events.length > 0) yield events;
    return undefined;
  }

  /** Waits for the next attempt, which may be of the other kind; ends where there is none. */
  async *#goOn(error: AntiphonError | undefined): AsyncGenerator<ResponseEvent[]> {
    const { decoder, poll } = this.#plan;
    if (performance.now() >= this.#end) return yield* this.#giveUp(tookTooLong(this.#total));
    if (error && (this.#id === undefined || personal.has(error.code))) return yield* this.#giveUp(error);
    const resumable = !decoder.told && (decoder.cursor >= 0 || !decoder.begun);
    const delay = error && this.#delayAfter(error);
    if (error && delay !== undefined && (resumable || !this.#streams)) {
      this.#failures += 1;
      yield [this.#retryNote(error, delay)];
      await this.#pause(delay);
    } else if (!this.#streams && error) yield* this.#giveUp(error);
    else {
      this.#streams = false;
      this.#failures = 0;
      // The first question comes at once: what the stream could not tell may have been there for long.
      if (!error) await this.#pause(pollDelay(poll, this.#polls++));
    }
  }

  #delayAfter(error: AntiphonError): number | undefined {
    const { plan, call } = this.#plan;
    // Once the job has an id, connections only read what it has made.
    return retryDelay(error, this.#failures, { ...mergeRetry(plan.retry, call.retry), readOnly: this.#id !== undefined });
  }

  /** The caller stopped: the job does too, where that was asked for. */
  async *#abandon(): AsyncGenerator<ResponseEvent[]> {
    const { decoder, cancel, call } = this.#plan;
    if (cancel && this.#id !== undefined) {
      // A job that cannot be cancelled any more has ended or is gone; the caller has gone in any case.
      const response = await cancel(this.#id).catch(() => undefined);
      const events = response ? decoder.tell(response) : [];
      if (events.length > 0) yield events;
    }
    if (!decoder.ended) yield* this.#giveUp(abortError(call.signal?.reason));
  }

  *#giveUp(error: AntiphonError): Generator<ResponseEvent[]> {
    const { decoder } = this.#plan;
    if (!decoder.begun) throw error;
    this.gaveUp = true;
    yield decoder.giveUp(error);
  }

  #callPlan(): CallPlan {
    const { plan, call, decoder, job, streamPath } = this.#plan;
    const { upstream, transport, maxEventBytes } = plan;
    const id = this.#id;
    const path = id === undefined ? undefined : streamPath(id, decoder.cursor);
    const request = "request" in job && path === undefined ? job.request : {};
    const { expect: _, ...base } = forCall(plan, request, path === undefined ? call : { ...call, retry: { retries: 0 } });
    const codec: Codec = { ...upstream.codec, createDecoder: () => decoder };
    if (path !== undefined) codec.encodeRequest = () => ({ path, body: undefined, losses: [] });
    return {
      ...base,
      upstream: { ...upstream, codec },
      timeouts: { ...base.timeouts, total: this.#timeLeft() },
      send: path === undefined ? transport : ({ body: _, ...sent }) => transport({ ...sent, method: "GET" }),
      readerOf: async (response: HttpResponse) => {
        await checkStatus(response, upstream);
        return isJson(response.headers)
          ? new JsonReader(codec, base.ctx, (whole) => decoder.tell(whole))
          : new EventReader(codec, base.ctx, { maxEventBytes });
      },
    };
  }

  #learn(events: readonly ResponseEvent[]): void {
    for (const event of events) if ("response" in event) this.#id ??= (event.response as ResponseResource).id;
    this.#sequence = events.at(-1)?.sequence_number ?? this.#sequence;
  }

  #retryNote({ code, message }: AntiphonError, delay: number): ResponseEvent {
    const told = { attempt: this.#failures, delay, error: { code, message } };
    return { type: "antiphon:retry", sequence_number: this.#sequence, ...told };
  }

  #timeLeft(): number {
    return this.#total > 0 ? Math.max(1, this.#end - performance.now()) : 0;
  }

  #pause(delay: number): Promise<void> {
    const { signal } = this.#plan.call;
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(delay, this.#end - performance.now()));
      this.#wake = wake;
      signal?.addEventListener("abort", wake);
      if (signal?.aborted || this.#left) wake();
    });
  }
}

import { collect } from "../core/collect.ts";
import { abortError, AntiphonError } from "../core/error.ts";
import { terminalType } from "../core/expand.ts";
import type { CallOptions, Respond, RetryOptions } from "../core/respond.ts";
import type { StopSignal } from "../core/stop.ts";
import type { CreateResponse, ResponseResource } from "../model/index.ts";
import { JobDecoder } from "./background-decoder.ts";
import { Follower, pollDelay, tookTooLong, type FollowPlan, type PollOptions } from "./background-follow.ts";
import type { JobSnapshot } from "./background-stream.ts";
import type { BackgroundOptions, JobOptions } from "./background.ts";
import { planOf, type UpstreamPlan } from "./call-plan.ts";
import { fetchDocument } from "./fetch-document.ts";
import { httpRespond } from "./http-respond.ts";
import { mergeRetry } from "./retry.ts";
import type { WireUpstream } from "./upstream.ts";
import { withModel } from "./with-model.ts";

/** Jobs take long, and a broken line is no reason to lose them. */
const patience: RetryOptions = { retries: 5, maxDelay: 30_000 };
/** Pauses between two requests for the state of a job. */
export const defaultPoll: Required<PollOptions> = { minDelay: 1_000, maxDelay: 10_000 };
/** How long a caller who stopped is kept waiting for the job to stop too. */
export const farewell = { firstEvent: 5_000, total: 10_000 };

/** The jobs of an upstream whose codec is loaded. */
export class Jobs {
  readonly #upstream: WireUpstream;
  readonly #options: BackgroundOptions;
  readonly #plan: UpstreamPlan;
  readonly #respond: Respond;

  constructor(upstream: WireUpstream, options: BackgroundOptions) {
    const patient = { ...options, retry: { ...patience, ...options.retry } };
    this.#upstream = upstream;
    this.#options = options;
    this.#plan = planOf(upstream, patient);
    this.#respond = httpRespond(upstream, patient);
  }

  start(request: CreateResponse, options?: CallOptions): Promise<ResponseResource> {
    return collect(this.#respond({ ...asJob(request), stream: false }, options));
  }

  /** Starts a job and follows it. */
  stream(request: CreateResponse, options: JobOptions): Follower {
    const sent = withModel({ ...asJob(request), stream: true }, this.#upstream.model);
    const include = options.include ?? request.include ?? undefined;
    return this.#follower({ request: sent }, sent, { ...options, ...(include ? { include } : {}) });
  }

  /** Follows a job, from where an earlier stream of it was left. */
  follow(id: string, options: JobOptions, from?: JobSnapshot): Follower {
    return this.#follower({ id }, {}, options, from);
  }

  async wait(id: string, options: JobOptions = {}): Promise<ResponseResource> {
    const { signal } = options;
    const total = options.timeouts?.total ?? this.#plan.timeouts.total;
    const end = total > 0 ? performance.now() + total : Number.POSITIVE_INFINITY;
    try {
      for (let polls = 0; ; polls += 1) {
        const response = await this.retrieve(id, options);
        if (terminalType(response)) return response;
        if (performance.now() >= end) throw tookTooLong(total);
        await pause(Math.min(pollDelay(this.#pollOf(options), polls), end - performance.now()), signal);
      }
    } catch (error) {
      if (signal?.aborted && (options.cancelOnAbort ?? this.#options.cancelOnAbort))
        await this.cancel(id, { timeouts: farewell }).catch(() => undefined);
      throw error;
    }
  }

  async retrieve(id: string, options: JobOptions = {}): Promise<ResponseResource> {
    return this.#read(await this.#ask("GET", this.#path(id, "", this.#includes(options)), options));
  }

  async cancel(id: string, options: CallOptions = {}): Promise<ResponseResource> {
    try {
      return this.#read(await this.#ask("POST", this.#path(id, "/cancel"), options));
    } catch (error) {
      if (!(error instanceof AntiphonError) || error.code !== "BAD_REQUEST") throw error;
      // Not every server takes it kindly when a job is cancelled that has ended, or that was cancelled before.
      const response = await this.retrieve(id, options);
      if (!terminalType(response)) throw error;
      return response;
    }
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#ask("DELETE", this.#path(id), options);
  }

  #follower(job: FollowPlan["job"], request: CreateResponse, call: JobOptions, from?: JobSnapshot): Follower {
    const { newId, now, upstream } = this.#plan;
    const includes = this.#includes(call);
    const plan: FollowPlan = {
      plan: this.#plan,
      call,
      decoder: new JobDecoder(upstream.codec.createDecoder({ request, newId, now }, from), from),
      job,
      poll: this.#pollOf(call),
      streamPath: (id, after) =>
        this.#path(id, "", [["stream", "true"], ...(after < 0 ? [] : [["starting_after", String(after)]]), ...includes]),
      retrieve: (id, more) => this.retrieve(id, { ...more, include: call.include }),
    };
    if (call.cancelOnAbort ?? this.#options.cancelOnAbort)
      plan.cancel = (id) => this.cancel(id, { headers: call.headers, timeouts: farewell });
    return new Follower(plan);
  }

  #ask(method: "GET" | "POST" | "DELETE", path: string, call: CallOptions): Promise<unknown> {
    const { fetch, transport, headers, timeouts } = this.#options;
    return fetchDocument(this.#upstream, path, {
      method,
      ...(fetch ? { fetch } : {}),
      ...(transport ? { transport } : {}),
      ...(call.signal ? { signal: call.signal } : {}),
      headers: { ...headers, ...call.headers },
      timeouts: { ...timeouts, ...call.timeouts },
      retry: mergeRetry(this.#plan.retry, call.retry),
    });
  }

  #read(reply: unknown): ResponseResource {
    const { newId, now, upstream } = this.#plan;
    return upstream.codec.decodeResponse({ request: {}, newId, now }, reply);
  }

  #path(id: string, end = "", query: readonly (readonly string[])[] = []): string {
    if (typeof id !== "string" || id === "")
      throw new AntiphonError("BAD_REQUEST", "The job id must not be empty.", { provider: this.#upstream.name, param: "id" });
    const text = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    return `/responses/${encodeURIComponent(id)}${end}${text && `?${text}`}`;
  }

  #includes({ include = this.#options.include ?? [] }: JobOptions): string[][] {
    return include.map((value) => ["include[]", value]);
  }

  #pollOf({ poll }: JobOptions): Required<PollOptions> {
    return { ...defaultPoll, ...this.#options.poll, ...poll };
  }
}

/** A job is kept at least until it was fetched, so it is stored unless the caller says otherwise. */
const asJob = (request: CreateResponse): CreateResponse => ({ ...request, background: true, store: request.store ?? true });

/** Waits; rejects when the signal fires. */
function pause(delay: number, signal: StopSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(abortError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delay);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
  });
}

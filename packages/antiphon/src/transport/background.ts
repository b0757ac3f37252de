import { collect } from "../core/collect.ts";
import { AntiphonError } from "../core/error.ts";
import { terminalType } from "../core/expand.ts";
import type { CallOptions, Respond, RetryOptions } from "../core/respond.ts";
import type { CreateResponse, Include, ResponseResource } from "../model/index.ts";
import type { Follower, FollowPlan, PollOptions } from "./background-follow.ts";
import { FollowedStream, type JobSnapshot, type JobStream } from "./background-stream.ts";
import { planOf, withModel, type ConnectOptions, type UpstreamPlan } from "./call-plan.ts";
import { abortError } from "./connection-error.ts";
import { connect } from "./connect.ts";
import { fetchJson } from "./fetch-json.ts";
import { mergeRetry } from "./retry.ts";
import type { Upstream, WireUpstream } from "./upstream.ts";

export type { PollOptions } from "./background-follow.ts";
export type { JobSnapshot, JobStream } from "./background-stream.ts";

/** What may be said about following a job. `retry` counts failures in a row, without anything new in between. */
export interface JobOptions extends CallOptions {
  /** Whether the job is cancelled when the signal fires; otherwise it goes on, and can be followed again. */
  cancelOnAbort?: boolean;
  poll?: PollOptions;
  /** Extra data that the answer should carry; a server forgets from the first request what was asked for there. */
  include?: Include[];
}

/** What may be said about all jobs of an upstream. */
export interface BackgroundOptions extends ConnectOptions, Pick<JobOptions, "cancelOnAbort" | "poll" | "include"> {}

/** Jobs: responses that are made whether somebody listens or not. */
export interface Background {
  /** Starts a job and gives it as it stands, mostly `queued`. */
  start(request: CreateResponse, options?: CallOptions): Promise<ResponseResource>;
  /** Starts a job and gives its events, over as many connections as it takes. */
  stream(request: CreateResponse, options?: JobOptions): JobStream;
  /** The events of a job that was started before: all of them, or those after a snapshot. */
  follow(job: string | JobSnapshot, options?: JobOptions): JobStream;
  /** Asks after a job until it has ended. */
  wait(id: string, options?: JobOptions): Promise<ResponseResource>;
  /** A job as it stands. */
  retrieve(id: string, options?: JobOptions): Promise<ResponseResource>;
  /** Stops a job. One that has ended is given as it is. */
  cancel(id: string, options?: CallOptions): Promise<ResponseResource>;
  /** Has a job forgotten. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Jobs take long, and a broken line is no reason to lose them. */
const patience: RetryOptions = { retries: 5, maxDelay: 30_000 };
const defaultPoll: Required<PollOptions> = { minDelay: 1_000, maxDelay: 10_000 };
/** How long a caller who stopped is kept waiting for the job to stop too. */
const farewell = { firstEvent: 5_000, total: 10_000 };

/**
 * Runs responses in the background, on servers of the Responses wire that can.
 *
 * @example
 * const jobs = background(provider("openai"));
 * const stream = jobs.stream({ input: "Write a novel." });
 * for await (const event of stream) await save(JSON.stringify(stream.snapshot()));
 * // In another process, later:
 * for await (const event of jobs.follow(JSON.parse(saved))) console.log(event.type);
 */
export function background(upstream: Upstream, options: BackgroundOptions = {}): Background {
  if ("respond" in upstream || upstream.codec.wire !== "responses") {
    const { name } = upstream;
    throw new AntiphonError("UNSUPPORTED", `${name} has no background jobs.`, { provider: name });
  }
  return new Jobs(upstream, options);
}

/**
 * A model that runs each request as a job and follows it, so that a broken connection does not lose the answer. A signal that
 * fires cancels the job, unless `cancelOnAbort` is `false`.
 *
 * @example
 * const agent = new Agent({ model: inBackground(provider("openai:gpt-5.2-pro")) });
 */
export function inBackground(upstream: Upstream, options: BackgroundOptions = {}): Respond {
  const jobs = background(upstream, { cancelOnAbort: true, ...options });
  return (request, call) => jobs.stream(request, call);
}

class Jobs implements Background {
  readonly #upstream: WireUpstream;
  readonly #options: BackgroundOptions;
  readonly #plan: UpstreamPlan;
  readonly #respond: Respond;

  constructor(upstream: WireUpstream, options: BackgroundOptions) {
    const patient = { ...options, retry: { ...patience, ...options.retry } };
    this.#upstream = upstream;
    this.#options = options;
    this.#plan = planOf(upstream, patient);
    this.#respond = connect(upstream, patient);
  }

  start(request: CreateResponse, options?: CallOptions): Promise<ResponseResource> {
    return collect(this.#respond({ ...asJob(request), stream: false }, options));
  }

  stream(request: CreateResponse, options: JobOptions = {}): JobStream {
    const sent = withModel({ ...asJob(request), stream: true }, this.#upstream.model);
    const include = options.include ?? request.include ?? undefined;
    return this.#followed({ request: sent }, sent, { ...options, ...(include ? { include } : {}) });
  }

  follow(job: string | JobSnapshot, options: JobOptions = {}): JobStream {
    if (typeof job === "string") return this.#followed({ id: job }, {}, options);
    if (job.version !== 1) throw new AntiphonError("BAD_REQUEST", "This snapshot is of a version that is not known.");
    return this.#followed({ id: job.response.id }, {}, options, job);
  }

  async wait(id: string, options: JobOptions = {}): Promise<ResponseResource> {
    const { signal } = options;
    const total = options.timeouts?.total ?? this.#plan.timeouts.total;
    const end = total > 0 ? performance.now() + total : Number.POSITIVE_INFINITY;
    const { pollDelay, tookTooLong } = await import("./background-follow.ts");
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

  #followed(job: FollowPlan["job"], request: CreateResponse, options: JobOptions, from?: JobSnapshot): JobStream {
    return new FollowedStream(() => this.#follower(job, request, options, from), from);
  }

  async #follower(job: FollowPlan["job"], request: CreateResponse, call: JobOptions, from?: JobSnapshot): Promise<Follower> {
    const { newId, now, upstream } = this.#plan;
    const { Follower } = await import("./background-follow.ts");
    await upstream.codec.load?.();
    const decoder = upstream.codec.createDecoder({ request, newId, now }, from);
    const includes = this.#includes(call);
    const plan: FollowPlan = {
      plan: this.#plan,
      call,
      decoder,
      from,
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
    return fetchJson(this.#upstream, path, {
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
    if (id === "") throw new AntiphonError("BAD_REQUEST", "A job needs an id.", { provider: this.#upstream.name });
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
function pause(delay: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(abortError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delay);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

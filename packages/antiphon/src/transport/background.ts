import { callRules } from "../core/call-rules.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument, checkOptions, listOf, milliseconds, nested, text, yesOrNo, type Rules } from "../core/options.ts";
import type { CallOptions, Respond } from "../core/respond.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse, Include, ResponseResource } from "../model/index.ts";
import type { PollOptions } from "./background-follow.ts";
import type { Jobs } from "./background-jobs.ts";
import { FollowedStream, type JobSnapshot, type JobStream } from "./background-stream.ts";
import type { ConnectOptions } from "./call-plan.ts";
import { checkUpstream, connectRules } from "./connect-rules.ts";
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

const jobRules: Rules<JobOptions> = {
  ...callRules,
  cancelOnAbort: yesOrNo,
  poll: nested<PollOptions>({ minDelay: milliseconds, maxDelay: milliseconds }),
  include: listOf(text),
};

const backgroundRules: Rules<BackgroundOptions> = {
  ...connectRules,
  cancelOnAbort: jobRules.cancelOnAbort,
  poll: jobRules.poll,
  include: jobRules.include,
};

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

/**
 * Starts, follows, resumes and cancels background responses, on Responses servers that support them.
 *
 * @example
 * const jobs = background(provider("openai"));
 * const stream = jobs.stream({ input: "Write a novel." });
 * for await (const event of stream) await save(JSON.stringify(stream.snapshot()));
 * // In another process, later:
 * for await (const event of jobs.follow(JSON.parse(saved))) console.log(event.type);
 */
export function background(upstream: Upstream, options: BackgroundOptions = {}): Background {
  checkUpstream("background", upstream);
  checkOptions("background", options, backgroundRules);
  if ("respond" in upstream || upstream.codec.wire !== "responses") {
    const { name } = upstream;
    throw new AntiphonError("UNSUPPORTED", `The provider ${name} does not support background jobs.`, { provider: name });
  }
  return new LateJobs(upstream, options);
}

/**
 * Returns a model that runs each request as a background response, so that a lost connection does not lose the
 * answer. A signal that fires cancels the job, unless `cancelOnAbort` is `false`.
 *
 * @example
 * const agent = new Agent({ model: inBackground(provider("openai:gpt-5.2-pro")) });
 */
export function inBackground(upstream: Upstream, options: BackgroundOptions = {}): Respond {
  const jobs = background(upstream, { cancelOnAbort: true, ...options });
  return (request, call) => jobs.stream(request, call);
}

/** Jobs, the code of which is loaded with the first of them. */
class LateJobs implements Background {
  readonly #upstream: WireUpstream;
  readonly #options: BackgroundOptions;
  #jobs: Jobs | undefined;

  constructor(upstream: WireUpstream, options: BackgroundOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  async start(request: CreateResponse, options: CallOptions = {}): Promise<ResponseResource> {
    checkOptions("start", options, callRules);
    return (await this.#load()).start(request, options);
  }

  stream(request: CreateResponse, options: JobOptions = {}): JobStream {
    checkOptions("stream", options, jobRules);
    return new FollowedStream(async () => (await this.#load()).stream(request, options));
  }

  follow(job: string | JobSnapshot, options: JobOptions = {}): JobStream {
    checkOptions("follow", options, jobRules);
    if (typeof job === "string") return new FollowedStream(async () => (await this.#load()).follow(job, options));
    checkArgument("follow", "the id of a job or a snapshot", isObject(job) && isObject(job.response), job);
    if (job.version !== 1) throw new AntiphonError("BAD_REQUEST", "The snapshot has an unsupported version.");
    return new FollowedStream(async () => (await this.#load()).follow(job.response.id, options, job), job);
  }

  async wait(id: string, options: JobOptions = {}): Promise<ResponseResource> {
    checkOptions("wait", options, jobRules);
    return (await this.#load()).wait(id, options);
  }

  async retrieve(id: string, options: JobOptions = {}): Promise<ResponseResource> {
    checkOptions("retrieve", options, jobRules);
    return (await this.#load()).retrieve(id, options);
  }

  async cancel(id: string, options: CallOptions = {}): Promise<ResponseResource> {
    checkOptions("cancel", options, callRules);
    return (await this.#load()).cancel(id, options);
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    checkOptions("delete", options, callRules);
    return (await this.#load()).delete(id, options);
  }

  async #load(): Promise<Jobs> {
    const { Jobs } = await import("./background-jobs.ts");
    await this.#upstream.codec.load?.();
    return (this.#jobs ??= new Jobs(this.#upstream, this.#options));
  }
}

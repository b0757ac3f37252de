import { errorOf } from "../core/classify-error.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { type AntiphonError, toAntiphonError } from "../core/error.ts";
import { checkOptions, func, listOf, rule, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, parsedCall, type CallOptions, type Middleware, type Respond } from "../core/respond.ts";
import type { CreateResponse, ResponseEvent } from "../model/index.ts";
import { isOutput } from "../core/seen-events.ts";
import { isObject } from "../model/guards.ts";
import { over, type Batches } from "./passage.ts";

/** A model to fall back to, under the name that its server knows it by. */
export interface FallbackModel {
  respond: Respond;
  /** Takes the place of the request's `model`. */
  model?: string;
}

/** Where to turn when a model fails, and when. */
export interface FallbackOptions {
  models: readonly (Respond | FallbackModel)[];
  /** Whether an error calls for the next model; `usual` is what holds where nobody says otherwise. */
  when?(error: AntiphonError, usual: boolean): boolean;
}

const isModel = rule(
  "be a model, such as `connect(provider(…))`, or an object with one as `respond`",
  (value) => typeof value === "function" || (isObject(value) && typeof value["respond"] === "function"),
);
const fallbackRules: Rules<FallbackOptions> = { models: listOf(isModel), when: func };

// Another model helps where this one is out of reach or cannot do it, not where the request is at fault. CHAIN_NOT_FOUND and
// INVALID_ENCRYPTED_CONTENT are mended by sending the history again, and by somebody who has it.
const usually: Readonly<Record<ErrorCode, boolean>> = {
  AUTH_ERROR: true,
  PERMISSION: true,
  RATE_LIMIT: true,
  TOKEN_RATE_LIMIT: true,
  QUOTA_EXCEEDED: true,
  CONNECTION_ERROR: true,
  TIMEOUT: true,
  INVALID_MODEL: true,
  NOT_FOUND: true,
  CHAIN_NOT_FOUND: false,
  CONTEXT_LENGTH_EXCEEDED: false,
  INVALID_SCHEMA: false,
  INVALID_ENCRYPTED_CONTENT: false,
  CONTENT_POLICY: false,
  BAD_REQUEST: false,
  SERVER_OVERLOADED: true,
  SERVER_ERROR: true,
  TRUNCATED: true,
  INVALID_OUTPUT: true,
  PROTOCOL: true,
  ABORTED: false,
  UNSUPPORTED: true,
};

/**
 * Middleware that calls the next model if one fails before output, and emits `antiphon:fallback`. Once output was
 * seen, a failure stays one: two halves of two answers are no answer.
 *
 * @example
 * const respond = fallback([connect(provider("anthropic"))])(connect(provider("openai")));
 */
export function fallback(options: readonly (Respond | FallbackModel)[] | FallbackOptions): Middleware {
  const isList = Array.isArray(options);
  checkOptions("fallback", isList ? { models: options } : options, fallbackRules);
  const { models, when } = "models" in options ? options : { models: options, when: undefined };
  const others = models.map((model) => (typeof model === "function" ? { respond: model } : model));
  const counts = (error: AntiphonError): boolean => (when ? when(error, usually[error.code]) : usually[error.code]);
  return (next) => {
    const all: readonly FallbackModel[] = [{ respond: next }, ...others];
    // Whether a model failed before its output cannot be told from events that nobody parsed.
    return (request, call) => fromBatches(() => new Attempts(all, counts, request, parsedCall(call)));
  };
}

// What these tell has happened whichever model answers in the end, so it need not wait.
const live: ReadonlySet<string> = new Set(["antiphon:retry", "antiphon:fallback"]);
// These describe one attempt: they are held with the preamble and dropped if the attempt fails.
const ofOneAttempt: ReadonlySet<string> = new Set(["antiphon:loss", "antiphon:repairs", "antiphon:cached"]);

/** Whether an event commits to this model: its reader has seen output, or a tool ran, which must not run twice. */
const isSeen = (event: ResponseEvent): boolean =>
  isOutput(event) || (event.type.includes(":") && !live.has(event.type) && !ofOneAttempt.has(event.type));

class Attempts implements Batches {
  readonly #models: readonly FallbackModel[];
  readonly #counts: (error: AntiphonError) => boolean;
  readonly #request: CreateResponse;
  readonly #call: CallOptions | undefined;
  readonly #errors: AntiphonError[] = [];
  #at = 0;
  #inner: Batches | undefined;
  /** Events that nobody has seen yet; `undefined` once output was. */
  #held: ResponseEvent[] | undefined = [];
  #left = false;

  constructor(
    models: readonly FallbackModel[],
    counts: (error: AntiphonError) => boolean,
    request: CreateResponse,
    call: CallOptions | undefined,
  ) {
    this.#models = models;
    this.#counts = counts;
    this.#request = request;
    this.#call = call;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    while (!this.#left) {
      if (this.#inner && !this.#held) return this.#inner.next();
      const told = await this.#try(this.#held ?? []);
      if (!told) return over;
      if (told.length > 0) return { done: false, value: told };
    }
    return over;
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    this.#left = true;
    await this.#inner?.return?.();
    return over;
  }

  #open(): Batches {
    const { respond, model } = this.#models[this.#at]!;
    return batchesOf(respond(model === undefined ? this.#request : { ...this.#request, model }, this.#call));
  }

  /** What can be told of the next batch of a model that has shown no output so far; nothing where the stream is over. */
  async #try(held: ResponseEvent[]): Promise<ResponseEvent[] | undefined> {
    let events: ResponseEvent[];
    try {
      const { done, value } = await (this.#inner ??= this.#open()).next();
      if (this.#left) return undefined;
      if (done) return this.#release(held);
      events = value;
    } catch (thrown) {
      if (this.#left) return undefined;
      const error = toAntiphonError(thrown, "CONNECTION_ERROR");
      return this.#turn(error) ?? this.#giveUp(error);
    }
    const seen = events.find(isSeen);
    if (seen?.type === "response.failed") {
      const turn = this.#turn(errorOf(seen.response));
      if (turn) return turn;
    }
    if (seen) return this.#release([...held, ...events]);
    held.push(...events.filter(({ type }) => !live.has(type)));
    return events.filter(({ type }) => live.has(type));
  }

  #release(events: ResponseEvent[]): ResponseEvent[] | undefined {
    this.#held = undefined;
    return events.length > 0 ? events : undefined;
  }

  /** Goes on to the next model, where there is one and the error calls for it. */
  #turn(failure: AntiphonError): ResponseEvent[] | undefined {
    this.#errors.push(failure);
    const to = this.#at + 1;
    if (to >= this.#models.length || this.#call?.signal?.aborted || !this.#counts(failure)) return undefined;
    // The failed model has nothing more to say; whether it closes well is of no interest.
    void this.#inner?.return?.().catch(() => {});
    this.#held = [];
    this.#inner = undefined;
    const { code, message } = failure;
    const told = { from: this.#at, to, error: { code, message } };
    this.#at = to;
    return [{ type: "antiphon:fallback", sequence_number: 0, ...told }];
  }

  #giveUp(error: AntiphonError): never {
    if (this.#errors.length === 1) throw error;
    throw error.with({ cause: new AggregateError(this.#errors, `All ${this.#errors.length} models failed.`) });
  }
}

import { errorOf } from "../core/classify-error.ts";
import { AntiphonError } from "../core/error.ts";
import { checkOptions, func, limit, milliseconds, rule, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, type Middleware } from "../core/respond.ts";
import { estimateUsage } from "../core/usage.ts";
import type { CreateResponse, Usage } from "../model/index.ts";
import { Passage, sleep as realSleep, stopped, type Ending, type Sleep } from "./passage.ts";

/** How much may be asked of a model, and how long a call may wait for its turn. */
export interface RateLimitOptions {
  requestsPerMinute?: number;
  /** Input and output together. */
  tokensPerMinute?: number;
  /** Calls under way at the same time. */
  concurrency?: number;
  /** Requests that may go at once after a pause; a tenth of a minute's, at least one, where nothing is said. */
  burst?: number;
  /** Milliseconds that a call may wait for its turn; a minute where nothing is said. */
  maxWait?: number;
  /** Calls that may wait at the same time; 1,000 where nothing is said. */
  maxQueue?: number;
  /** How many tokens a request will cost, before anybody knows; the reported usage puts it right. */
  estimate?(request: CreateResponse): number;
  now?(): number;
  sleep?: Sleep;
}

/** Milliseconds that a call may wait for its turn. */
export const defaultMaxWait = 60_000;

// A limit that is not a number would not limit anything, or let nothing through.
const aboveZero = rule("be a number above 0", (value) => typeof value === "number" && value > 0);

const rateLimitRules: Rules<RateLimitOptions> = {
  requestsPerMinute: aboveZero,
  tokensPerMinute: aboveZero,
  concurrency: aboveZero,
  burst: aboveZero,
  maxWait: milliseconds,
  maxQueue: limit(0),
  estimate: func,
  now: func,
  sleep: func,
};

/**
 * Middleware that keeps calls within a provider's rate limits. Excess calls wait in order. A call that would wait too
 * long fails with `RATE_LIMIT` at once. Models wrapped by the same value share one limit.
 *
 * @example
 * const respond = rateLimit({ requestsPerMinute: 60, tokensPerMinute: 90_000, concurrency: 8 })(connect(provider("openai")));
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions("rateLimit", options, rateLimitRules);
  const limiter = new Limiter(options);
  return (next) => (request, call) =>
    fromBatches(() => {
      const ticket = new Ticket(limiter.estimate(request));
      const onAbort = (): void => limiter.drop(ticket, stopped(call));
      return new Passage({
        open: async () => {
          if (call?.signal?.aborted) throw stopped(call);
          call?.signal?.addEventListener("abort", onAbort);
          await limiter.enter(ticket).finally(() => call?.signal?.removeEventListener("abort", onAbort));
          return batchesOf(next(request, call));
        },
        ended: (ending) => {
          if (ticket.admitted) limiter.leave(ticket, ending);
          else limiter.drop(ticket, stopped());
        },
      });
    });
}

/** A call's place in the queue. */
class Ticket {
  /** What it is thought to cost, in tokens. */
  readonly tokens: number;
  readonly turn: Promise<void>;
  readonly waiting = new AbortController();
  admitted = false;
  admit!: () => void;
  refuse!: (error: AntiphonError) => void;

  constructor(tokens: number) {
    this.tokens = tokens;
    this.turn = new Promise((resolve, reject) => {
      this.admit = resolve;
      this.refuse = reject;
    });
    // A ticket that is dropped before anybody waits for it must not count as an unhandled failure.
    this.turn.catch(() => {});
  }
}

/** Fills up evenly as time passes. It may be overdrawn: what was taken too much is waited for by the next. */
class Bucket {
  readonly capacity: number;
  readonly #perMillisecond: number;
  #level: number;
  #at: number;

  constructor(perMinute: number, capacity: number, now: number) {
    this.capacity = capacity;
    this.#perMillisecond = perMinute / 60_000;
    this.#level = capacity;
    this.#at = now;
  }

  /** Milliseconds until so much can be taken. */
  wait(amount: number, now: number): number {
    this.#level = Math.min(this.capacity, this.#level + (now - this.#at) * this.#perMillisecond);
    this.#at = now;
    return Math.max(0, Math.ceil((amount - this.#level) / this.#perMillisecond));
  }

  take(amount: number): void {
    this.#level -= amount;
  }
}

/** Looks again at least so often, since a call that ends may give tokens back. */
const nap = 1_000;

class Limiter {
  readonly #options: RateLimitOptions;
  readonly #now: () => number;
  readonly #sleep: Sleep;
  readonly #requests: Bucket | undefined;
  readonly #tokens: Bucket | undefined;
  readonly #queue: Ticket[] = [];
  #running = 0;
  #pumping = false;
  /** The provider asked for silence until then. */
  #quietUntil = 0;
  /** What answers have cost of late. */
  #answer = 0;

  constructor(options: RateLimitOptions) {
    const { requestsPerMinute, tokensPerMinute, burst, now = () => performance.now(), sleep = realSleep } = options;
    this.#options = options;
    this.#now = now;
    this.#sleep = sleep;
    if (requestsPerMinute) this.#requests = new Bucket(requestsPerMinute, Math.max(1, burst ?? requestsPerMinute / 10), now());
    if (tokensPerMinute) this.#tokens = new Bucket(tokensPerMinute, tokensPerMinute, now());
  }

  /** A guess at what a request will cost. One that is larger than the bucket waits until it is full, and goes. */
  estimate(request: CreateResponse): number {
    if (!this.#tokens) return 0;
    const answer = Math.min(this.#answer, request.max_output_tokens ?? Number.POSITIVE_INFINITY);
    const tokens = this.#options.estimate?.(request) ?? estimateUsage(request, []).input_tokens + answer;
    return Math.min(tokens, this.#tokens.capacity);
  }

  /** Resolves when it is the ticket's turn. */
  enter(ticket: Ticket): Promise<void> {
    const { maxWait = defaultMaxWait, maxQueue = 1_000 } = this.#options;
    this.#queue.push(ticket);
    const wait = this.#wait(this.#queue);
    if (wait > maxWait) this.drop(ticket, tooLong(`The call would wait ${wait} ms, longer than \`maxWait\` allows`, wait));
    else void this.#pump();
    if (this.#queue.length > maxQueue)
      this.drop(ticket, tooLong(`The queue of \`rateLimit\` is full: ${maxQueue} calls are waiting`, wait));
    if (!ticket.admitted && maxWait < Number.POSITIVE_INFINITY)
      void this.#sleep(maxWait, ticket.waiting.signal).then(() =>
        this.drop(ticket, tooLong(`The call waited ${maxWait} ms, the limit that \`maxWait\` sets`, nap)),
      );
    return ticket.turn;
  }

  /** Takes a ticket out of the queue, if it is still there. */
  drop(ticket: Ticket, error: AntiphonError): void {
    const at = this.#queue.indexOf(ticket);
    if (at === -1) return;
    this.#queue.splice(at, 1);
    ticket.waiting.abort();
    ticket.refuse(error);
  }

  /** A call is over: its place is free, and what it really cost is put right. */
  leave(ticket: Ticket, { response, error }: Ending): void {
    this.#running -= 1;
    if (response?.usage) this.#correct(ticket, response.usage);
    const refused = error ?? (response?.status === "failed" ? errorOf(response) : undefined);
    if (refused?.retryAfter && (refused.code === "RATE_LIMIT" || refused.code === "TOKEN_RATE_LIMIT"))
      this.#quietUntil = Math.max(this.#quietUntil, this.#now() + refused.retryAfter);
    void this.#pump();
  }

  #correct(ticket: Ticket, { total_tokens, output_tokens }: Usage): void {
    this.#tokens?.take(total_tokens - ticket.tokens);
    this.#answer = this.#answer === 0 ? output_tokens : this.#answer * 0.8 + output_tokens * 0.2;
  }

  #free(): number {
    return (this.#options.concurrency ?? Number.POSITIVE_INFINITY) - this.#running;
  }

  /** How long these tickets together have to wait, as far as the buckets go. */
  #wait(tickets: readonly Ticket[]): number {
    const now = this.#now();
    const tokens = tickets.reduce((sum, ticket) => sum + ticket.tokens, 0);
    return Math.max(this.#quietUntil - now, this.#requests?.wait(tickets.length, now) ?? 0, this.#tokens?.wait(tokens, now) ?? 0);
  }

  /** Lets tickets in as long as there is room, and sleeps while there will be. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    while (this.#queue.length > 0 && this.#free() > 0) {
      const wait = this.#wait(this.#queue.slice(0, 1));
      if (wait > 0) await this.#sleep(Math.min(wait, nap));
      else this.#admit(this.#queue.shift()!);
    }
    this.#pumping = false;
  }

  #admit(ticket: Ticket): void {
    this.#requests?.take(1);
    this.#tokens?.take(ticket.tokens);
    this.#running += 1;
    ticket.admitted = true;
    ticket.waiting.abort();
    ticket.admit();
  }
}

const tooLong = (reason: string, retryAfter: number): AntiphonError =>
  new AntiphonError("RATE_LIMIT", `${reason}. The limit is set in your program by \`rateLimit\`.`, {
    retryAfter: Math.max(1, Math.ceil(retryAfter)),
  });

import { errorOf } from "../core/classify-error.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { AntiphonError } from "../core/error.ts";
import { checkOptions, func, limit, milliseconds, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, type Respond } from "../core/respond.ts";
import { Passage, type Ending } from "./passage.ts";

/** `closed`: calls go through. `open`: none does. `half_open`: a few do, to see how things are. */
export type BreakerState = "closed" | "open" | "half_open";

/** When to stop asking a model that fails. */
export interface CircuitBreakerOptions {
  /** Failures in a row that open it; 5 where nothing is said. */
  failures?: number;
  /** Milliseconds that it stays open; a minute where nothing is said. */
  cooldown?: number;
  /** Calls at a time that are let through after that, until one succeeds; 1 where nothing is said. */
  halfOpen?: number;
  now?(): number;
}

const breakerRules: Rules<CircuitBreakerOptions> = {
  failures: limit(1),
  cooldown: milliseconds,
  halfOpen: limit(1),
  now: func,
};

/** A model with a breaker in front. */
export type BreakerModel = Respond & { readonly state: BreakerState };

// What an error says about the server. One that finds fault with a request is at work; one that was not waited for, or that asks
// to be asked less, has not shown how it is.
type Verdict = "down" | "up" | "unknown";
const verdicts: Readonly<Record<ErrorCode, Verdict>> = {
  AUTH_ERROR: "up",
  PERMISSION: "up",
  RATE_LIMIT: "unknown",
  TOKEN_RATE_LIMIT: "unknown",
  QUOTA_EXCEEDED: "up",
  CONNECTION_ERROR: "down",
  TIMEOUT: "down",
  INVALID_MODEL: "up",
  NOT_FOUND: "up",
  CHAIN_NOT_FOUND: "up",
  CONTEXT_LENGTH_EXCEEDED: "up",
  INVALID_SCHEMA: "up",
  INVALID_ENCRYPTED_CONTENT: "up",
  CONTENT_POLICY: "up",
  BAD_REQUEST: "up",
  SERVER_OVERLOADED: "down",
  SERVER_ERROR: "down",
  TRUNCATED: "down",
  INVALID_OUTPUT: "up",
  PROTOCOL: "down",
  ABORTED: "unknown",
  UNSUPPORTED: "unknown",
};

/**
 * Middleware that stops calling a model after several failures in a row. Calls then fail with `SERVER_OVERLOADED` for
 * a while. Each model that is wrapped has a breaker of its own; its `state` is a value.
 *
 * @example
 * const model = circuitBreaker({ failures: 3 })(connect(provider("openai")));
 * const respond = fallback([connect(provider("anthropic"))])(model); // turns to the other while model.state is "open"
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): (next: Respond) => BreakerModel {
  checkOptions("circuitBreaker", options, breakerRules);
  return (next) => {
    const breaker = new Breaker(options);
    const respond: Respond = (request, call) =>
      fromBatches(() => {
        let trial = false;
        let admitted = false;
        let heard = false;
        return new Passage({
          open: () => {
            trial = breaker.enter();
            admitted = true;
            return batchesOf(next(request, call));
          },
          batch: () => {
            heard = true;
          },
          ended: (ending) => {
            if (admitted) breaker.leave(trial, ending, heard);
          },
        });
      });
    // The property that is defined here is all that the type adds.
    return Object.defineProperty(respond, "state", { get: () => breaker.state }) as BreakerModel;
  };
}

class Breaker {
  readonly #failures: number;
  readonly #cooldown: number;
  readonly #halfOpen: number;
  readonly #now: () => number;
  #inRow = 0;
  #openUntil: number | undefined;
  #trials = 0;
  #last: AntiphonError | undefined;

  constructor({ failures = 5, cooldown = 60_000, halfOpen = 1, now = () => performance.now() }: CircuitBreakerOptions) {
    this.#failures = failures;
    this.#cooldown = cooldown;
    this.#halfOpen = halfOpen;
    this.#now = now;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return this.#now() < this.#openUntil ? "open" : "half_open";
  }

  /** Lets a call through, and says whether it is a trial; throws where it may not pass. */
  enter(): boolean {
    const { state } = this;
    if (state === "closed") return false;
    if (state === "open" || this.#trials >= this.#halfOpen) throw this.#refusal();
    this.#trials += 1;
    return true;
  }

  leave(trial: boolean, { response, error, left }: Ending, heard: boolean): void {
    if (trial) this.#trials -= 1;
    const failure = error ?? (response?.status === "failed" ? errorOf(response) : undefined);
    const verdict: Verdict = failure ? verdicts[failure.code] : left && !heard ? "unknown" : "up";
    // A call that began before the breaker opened tells how things were, not how they are.
    if (verdict === "unknown" || (!trial && this.#openUntil !== undefined)) return;
    if (verdict === "up") this.#close();
    else this.#fail(failure);
  }

  #close(): void {
    this.#inRow = 0;
    this.#openUntil = undefined;
  }

  #fail(error: AntiphonError | undefined): void {
    this.#inRow += 1;
    this.#last = error;
    if (this.#openUntil !== undefined || this.#inRow >= this.#failures) this.#openUntil = this.#now() + this.#cooldown;
  }

  #refusal(): AntiphonError {
    const wait = Math.max(0, Math.ceil((this.#openUntil ?? 0) - this.#now()));
    const when =
      wait > 0 ? `the circuit stays open for another ${wait} ms` : "the circuit stays open until the current trial call succeeds";
    const last = this.#last ? ` (the last with ${this.#last.code})` : "";
    const message = `The last ${this.#inRow} calls failed${last}, so ${when}.`;
    return new AntiphonError("SERVER_OVERLOADED", message, { cause: this.#last, ...(wait > 0 ? { retryAfter: wait } : {}) });
  }
}

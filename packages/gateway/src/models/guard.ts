import {
  AntiphonError,
  batchesOf,
  fromBatches,
  isTerminal,
  outcome,
  type ErrorCode,
  type Respond,
  type ResponseEvent,
} from "antiphon";
import { circuitBreaker, type BreakerModel } from "antiphon/middleware";

/** Failures in a row after which a model is passed over, and for how long, in milliseconds. */
const failures = 3;
const cooldown = 30_000;

/** After one of these a server is passed over at once: until the moment that it names, or for a while. */
const limits: ReadonlySet<ErrorCode> = new Set(["RATE_LIMIT", "TOKEN_RATE_LIMIT", "QUOTA_EXCEEDED"]);
const shortestRest = 1_000;
const usualRest = 10_000;
const longestRest = 5 * 60_000;

/** Knows whether a model is worth asking: not after failures in a row, nor while it is at its limits. */
export class Guard {
  readonly respond: Respond;
  readonly #breaker: BreakerModel;
  readonly #clock: () => number;
  #restsUntil = -Infinity;

  /** @param clock Milliseconds since whenever. */
  constructor(next: Respond, clock: () => number) {
    this.#clock = clock;
    this.#breaker = circuitBreaker({ failures, cooldown, now: clock })(next);
    this.respond = noting(this.#breaker, (error) => this.#note(error));
  }

  /** Whether somebody else should be asked. */
  get resting(): boolean {
    return this.#breaker.state === "open" || this.#clock() < this.#restsUntil;
  }

  #note({ code, retryAfter = usualRest }: AntiphonError): void {
    if (limits.has(code)) this.#restsUntil = this.#clock() + Math.min(longestRest, Math.max(shortestRest, retryAfter));
  }
}

/** Tells of the error of an answer that fails before it has said anything; what comes later is passed on as it is. */
const noting =
  (next: Respond, note: (error: AntiphonError) => void): Respond =>
  (request, call) =>
    fromBatches(() => {
      const inner = batchesOf(next(request, call));
      let begun = false;
      const first = async (): Promise<IteratorResult<ResponseEvent[]>> => {
        try {
          const result = await inner.next();
          const events: readonly ResponseEvent[] = result.done ? [] : result.value;
          begun = events.some((event) => !isPreliminary(event));
          const terminal = events.find(isTerminal);
          const end = terminal && outcome(terminal.response);
          if (end && "error" in end) note(end.error);
          return result;
        } catch (thrown) {
          if (thrown instanceof AntiphonError) note(thrown);
          throw thrown;
        }
      };
      return {
        next: () => (begun ? inner.next() : first()),
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    });

const preliminary: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);
const isPreliminary = ({ type }: ResponseEvent): boolean => preliminary.has(type) || type.includes(":");

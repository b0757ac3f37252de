const minute = 60_000;

/**
 * What a limit per minute leaves: it holds a minute's worth at most, and refills evenly. What is taken may be more than there is, since
 * tokens are counted when they are spent: the debt is waited for, so that the average holds. Levels count in parts of a minute, whole
 * numbers throughout: nothing is lost to rounding.
 */
export class Bucket {
  readonly limit: number;
  #level: number;
  #at: number;

  constructor(limit: number, now: number) {
    this.limit = limit;
    this.#level = limit * minute;
    this.#at = now;
  }

  take(amount: number, now: number): void {
    this.#refill(now);
    this.#level -= amount * minute;
  }

  left(now: number): number {
    this.#refill(now);
    return Math.max(0, Math.floor(this.#level / minute));
  }

  /** Milliseconds until there is one. */
  untilOne(now: number): number {
    return this.#until(minute, now);
  }

  /** Milliseconds until there are all. */
  untilFull(now: number): number {
    return this.#until(this.limit * minute, now);
  }

  #until(level: number, now: number): number {
    this.#refill(now);
    return Math.max(0, Math.ceil((level - this.#level) / this.limit));
  }

  #refill(now: number): void {
    // A clock that was set back neither gives nor takes.
    const elapsed = Math.max(0, now - this.#at);
    this.#level = Math.min(this.limit * minute, this.#level + elapsed * this.limit);
    this.#at = now;
  }
}

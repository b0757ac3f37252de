/** One who is told again and again, unless something else was told meanwhile. */
export interface Pulse {
  /** Whether something was told since the last beat. */
  told: boolean;
  beat(): void;
}

/**
 * Lets streams that have nothing to say tell that they are there: proxies close connections that are silent, and models think for
 * minutes. One timer for all, which runs while there are any.
 */
export class Heartbeat {
  readonly #every: number;
  readonly #pulses = new Set<Pulse>();
  #timer: NodeJS.Timeout | undefined;

  /** In milliseconds; with `0` there is none. */
  constructor(every: number) {
    this.#every = every;
  }

  start(beat: () => void): Pulse {
    const pulse = { told: true, beat };
    this.#pulses.add(pulse);
    if (this.#every > 0) this.#timer ??= setInterval(() => this.#beat(), this.#every).unref();
    return pulse;
  }

  stop(pulse: Pulse): void {
    this.#pulses.delete(pulse);
  }

  #beat(): void {
    for (const pulse of this.#pulses) {
      if (!pulse.told) pulse.beat();
      pulse.told = false;
    }
    if (this.#pulses.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

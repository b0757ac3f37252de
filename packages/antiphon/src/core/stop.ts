import { checkArgument, isSignal } from "./options.ts";

/** As much of an `AbortSignal` as a call listens to. A real one is dear to make on some runtimes, and every call needs one. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A stop signal and the method that triggers it. */
export class Stop implements StopSignal {
  #aborted = false;
  #reason: unknown;
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    const place = this.#listeners.indexOf(listener);
    if (place !== -1) this.#listeners.splice(place, 1);
  }

  /** Tells all who listen; only the first time counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/**
 * Returns a real `AbortSignal` for a `StopSignal`, for APIs that require one.
 *
 * @example
 * const transport: Transport = ({ url, signal }) => send(url, { signal: abortSignal(signal) });
 */
export function abortSignal(signal: StopSignal): AbortSignal;
export function abortSignal(signal: StopSignal | undefined): AbortSignal | undefined;
export function abortSignal(signal: StopSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  checkArgument("abortSignal", "a signal", isSignal(signal), signal);
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener("abort", () => controller.abort(signal.reason));
  return controller.signal;
}

import type { ClaimedRun } from "../store/store.ts";
import type { BackgroundRun } from "./background-run.ts";
import type { RunContext } from "./run-context.ts";

/** How long the store may take to keep the ends of runs that are broken off, in milliseconds. */
const lastPatience = 5_000;

/** Takes runs that wait, as many at once as this process may, and those that others have left behind. */
export class RunQueue {
  readonly #context: RunContext;
  readonly #start: (claimed: ClaimedRun) => BackgroundRun;
  readonly #poll: number;
  /** The runs that are at work here, by id. */
  readonly running = new Map<string, BackgroundRun>();
  #claiming: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: RunContext, start: (claimed: ClaimedRun) => BackgroundRun, poll: number) {
    this.#context = context;
    this.#start = start;
    this.#poll = poll;
    this.#pollLater();
  }

  /** There may be something to do. */
  wake(): void {
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again && !this.#closed) this.wake();
    });
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#claiming;
    const runs = [...this.running.values()];
    await Promise.all(runs.map((run) => this.#safely(run.park())));
    await Promise.race([Promise.all(runs.map((run) => run.done)), fired(signal)]);
    const interrupted = Promise.all(runs.map((run) => this.#safely(run.interrupt())));
    // A store that does not answer leaves the rest to the leases.
    await Promise.race([interrupted, fired(AbortSignal.timeout(lastPatience))]);
  }

  // Not all gateways at the same moment.
  #pollLater(): void {
    const later = this.#poll * (0.5 + Math.random());
    this.#timer = setTimeout(() => {
      this.wake();
      this.#pollLater();
    }, later).unref();
  }

  async #claimAll(): Promise<void> {
    const { store, leases, limits, telemetry } = this.#context;
    try {
      while (this.#again) {
        this.#again = false;
        while (!this.#closed && this.running.size < limits.maxBackground) {
          const claimed = await store.claimRun(leases.holder);
          if (!claimed) break;
          this.#take(claimed);
        }
      }
    } catch (thrown) {
      this.#again = false;
      telemetry.log({ level: "error", message: "cannot claim runs; retrying", error: String(thrown) });
    }
  }

  #take(claimed: ClaimedRun): void {
    const { id } = claimed.response;
    // A run of this very process whose lease had run out, because the store or the process stood still: it has a new one now.
    if (this.running.has(id) || this.#context.leases.holds(id)) return;
    const run = this.#start(claimed);
    this.running.set(id, run);
    void run.done.finally(() => {
      this.running.delete(id);
      this.wake();
    });
  }

  async #safely(work: Promise<void>): Promise<void> {
    await work.catch((thrown: unknown) => {
      this.#context.telemetry.log({ level: "error", message: "cannot return a run to the queue", error: String(thrown) });
    });
  }
}

const fired = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

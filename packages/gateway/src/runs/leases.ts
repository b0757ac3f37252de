import type { Holder, Store } from "../store/store.ts";
import { Table } from "./table.ts";

/** Milliseconds after which another gateway takes over the runs of one that has died. */
export const defaultLease = 15_000;
/** How soon runs are looked after where something may have changed. */
const soon = 1_000;

/** What to do when a run was taken away, or is gone. */
type Lost = () => void;

/** The runs that this process holds: their leases are prolonged while it lives, all in one go. */
export class Leases {
  readonly #store: Pick<Store, "renewLeases">;
  readonly holder: Holder;
  readonly #held = new Table<Lost>();
  #every: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #renewing = false;

  constructor(store: Pick<Store, "renewLeases">, worker: string, leaseMs = defaultLease) {
    this.#store = store;
    this.holder = { worker, leaseMs };
  }

  /** Whether a run is held here, as far as is known. */
  holds(id: string): boolean {
    return this.#held.get(id) !== undefined;
  }

  /** Looks after a run that the store has given to this worker. */
  hold(id: string, lost: Lost): void {
    this.#held.set(id, lost);
    this.#every ??= setInterval(() => void this.#renew(), this.holder.leaseMs / 3).unref();
  }

  release(id: string): void {
    this.#held.delete(id);
  }

  /** Somebody changed something: looks in a moment whether the runs are still held, once for all who say so until then. */
  check(): void {
    if (this.#held.size > 0) this.#soon ??= setTimeout(() => void this.#renew(), soon).unref();
  }

  /** Where runs come one after the other, a timer for each would cost more than one that finds nothing to do. */
  #rest(): void {
    clearInterval(this.#every);
    this.#every = undefined;
  }

  async #renew(): Promise<void> {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (this.#held.size === 0) return this.#rest();
    // A store that is so slow is not asked twice at the same time.
    if (this.#renewing) return;
    this.#renewing = true;
    const held = this.#held.entries();
    const ids = held.map(([id]) => id);
    // A store that fails now may answer the next time; a lease lasts for three.
    const kept = await this.#store.renewLeases(ids, this.holder).catch(() => ids);
    this.#renewing = false;
    const still = new Set(kept);
    for (const [id, lost] of held) {
      // What was released meanwhile, and maybe taken again, is not what was asked about.
      if (still.has(id) || this.#held.get(id) !== lost) continue;
      this.release(id);
      lost();
    }
  }
}

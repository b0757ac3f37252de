import type { Store } from "../store/store.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** What one key has spent, as far as this process knows. */
export interface Account {
  readonly id: string;
  /** What the store knew when it was last asked. It only grows: an answer that comes late never takes anything back. */
  kept: number;
  /** What is not written yet, and what is being written. */
  pending: number;
  sending: number;
}

export const accountOf = (id: string, kept: number): Account => ({ id, kept, pending: 0, sending: 0 });

/** While a sum is being written it may count twice, for as long as that takes; it never counts too little. */
export const spentBy = ({ kept, pending, sending }: Account): number => kept + pending + sending;

/** Writes down what keys spend: for all requests of a moment together, since every one alone would cost a transaction. */
export class Spending {
  readonly #store: Pick<Store, "addSpending">;
  readonly #interval: number;
  readonly #log: Telemetry["log"];
  readonly #unwritten = new Set<Account>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, "addSpending">, interval: number, log: Telemetry["log"]) {
    this.#store = store;
    this.#interval = interval;
    this.#log = log;
  }

  add(account: Account, dollars: number): void {
    account.pending += dollars;
    this.#unwritten.add(account);
    this.#schedule();
  }

  /** Resolves when all that was added is written; rejects where the store fails, and keeps it for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    return written;
  }

  #schedule(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.flush().catch((error: unknown) => {
        this.#log({ level: "error", message: "cannot store spending; retrying", error: String(error) });
        this.#schedule();
      });
    }, this.#interval);
    // What keeps the process alive is the server; whoever ends it flushes.
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const accounts = [...this.#unwritten];
    this.#unwritten.clear();
    const results = await Promise.allSettled(accounts.map((account) => this.#writeOne(account)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #writeOne(account: Account): Promise<void> {
    account.sending = account.pending;
    account.pending = 0;
    try {
      const sum = await this.#store.addSpending(account.id, account.sending);
      account.kept = Math.max(account.kept, sum ?? 0);
    } catch (error) {
      account.pending += account.sending;
      this.#unwritten.add(account);
      throw error;
    } finally {
      account.sending = 0;
    }
  }
}

import { AntiphonError } from "antiphon";
import { storeClosed, storeFailed } from "../failures.ts";
import type { Database, Statement } from "./open-database.ts";

interface Job {
  work(): unknown;
  isOne: boolean;
  resolve(value: unknown): void;
  reject(reason: AntiphonError): void;
}

/**
 * Puts the writes of a turn of the event loop into one transaction: one for each of them costs about twice as much, and many times as
 * much where each waits for the disk. A write that refuses throws an `AntiphonError` before it has changed anything, and then
 * concerns nobody else; any other failure undoes the whole transaction, and all who take part in it are told.
 */
export class Transactions {
  readonly #begin: Statement<unknown>;
  readonly #commit: Statement<unknown>;
  readonly #database: Database;
  #jobs: Job[] = [];
  #isDue = false;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  /** Reads at once what is committed. */
  async read<Result>(work: () => Result): Promise<Result> {
    if (this.#closed) throw storeClosed();
    try {
      return work();
    } catch (thrown) {
      throw storeFailed(thrown);
    }
  }

  /**
   * Does some work in the next transaction; resolves when that is committed.
   *
   * @param isOne Whether it is one statement at the most: where it comes alone, that statement is the transaction.
   */
  write<Result>(work: () => Result, isOne = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(storeClosed());
      this.#schedule();
      this.#jobs.push({ work, isOne, resolve, reject });
    });
  }

  /** What else comes in this turn comes along; and what is asked of a model in it leaves first. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#flush());
  }

  /** Finishes what was asked for, and refuses all else. */
  close(): void {
    this.#flush();
    this.#closed = true;
  }

  #flush(): void {
    this.#isDue = false;
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    const isOne = jobs.length === 1 && jobs[0]!.isOne;
    const settled: (() => void)[] = [];
    try {
      if (!isOne) this.#begin.run();
      for (const job of jobs) settled.push(attempt(job));
      if (!isOne) this.#commit.run();
    } catch (thrown) {
      this.#rollBack();
      const failure = storeFailed(thrown);
      for (const { reject } of jobs) reject(failure);
      return;
    }
    for (const settle of settled) settle();
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // There is nothing to undo where the transaction did not begin, or the database undid it itself.
    }
  }
}

/** Does a job and gives what is to be said about it once it is committed. */
function attempt({ work, resolve, reject }: Job): () => void {
  try {
    const result = work();
    return () => resolve(result);
  } catch (thrown) {
    if (!(thrown instanceof AntiphonError)) throw thrown;
    return () => reject(thrown);
  }
}

import { AntiphonError } from "antiphon";
import { storeClosed, storeFailed } from "../failures.ts";
import type { Ahead } from "./ahead.ts";
import type { Database, Statement } from "./open-database.ts";

/** Work that may also be done ahead of the database. */
export interface AheadWork<Result> {
  /** Gathers it; `false` where it has to go into the database, as if nothing had been gathered. */
  gather(ahead: Ahead): boolean;
  result: Result;
}

interface WriteOptions<Result> {
  /** Whether it is one statement at the most: where it comes alone, that statement is the transaction. */
  isOne?: boolean;
  ahead?: AheadWork<Result> | undefined;
}

interface Job extends WriteOptions<unknown> {
  work(): unknown;
  resolve(value: unknown): void;
  reject(reason: AntiphonError): void;
}

/** How long what was written ahead waits for more, and after a failure for better times. */
const waits = { more: 20, again: 1_000 };

/**
 * Puts the writes of a turn of the event loop into one transaction: one for each of them costs about twice as much, and many times as
 * much where each waits for the disk. A write that refuses throws an `AntiphonError` before it has changed anything, and then
 * concerns nobody else; any other failure undoes the whole transaction, and all who take part in it are told.
 *
 * A turn whose writes can all be made ahead of the database is one write to a file instead. What is there comes into the database
 * before anything else is done with it, and a moment later anyway.
 */
export class Transactions {
  readonly #begin: Statement<unknown>;
  readonly #commit: Statement<unknown>;
  readonly #database: Database;
  #jobs: Job[] = [];
  #isDue = false;
  #closed = false;
  #moving: ReturnType<typeof setTimeout> | undefined;
  /** Where writes go ahead of the database, while they do. */
  ahead: Ahead | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
  }

  /** Reads at once what is acknowledged. */
  async read<Result>(work: () => Result): Promise<Result> {
    if (this.#closed) throw storeClosed();
    try {
      this.#makeWay();
      return work();
    } catch (thrown) {
      throw storeFailed(thrown);
    }
  }

  /** Does some work in the next transaction, or ahead of it; resolves when that is written. */
  write<Result>(work: () => Result, options: WriteOptions<Result> = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(storeClosed());
      this.#schedule();
      this.#jobs.push({ work, isOne: options.isOne ?? false, ahead: options.ahead, resolve, reject });
    });
  }

  /** Moves what was written ahead into the database. Where that fails, it stays where it is, as safe as before. */
  move(): void {
    const { ahead } = this;
    if (!ahead || ahead.pending === 0) return;
    if (ahead.pending > 1) return this.run(() => {});
    // One statement is a transaction by itself.
    ahead.put();
    ahead.moved();
  }

  /** Does some work at once, in a transaction of its own that begins with what was written ahead. */
  run<Result>(work: () => Result): Result {
    try {
      this.#begin.run();
      this.ahead?.put();
      const result = work();
      this.#commit.run();
      this.ahead?.moved();
      return result;
    } catch (thrown) {
      this.#rollBack();
      throw thrown;
    }
  }

  /** Finishes what was asked for, and refuses all else. */
  close(): void {
    this.#flush();
    clearTimeout(this.#moving);
    this.#closed = true;
  }

  /** Moves it because something else is to be done now. */
  #makeWay(): void {
    if (!this.ahead?.pending) return;
    this.ahead.hurry();
    this.move();
  }

  /** What else comes in this turn comes along; and what is asked of a model in it leaves first. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isDue = false;
    const jobs = this.#jobs;
    if (jobs.length === 0) return;
    this.#jobs = [];
    try {
      const settled = this.#writeAhead(jobs) ?? this.#commitAll(jobs);
      for (const settle of settled) settle();
    } catch (thrown) {
      const failure = storeFailed(thrown);
      for (const { reject } of jobs) reject(failure);
    }
  }

  #commitAll(jobs: readonly Job[]): (() => void)[] {
    const isOne = jobs.length === 1 && jobs[0]!.isOne && !this.ahead?.pending;
    const attempts = (): (() => void)[] => jobs.map(attempt);
    if (isOne) return attempts();
    this.ahead?.hurry();
    return this.run(attempts);
  }

  /** Writes jobs ahead of the database; nothing where one of them cannot go there. */
  #writeAhead(jobs: readonly Job[]): (() => void)[] | undefined {
    const { ahead } = this;
    if (!ahead || !jobs.every((job) => job.ahead) || !ahead.takesTurn()) return undefined;
    const settled: (() => void)[] = [];
    try {
      for (const job of jobs) {
        const settle = gathered(job, ahead);
        if (!settle) return undefined;
        settled.push(settle);
      }
      ahead.write();
    } finally {
      ahead.drop();
    }
    this.#moveIn(waits.more);
    return settled;
  }

  /** Nobody is there to be told of a failure: it comes again with whatever is done next. */
  #moveIn(delay: number): void {
    this.#moving ??= setTimeout(() => {
      this.#moving = undefined;
      try {
        this.move();
      } catch {
        this.#moveIn(waits.again);
      }
    }, delay).unref();
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

/** The same ahead of the database; nothing where the job cannot go there. */
function gathered({ ahead: work, resolve, reject }: Job, ahead: Ahead): (() => void) | undefined {
  try {
    return work?.gather(ahead) ? () => resolve(work.result) : undefined;
  } catch (thrown) {
    if (!(thrown instanceof AntiphonError)) throw thrown;
    return () => reject(thrown);
  }
}

import { statSync, utimesSync } from "node:fs";
import { lengthOf } from "./ahead-file.ts";
import { connectTo, makeFile, type Database, type Statement } from "./open-database.ts";

const busy = 5;

/** Whether another process has the lock. `@photostructure/sqlite` reports no code for an error in an iterator. */
const isBusy = (thrown: unknown): boolean =>
  (thrown as { errcode?: unknown }).errcode === busy || (thrown as { message?: unknown }).message === "database is locked";

/**
 * Whether a process is alone with a database, or shares it. It is a lock of SQLite on a file of its own, so that the kernel lets
 * go of it when a process dies. Who wants in while another is alone touches the file; that leaves nothing behind, and needs no lock.
 */
export class Lock {
  readonly #path: string;
  readonly #database: Database;
  #reader: Statement<object> | undefined;
  #reading: Iterator<object> | undefined;
  #isAlone = false;
  #touched = 0;

  constructor(path: string) {
    // Never opened otherwise: whoever closes a file lets go of all locks that its process has on it.
    makeFile(path);
    this.#path = path;
    this.#database = connectTo(path);
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Locks out everybody else; `false` where somebody is there. */
  tryAlone(): boolean {
    this.#isAlone = this.#try(() => {
      // Without a journal beside the file, since what begins a transaction on an empty one would make it.
      this.#database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      // What has a page already has nothing to write, and so nothing to fail, when it is shared.
      if (lengthOf(this.#path) === 0) this.#database.exec("PRAGMA user_version = 1; COMMIT; BEGIN EXCLUSIVE");
    });
    if (this.#isAlone) this.#touched = this.#touch();
    return this.#isAlone;
  }

  /** Keeps others from being alone; `false` where somebody is. */
  tryShare(): boolean {
    return this.#try(() => this.#read());
  }

  /** Lets others in, and stays: nobody can be alone in between, since reading begins before writing ends. */
  share(): void {
    this.#read();
    this.#database.exec("COMMIT");
    this.#isAlone = false;
  }

  /** Asks who is alone to let others in. */
  want(): void {
    const now = new Date();
    utimesSync(this.#path, now, now);
  }

  /** Whether somebody has asked since this process is alone. */
  get isWanted(): boolean {
    return this.#touch() !== this.#touched;
  }

  /** Stops sharing. */
  leave(): void {
    this.#reading?.return?.();
    this.#reading = undefined;
  }

  close(): void {
    this.leave();
    this.#database.close();
  }

  #touch(): number {
    return statSync(this.#path).mtimeMs;
  }

  /** Begins to read and does not end: a lock lasts as long as there is a row to come. */
  #read(): void {
    this.#reader ??= this.#database.prepare<object>(
      "SELECT row FROM (SELECT 1 AS row UNION ALL SELECT 2), (SELECT count(*) FROM sqlite_schema)",
    );
    this.#reading = this.#reader.iterate();
    this.#reading.next();
  }

  #try(take: () => void): boolean {
    try {
      take();
      return true;
    } catch (thrown) {
      this.leave();
      if (isBusy(thrown)) return false;
      throw thrown;
    }
  }
}

import { realpathSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { AheadFile, lengthOf } from "./ahead-file.ts";
import { Ahead } from "./ahead.ts";
import type { Engine } from "./engine.ts";
import { Lock } from "./lock.ts";

export interface PlaceOptions {
  /** Whether to write ahead of the database while nobody else is there. */
  writesAhead: boolean;
  /** How long to wait for another process to let this one in. */
  waitMs: number;
  /** How often to look whether another wants in. */
  pollMs: number;
}

/**
 * Takes a place among those who use a database; gives the way to leave it. The first is alone, and may write ahead of the database.
 * When another comes it stops that for good, and only then the other begins: so what was acknowledged is in the database whenever
 * there are two. What a process left that died alone is put into the database by the next one before anybody else is let in.
 */
export async function takePlace(
  { database, transactions }: Pick<Engine, "database" | "transactions">,
  path: string,
  { writesAhead, waitMs, pollMs }: PlaceOptions,
): Promise<() => void> {
  // As SQLite does with its own files, so that all who come by other names meet here.
  const file = realpathSync(path);
  const lock = new Lock(`${file}-lock`);
  let leave = (): void => lock.close();
  try {
    await join(lock, `${file}-ahead`, waitMs);
    if (!lock.isAlone) return leave;
    const place = new Alone(lock, new Ahead(database, new AheadFile(`${file}-ahead`)), transactions);
    leave = () => place.leave();
    place.recover();
    if (writesAhead) place.look(pollMs);
    else place.share();
    return leave;
  } catch (thrown) {
    leave();
    throw thrown;
  }
}

/** Waits until this process is alone, or shares with others. */
async function join(lock: Lock, ahead: string, waitMs: number): Promise<void> {
  const end = Date.now() + waitMs;
  while (!lock.tryAlone()) {
    if (lock.tryShare()) {
      // Who died alone in this very moment may have left something, which takes somebody who is alone.
      if (lengthOf(ahead) === 0) return;
      lock.leave();
    }
    if (Date.now() > end) throw new Error("another process has exclusive access to the database and does not respond");
    lock.want();
    // Not all at the same time, so that one of many is alone some time.
    await setTimeout(5 + Math.random() * 10);
  }
}

/** A process that has a database to itself, until another comes. */
class Alone {
  readonly #lock: Lock;
  readonly #ahead: Ahead;
  readonly #transactions: Engine["transactions"];
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(lock: Lock, ahead: Ahead, transactions: Engine["transactions"]) {
    this.#lock = lock;
    this.#ahead = ahead;
    this.#transactions = transactions;
  }

  /** Puts into the database what another left, and begins. */
  recover(): void {
    this.#transactions.ahead = this.#ahead;
    if (!this.#ahead.isEmpty) this.#transactions.run(() => this.#ahead.recover());
    this.#ahead.start();
  }

  /** Looks now and then whether somebody else wants in. */
  look(pollMs: number): void {
    this.#looking = setInterval(() => {
      try {
        if (this.#lock.isWanted) this.share();
      } catch {
        // Tried again the next time; who wants in waits for that, or gives up.
      }
    }, pollMs).unref();
  }

  /** Lets others in, for good. */
  share(): void {
    this.#transactions.move();
    // What could not be taken out of the file would be put into the database once more, whatever became of it there.
    if (!this.#ahead.isEmpty) return;
    this.#stop();
    this.#lock.share();
  }

  leave(): void {
    try {
      if (this.#lock.isAlone) this.#transactions.move();
    } finally {
      this.#stop();
      this.#lock.close();
    }
  }

  /** Writes ahead no more. What is in the file stays there for whoever is alone next. */
  #stop(): void {
    clearInterval(this.#looking);
    if (this.#transactions.ahead) this.#ahead.close();
    this.#transactions.ahead = undefined;
  }
}

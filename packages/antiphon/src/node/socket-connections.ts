import type { Socket } from "node:net";
import { ResponseParser, type ResponseSink } from "./response-parser.ts";
import type { SocketOpener } from "./socket-opener.ts";

/** What a connection carries: a request, and then its answer. */
export interface Carried extends ResponseSink {
  /** A connection is being opened for it. */
  onOpening(connection: Connection): void;
  /** The connection stands: now is the time to write. */
  onStanding(connection: Connection): void;
  /** The connection is gone, with the reason where there is one. */
  onGone(reason: Error | undefined): void;
}

/** One connection to a server, for one request at a time. Listeners are attached once, whatever it carries. */
export class Connection {
  readonly #pool: Connections;
  readonly #socket: Socket;
  readonly #parser = new ResponseParser();
  #carried: Carried | undefined;
  #reason: Error | undefined;
  #isPaused = false;
  /** Whether it has carried an answer before. */
  isUsed = false;
  /** When it is too old to be used again. */
  expires = 0;

  constructor(pool: Connections, opener: SocketOpener, carried: Carried) {
    this.#pool = pool;
    this.#carried = carried;
    this.#socket = opener.open((bytes) => this.#onData(bytes));
    this.#socket
      .once(opener.standing, () => this.carry(this.#carried!))
      .once("end", () => this.#onEnd())
      .on("error", (error) => (this.#reason ??= error))
      .once("close", () => this.#onClose());
  }

  /** Whether nothing came since the last request was written. */
  get isUntouched(): boolean {
    return this.#parser.isUntouched;
  }

  carry(carried: Carried): void {
    this.#carried = carried;
    this.#parser.begin(carried);
    if (this.isUsed) this.#socket.ref();
    carried.onStanding(this);
  }

  /** Sends a request in one piece; a text has a character for each byte. */
  write(message: string | Buffer): void {
    this.#socket.write(message, "latin1");
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** What it carried is over; it is kept for the next, for at most so many milliseconds. */
  keep(time: number): void {
    this.#carried = undefined;
    // A server that answers before it has read everything would take the rest of it for the next request.
    if (this.#socket.writableLength > 0 || this.#socket.destroyed) return this.close();
    this.isUsed = true;
    this.resume();
    // What nobody uses keeps no process alive.
    this.#socket.unref();
    this.#pool.give(this, time);
  }

  /** Gives it up, without a word to what it carries. */
  close(): void {
    this.#carried = undefined;
    this.#socket.destroy();
    this.#pool.forget(this);
  }

  #onData(bytes: Buffer): void {
    // What comes unasked is the answer to no request; whoever came next would take it for his.
    if (this.#carried) this.#parser.push(bytes);
    else this.close();
  }

  #onEnd(): void {
    if (this.#carried) this.#parser.end();
    // What it still carries is told once the socket is closed.
    if (this.#carried) this.#socket.destroy();
    else this.close();
  }

  #onClose(): void {
    const carried = this.#carried;
    this.close();
    carried?.onGone(this.#reason);
  }
}

/** How connections to a server are kept. */
export interface KeepOptions {
  /** How many there may be at once. */
  most: number;
  /** How many of them may wait for a request. */
  mostIdle: number;
  /** For how many milliseconds one may wait. */
  time: number;
}

/** The connections to one server. The one that was used last is used next, so that those which are too many come to rest. */
export class Connections {
  readonly #opener: SocketOpener;
  readonly #options: KeepOptions;
  readonly #sweeper: Sweeper;
  readonly #open = new Set<Connection>();
  #idle: Connection[] = [];
  #waiting: Carried[] = [];

  constructor(opener: SocketOpener, options: KeepOptions, sweeper: Sweeper) {
    this.#opener = opener;
    this.#options = options;
    this.#sweeper = sweeper;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** Finds a connection for a request: one that was kept, a new one, or the first that comes free. */
  carry(carried: Carried): void {
    const now = performance.now();
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      if (kept.expires > now) return kept.carry(carried);
      kept.close();
    }
    if (this.#open.size < this.#options.most) this.#openFor(carried);
    else this.#waiting.push(carried);
  }

  /** Takes back a connection that has done its work. */
  give(connection: Connection, time: number): void {
    const kept = Math.min(time, this.#options.time);
    const next = kept > 0 ? this.#waiting.shift() : undefined;
    if (next) return connection.carry(next);
    if (kept <= 0 || this.#idle.length >= this.#options.mostIdle) return connection.close();
    connection.expires = performance.now() + kept;
    this.#idle.push(connection);
    this.#sweeper.wake(this);
  }

  /** A request that waits for a connection waits no more. */
  leave(carried: Carried): void {
    const at = this.#waiting.indexOf(carried);
    if (at !== -1) this.#waiting.splice(at, 1);
  }

  /** A connection is closed. */
  forget(connection: Connection): void {
    if (!this.#open.delete(connection)) return;
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    const next = this.#waiting.shift();
    if (next) this.carry(next);
  }

  /** Closes what nobody uses: what was kept beside a dead connection is most likely as dead. */
  closeIdle(now = Number.POSITIVE_INFINITY): void {
    const idle = this.#idle;
    this.#idle = idle.filter(({ expires }) => expires > now);
    for (const connection of idle) if (connection.expires <= now) connection.close();
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  #openFor(carried: Carried): void {
    try {
      const connection = new Connection(this, this.#opener, carried);
      this.#open.add(connection);
      carried.onOpening(connection);
    } catch (thrown) {
      // A certificate that cannot be read, for one.
      carried.onGone(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }
}

/** How often those are closed that nobody used for too long. They are not used in between, so it need not be often. */
const sweepEvery = 1_000;

/** Closes what was kept for too long: one timer for all connections, and none while nothing is kept. */
export class Sweeper {
  readonly #pools = new Set<Connections>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A pool has a connection to look after. */
  wake(pool: Connections): void {
    this.#pools.add(pool);
    this.#timer ??= setTimeout(() => this.#sweep(), sweepEvery).unref();
  }

  #sweep(): void {
    const now = performance.now();
    for (const pool of this.#pools) {
      pool.closeIdle(now);
      if (!pool.hasIdle) this.#pools.delete(pool);
    }
    if (this.#pools.size > 0) this.#timer?.refresh();
    else this.#timer = undefined;
  }
}

import { abortError, AntiphonError } from "../core/error.ts";
import type { StopSignal } from "../core/stop.ts";
import type { SocketConnection } from "./websocket-connection.ts";

/** What a request wants of its connection. */
interface Want {
  /** The connection must have been opened with this. */
  key: string;
  /** The response that the request goes on from. */
  previous: string | undefined;
  /** Whether it must be a new one, since an old one was dead. */
  fresh: boolean;
  signal: StopSignal | undefined;
  open(): Promise<SocketConnection>;
}

interface PoolLimits {
  /** How many connections there may be at a time; further requests wait. */
  connections: number;
  /** Milliseconds after which a connection is not used any more: servers close old ones, in the middle of an answer if need be. */
  maxAge: number;
}

/** A connection of one's own until the answer is over. */
export interface Taken {
  connection: SocketConnection;
  /** Whether it was open already, so that it may turn out to be dead. */
  reused: boolean;
}

const remembered = 1_000;

/**
 * The open connections. A request that goes on from a response gets the connection that holds it; another one gets a connection
 * that holds nothing, so that conversations do not push each other's state out, as long as there are enough connections.
 */
export class SocketPool {
  readonly #limits: PoolLimits;
  readonly #connections = new Set<SocketConnection>();
  /** Responses that went with their connections, and are nowhere else. */
  readonly #lost = new Set<string>();
  #opening = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  /** Whether a request can go on from a response that no store has. */
  holds(id: string): boolean {
    return [...this.#connections].some(({ held }) => held?.id === id);
  }

  /** Gives a request its connection; waits while all are in use. */
  async take(want: Want): Promise<Taken> {
    for (;;) {
      if (want.signal?.aborted) throw abortError(want.signal.reason);
      this.#retire();
      const choice = this.#choose(want);
      if (choice === "open") return { connection: await this.#open(want), reused: false };
      if (choice) {
        choice.busy = true;
        return { connection: choice, reused: true };
      }
      await this.#change(want.signal);
    }
  }

  /** Closes all connections, used or not. */
  close(error: AntiphonError): void {
    for (const connection of this.#connections) connection.close(error);
  }

  #choose({ key, previous, fresh }: Want): SocketConnection | "open" | undefined {
    const holder = previous === undefined ? undefined : this.#holder(previous);
    if (holder?.key === key) {
      if (!holder.busy && !fresh) return holder;
      if (holder.made.has(previous!)) return undefined;
    }
    if (previous !== undefined && this.#lost.has(previous)) throw chainLost(previous);
    const idle = [...this.#connections].filter(({ busy }) => !busy).sort((a, b) => a.usedAt - b.usedAt);
    const usable = fresh ? [] : idle.filter((connection) => connection.key === key);
    const free = usable.findLast(holdsNothing);
    if (free) return free;
    if (this.#connections.size + this.#opening < this.#limits.connections) return "open";
    if (usable.length > 0 || idle.length === 0) return usable[0];
    idle[0]?.close();
    return "open";
  }

  async #open(want: Want): Promise<SocketConnection> {
    this.#opening += 1;
    try {
      const connection = await want.open();
      if (!connection.closed) this.#connections.add(connection);
      connection.onChange = () => this.#changed(connection);
      return connection;
    } finally {
      this.#opening -= 1;
      this.#wake();
    }
  }

  #holder(id: string): SocketConnection | undefined {
    for (const connection of this.#connections) if (connection.held?.id === id || connection.made.has(id)) return connection;
    return undefined;
  }

  #retire(): void {
    const oldest = performance.now() - this.#limits.maxAge;
    for (const connection of this.#connections) if (!connection.busy && connection.openedAt < oldest) connection.close();
  }

  #changed(connection: SocketConnection): void {
    if (connection.closed) {
      this.#connections.delete(connection);
      for (const id of connection.made) this.#lost.add(id);
      for (const oldest of this.#lost) if (this.#lost.size > remembered) this.#lost.delete(oldest);
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #change(signal: StopSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      signal?.addEventListener("abort", wake);
      this.#waiting.push(wake);
    });
  }
}

const holdsNothing = ({ held }: SocketConnection): boolean => held === undefined || held.stored;

/** What a server says of a chain that it does not know. */
function chainLost(id: string): AntiphonError {
  const message = `The connection with the response "${id}" is closed, and the response was not stored.`;
  return new AntiphonError("CHAIN_NOT_FOUND", message, {
    vendorCode: "previous_response_not_found",
    param: "previous_response_id",
  });
}

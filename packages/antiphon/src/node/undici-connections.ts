import type { Socket } from "node:net";
import type { AgentOptions } from "node:https";
import type { buildConnector, Client } from "undici";

/** What is used of the package. */
export interface Undici {
  Client: typeof Client;
  buildConnector: typeof buildConnector;
}

/** How connections are opened: shared by all, since it remembers TLS sessions. */
export const openerOf = ({ buildConnector }: Undici, agent: AgentOptions): buildConnector.connector =>
  buildConnector({ timeout: patience, ...agent });

/** How long an unused connection is kept; servers announce less, and then less is taken. */
const keepTime = 30_000;
/** A connection that nobody waits for any more is given up after this; callers have their own, shorter timeout. */
const patience = 30_000;

/** One connection to a server: a client that sends one request at a time, and opens another socket where its own was closed. */
export class Connection {
  readonly client: Client;
  #socket: Socket | undefined;
  #used = false;

  constructor({ Client }: Undici, origin: string, open: buildConnector.connector, keepAliveTimeout = keepTime) {
    this.client = new Client(origin, {
      keepAliveTimeout,
      // Whoever asks has timers of his own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, done) =>
        open(options, (...result) => {
          this.#socket = result[1] ?? undefined;
          this.#used = false;
          done(...result);
        }),
    });
  }

  /** Whether the socket has carried an answer before. */
  get isUsed(): boolean {
    return this.#used;
  }

  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  markUsed(): void {
    this.#used = true;
  }

  close(): void {
    this.client.destroy().catch(() => {});
  }
}

/** The connections to one server. The one that was used last is used next, so that those which are too many come to rest. */
export class Connections {
  readonly #open: () => Connection;
  #idle: Connection[] = [];

  constructor(open: () => Connection) {
    this.#open = open;
  }

  take(): Connection {
    return this.#idle.pop() ?? this.#opened();
  }

  give(connection: Connection): void {
    connection.markUsed();
    this.#idle.push(connection);
  }

  /** Closes what nobody uses: what was kept beside a dead connection is most likely as dead. */
  closeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const connection of idle) connection.close();
  }

  #opened(): Connection {
    const connection = this.#open();
    connection.client.on("disconnect", () => {
      const at = this.#idle.indexOf(connection);
      if (at === -1) return;
      this.#idle.splice(at, 1);
      connection.close();
    });
    return connection;
  }
}

import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Watchers } from "../watchers.ts";
import type { PostgresDatabase } from "./database.ts";

// PostgreSQL takes 8000 bytes at once.
const longestPayload = 7_900;
const firstWait = 100;
const longestWait = 5_000;

/**
 * Tells other gateways which responses changed, and the watchers here what others changed. Nothing is told inside the transaction that
 * makes the change: those that tell wait for each other. So a gateway that dies in between tells nobody, and watchers also look by
 * themselves from time to time.
 */
export class Notifications {
  readonly #database: PostgresDatabase;
  readonly #watchers: Watchers;
  readonly #channel: string;
  /** So that a gateway does not listen to itself. */
  readonly #self: string = randomUUID();
  readonly #tell: (channel: string, payload: string) => Promise<unknown>;
  readonly #changed = new Set<string>();
  #telling: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(database: PostgresDatabase, watchers: Watchers, channel: string) {
    this.#database = database;
    this.#watchers = watchers;
    this.#channel = channel;
    this.#tell = database.prepare("SELECT pg_notify($1, $2)");
  }

  /** Tells everybody, here at once and elsewhere soon, that a response changed. */
  changed(id: string): void {
    this.#watchers.tell(id);
    this.#changed.add(id);
    this.#telling ??= this.#tellAll();
  }

  /** Listens from now on. */
  listen(): void {
    if (!this.#client && !this.#retry && !this.#closed) void this.#connect(firstWait);
  }

  async close(): Promise<void> {
    await this.#telling;
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => {});
  }

  /** Tells what changed in as few words as possible: what changes meanwhile goes with the next. */
  async #tellAll(): Promise<void> {
    while (this.#changed.size > 0) {
      let payload = this.#self;
      for (const id of this.#changed) {
        const longer = `${payload}\n${id}`;
        if (Buffer.byteLength(longer) > longestPayload) break;
        payload = longer;
        this.#changed.delete(id);
      }
      await this.#tell(this.#channel, payload).catch(() => {});
    }
    this.#telling = undefined;
  }

  async #connect(wait: number): Promise<void> {
    const client = this.#database.newClient();
    this.#client = client;
    let nextWait = Math.min(wait * 2, longestWait);
    const again = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      client.end().catch(() => {});
      if (!this.#closed) this.#retry = setTimeout(() => this.#reconnect(nextWait), wait).unref();
    };
    client.on("error", again);
    client.on("end", again);
    client.on("notification", ({ payload }) => this.#hear(payload ?? ""));
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#database.quoted(this.#channel)}`);
      nextWait = wait = firstWait;
      // What was told before this moment is lost.
      this.#watchers.tellAll();
    } catch {
      again();
    }
  }

  #reconnect(wait: number): void {
    this.#retry = undefined;
    void this.#connect(wait);
  }

  #hear(payload: string): void {
    const [from, ...ids] = payload.split("\n");
    if (from !== this.#self) for (const id of ids) this.#watchers.tell(id);
  }
}

import type { Heartbeat } from "./http/heartbeat.ts";
import type { Gatekeeper } from "./keys/gatekeeper.ts";
import type { Limits } from "./limits.ts";
import type { Models } from "./models/models.ts";
import type { Background } from "./runs/background.ts";
import type { Leases } from "./runs/leases.ts";
import type { Live } from "./runs/live.ts";
import type { Recent } from "./runs/recent.ts";
import type { Table } from "./runs/table.ts";
import type { UrlGuard } from "./security/url-guard.ts";
import type { Store } from "./store/store.ts";
import type { Metrics } from "./telemetry/metrics/metrics.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** All that routes share. */
export interface Context {
  store: Store;
  models: Models;
  limits: Limits;
  gatekeeper: Gatekeeper;
  telemetry: Telemetry;
  metrics: Metrics | undefined;
  urlGuard: UrlGuard;
  /** The headers of clients that go upstream. */
  passedOn: readonly string[];
  /** The responses that run in this process, by id. */
  live: Table<Live>;
  /** Streams that have just ended, for those who lost the connection near the end. */
  recent: Recent;
  /** For streams that have nothing to say. */
  heartbeat: Heartbeat;
  /** Who this process is to the others on the same store. */
  worker: string;
  leases: Leases;
  background: Background;
  /** Answers that are being streamed. */
  streams: number;
  /** Whether the gateway is closing. */
  draining: boolean;
  /** Whether there is any key that a client must show. */
  hasKeys(): Promise<boolean>;
  /** Lets go of all that was opened. */
  release(): Promise<void>;
  newId(prefix: string): string;
  /** Seconds since 1970. */
  now(): number;
}

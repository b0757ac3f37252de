import type { Limits } from "./limits.ts";
import type { ModelsConfig } from "./models/models-config.ts";
import type { Models } from "./models/models.ts";
import type { RunOptions } from "./runs/background-runs.ts";
import type { Retention } from "./runs/retention.ts";
import type { CorsOptions } from "./security/cors.ts";
import type { UrlGuardOptions } from "./security/url-guard.ts";
import type { Store } from "./store/store.ts";
import type { TelemetryConfig } from "./telemetry/telemetry-config.ts";

/** What may be said about a gateway; everything has a default. */
export interface GatewayConfig extends ModelsConfig {
  /** `memory`, the path of an SQLite file, a `postgres://` URL, or a store; `memory` where nothing is said. */
  store?: string | Store;
  /** The models themselves, instead of a description. */
  catalogue?: Models;
  limits?: Partial<Limits>;
  /** Web pages that may ask; none where nothing is said. */
  cors?: CorsOptions;
  /** Names by which a gateway without keys may be asked beside those of this machine; `*` for any. */
  hosts?: readonly string[];
  /** URLs in requests that would otherwise be refused. */
  urls?: UrlGuardOptions;
  /** Headers of clients that go upstream, beside those by which a request is found again. */
  passedOn?: readonly string[];
  telemetry?: TelemetryConfig;
  runs?: RunOptions;
  /** How long things are kept; for ever where nothing is said. */
  retention?: Retention;
}

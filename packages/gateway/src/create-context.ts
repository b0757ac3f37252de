import { newId } from "antiphon";
import { createSocketTransport } from "antiphon/node";
import type { GatewayConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { Heartbeat } from "./http/heartbeat.ts";
import { via } from "./http/own-calls.ts";
import { createGatekeeper } from "./keys/create-gatekeeper.ts";
import { defaultLimits } from "./limits.ts";
import { configuredModels } from "./models/configured-models.ts";
import { backgroundRuns } from "./runs/background-runs.ts";
import { Leases } from "./runs/leases.ts";
import type { Live } from "./runs/live.ts";
import { Recent } from "./runs/recent.ts";
import { startPruning } from "./runs/retention.ts";
import { Table } from "./runs/table.ts";
import { cors } from "./security/cors.ts";
import { passedOnWith } from "./security/upstream-headers.ts";
import { UrlGuard } from "./security/url-guard.ts";
import { openStore } from "./store/open-store.ts";
import type { Store } from "./store/store.ts";
import type { Metrics } from "./telemetry/metrics/metrics.ts";
import { openTelemetry } from "./telemetry/telemetry-config.ts";

const now = (): number => Math.floor(Date.now() / 1000);

/** Everything that the routes of a gateway share, made from its configuration. */
export async function contextOf(config: GatewayConfig): Promise<Context> {
  const store = await openStore(config.store ?? "memory");
  try {
    return await around(store, config);
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

async function around(store: Store, config: GatewayConfig): Promise<Context> {
  const passedOn = passedOnWith(config.passedOn ?? []);
  const urlGuard = new UrlGuard(config.urls);
  const { telemetry, metrics } = await openTelemetry(config.telemetry);
  const log = telemetry.log.bind(telemetry);
  const { allows: allowsOrigin } = cors(config.cors ?? { origins: [] });
  const gatekeeper = await createGatekeeper(store, { log, open: { hosts: config.hosts, allowsOrigin } });
  const worker = newId("worker");
  const transport = createSocketTransport();
  const models = config.catalogue ?? (await configuredModels(config, { newId, log, transport, headers: { [via]: worker } }));
  const limits = { ...defaultLimits, ...config.limits };
  const shared = {
    store,
    models,
    limits,
    gatekeeper,
    telemetry,
    metrics,
    urlGuard,
    passedOn,
    live: new Table<Live>(),
    recent: new Recent(),
    heartbeat: new Heartbeat(limits.heartbeat),
    worker,
    leases: new Leases(store, worker, config.runs?.lease),
    streams: 0,
    draining: false,
    newId,
    now,
  };
  const stopPruning = startPruning(store, config.retention ?? {}, telemetry);
  const release = async (): Promise<void> => {
    await stopPruning();
    await gatekeeper.flush();
    await telemetry.close?.();
    await store.close();
  };
  const context: Context = {
    ...shared,
    background: backgroundRuns(shared, config.runs),
    hasKeys: () => Promise.resolve(gatekeeper.needsKey),
    release,
  };
  if (metrics) addGauges(metrics, context);
  return context;
}

function addGauges({ gauges }: Metrics, context: Context): void {
  gauges.runs = () => context.live.size;
  gauges.streams = () => context.streams;
  gauges.queued = () => context.store.countWaiting();
}

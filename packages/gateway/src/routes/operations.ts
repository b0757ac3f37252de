import { AntiphonError } from "antiphon";
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";
import { json, type Exchange, type Handler, type Reply, type Routes } from "../http/exchange.ts";
import { faces, refuse } from "../http/faces.ts";
import { isFromHere } from "../keys/open-gatekeeper.ts";
import { isLoopback } from "../security/addresses.ts";
import type { MetricsConfig } from "../telemetry/telemetry-config.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { home } from "./home.ts";
import { openapi } from "./openapi.ts";
import { readinessOf } from "./readiness.ts";

/** What those who run the gateway may see. */
export interface OperationsOptions {
  metrics?: Metrics;
  /** Who may read the metrics: as the configuration of the metrics says. */
  access?: MetricsConfig | boolean;
}

/** The routes for those who run the gateway: whether it is well, what it counts, and what it offers. */
export function operations(context: Context, { metrics, access }: OperationsOptions = {}): Routes {
  const describe = description();
  const start = home(context);
  const isReady = readinessOf(context);
  return {
    "GET /": start,
    "GET /docs": start,
    "GET /healthz": async () => json(200, { status: "ok" }, unstored),
    "GET /readyz": async () => {
      const readiness = await isReady();
      return json(readiness.status === "ready" ? 200 : 503, readiness, unstored);
    },
    "GET /metrics": scrape(context, metrics, typeof access === "object" ? access : {}),
    "GET /openapi.json": describe,
    "GET /v1/openapi.json": describe,
  };
}

const unstored = { "cache-control": "no-store" };

function description(): Handler {
  let reply: Reply | undefined;
  // A copy for each, to which headers are added.
  return async () => ({ ...(reply ??= json(200, openapi(), { "cache-control": "public, max-age=3600" })) });
}

const scrape =
  (context: Context, metrics: Metrics | undefined, access: MetricsConfig): Handler =>
  async (exchange) => {
    try {
      if (!metrics)
        throw new AntiphonError(
          "NOT_FOUND",
          "Metrics are disabled. Enable them with `telemetry.metrics` in the gateway's configuration.",
        );
      await checkAccess(context, exchange, access);
      const { contentType, text } = await metrics.expose(exchange.headers.get("accept"));
      return { status: 200, headers: { "content-type": contentType, ...unstored }, body: text };
    } catch (thrown) {
      return refuse(faces.strict, thrown);
    }
  };

/** Whether somebody may see what the gateway counts; throws where not. */
async function checkAccess(
  { gatekeeper }: Context,
  exchange: Exchange,
  { token, access = token === undefined ? "loopback" : undefined }: MetricsConfig,
): Promise<void> {
  if (access === "open" || (token !== undefined && isBearer(exchange, token))) return;
  if (access === "keys") await gatekeeper.authenticate(exchange.headers);
  else if (access !== "loopback")
    throw new AntiphonError(
      "AUTH_ERROR",
      "The metrics require their own token. Send it in the header `authorization: Bearer …`.",
    );
  else if (!isLocal(exchange))
    throw new AntiphonError(
      "PERMISSION",
      "Metrics are only available on the gateway's machine. Set `telemetry.metrics.token` or `telemetry.metrics.access` to change this.",
    );
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The time that it takes tells nothing about the token. */
const isBearer = ({ headers }: Exchange, token: string): boolean =>
  timingSafeEqual(digest(headers.get("authorization") ?? ""), digest(`Bearer ${token}`));

const forwarding = ["forwarded", "x-forwarded-for", "x-real-ip"];

/** Whether a request comes from this machine; one that a proxy here passed on does not, nor does one of a page in a browser here. */
const isLocal = ({ address = "", headers }: Exchange): boolean =>
  isLoopback(address) && isFromHere(headers) && forwarding.every((name) => headers.get(name) === null);

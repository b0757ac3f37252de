import { defaultToolTimeout } from "../packages/antiphon/src/agent/loop/answering.ts";
import { defaultConnectTimeout } from "../packages/antiphon/src/mcp/mcp-server.ts";
import { defaultMaxWait } from "../packages/antiphon/src/middleware/rate-limit.ts";
import { keepTime } from "../packages/antiphon/src/node/http-client.ts";
import { proxyTimeout } from "../packages/antiphon/src/node/proxy.ts";
import { defaultPoll, farewell } from "../packages/antiphon/src/transport/background-jobs.ts";
import { defaultRetry } from "../packages/antiphon/src/transport/retry.ts";
import { defaultTimeouts, readTimeouts } from "../packages/antiphon/src/transport/timeouts.ts";
import { defaultSocketAges } from "../packages/antiphon/src/transport/websocket-exchange.ts";
import { checkTimeout } from "../packages/cli/src/doctor.ts";
import { listTimeout, localListTimeout } from "../packages/cli/src/models.ts";
import { drainingTime } from "../packages/cli/src/serve.ts";
import { closingTime } from "../packages/gateway/src/gateway.ts";
import { defaultLimits } from "../packages/gateway/src/limits.ts";
import { patience } from "../packages/gateway/src/models/listings.ts";
import { keepAliveTimeout } from "../packages/gateway/src/node/reply-head.ts";
import { pingEvery } from "../packages/gateway/src/node/web-sockets.ts";
import { readinessTimeout } from "../packages/gateway/src/routes/readiness.ts";
import { defaultPauses } from "../packages/gateway/src/runs/background-runs.ts";
import { defaultLease } from "../packages/gateway/src/runs/leases.ts";
import { defaultFetchTimeout } from "../packages/gateway/src/security/guarded-fetch.ts";
import { databaseTimeout } from "../packages/gateway/src/store/postgres/database.ts";
import { defaultWaits } from "../packages/gateway/src/store/sqlite.ts";

/** One timeout: what it limits, where it is set (empty if it cannot be set there), and its default. */
export interface Timeout {
  limits: string;
  library?: string;
  gateway?: string;
  commandLine?: string;
  /** In milliseconds, or in words. */
  byDefault: number | string;
}

const { connect, firstEvent, idle, total } = defaultTimeouts;

/** Every timeout of the library, the gateway and the command line. The defaults are those of the code. */
export const timeouts: readonly Timeout[] = [
  {
    limits: "making the connection to a provider; fetching its key from a function",
    library: "timeouts.connect",
    gateway: "timeouts.connect",
    commandLine: "connect_timeout",
    byDefault: connect,
  },
  {
    limits: "waiting for the first event of a stream, or for all of a plain answer",
    library: "timeouts.firstEvent",
    gateway: "timeouts.first_event",
    commandLine: "first_event_timeout",
    byDefault: firstEvent,
  },
  {
    limits: "waiting for the next event; keep-alives do not count",
    library: "timeouts.idle",
    gateway: "timeouts.idle",
    commandLine: "idle_timeout",
    byDefault: idle,
  },
  {
    limits: "the whole answer, retries included",
    library: "timeouts.total",
    gateway: "timeouts.total",
    commandLine: "timeout",
    byDefault: total,
  },
  {
    limits: "reading what is there already: lists of models, stored responses, files",
    library: "timeouts.firstEvent, timeouts.idle",
    byDefault: readTimeouts.firstEvent,
  },
  {
    limits: "the pause before a retry, also if the server asks for more: then the call fails",
    library: "retry.maxDelay",
    byDefault: defaultRetry.maxDelay,
  },
  { limits: "connecting to a provider through a proxy", byDefault: proxyTimeout },
  { limits: "keeping an unused connection to a provider", byDefault: keepTime },
  { limits: "keeping an unused WebSocket to a provider", library: "maxIdle", byDefault: defaultSocketAges.maxIdle },
  { limits: "using a WebSocket to a provider", library: "maxAge", byDefault: defaultSocketAges.maxAge },
  {
    limits: "the pause between two requests for the state of a background job",
    library: "poll.minDelay, poll.maxDelay",
    byDefault: `${inWords(defaultPoll.minDelay)} to ${inWords(defaultPoll.maxDelay)}`,
  },
  { limits: "cancelling a background job whose caller stopped (`cancelOnAbort`)", byDefault: farewell.total },
  { limits: "a call of a tool", library: "toolTimeout", byDefault: defaultToolTimeout },
  { limits: "a call of an MCP tool", library: "timeout", commandLine: "mcp.<name>.timeout", byDefault: defaultToolTimeout },
  { limits: "connecting to an MCP server and listing its tools", library: "connectTimeout", byDefault: defaultConnectTimeout },
  { limits: "waiting for a turn in `rateLimit`", library: "maxWait", byDefault: defaultMaxWait },
  { limits: "receiving a request from a client", gateway: "limits.body_timeout", byDefault: defaultLimits.bodyTimeout },
  {
    limits: "waiting for a client that reads nothing of its answer",
    gateway: "limits.stall_timeout",
    byDefault: defaultLimits.stallTimeout,
  },
  {
    limits: "the silence of a stream before a keep-alive comment, up to twice as long",
    gateway: "limits.heartbeat",
    byDefault: defaultLimits.heartbeat,
  },
  { limits: "keeping an unused connection of a client", byDefault: keepAliveTimeout },
  { limits: "using a WebSocket of a client", gateway: "limits.socket_lifetime", byDefault: defaultLimits.socketLifetime },
  { limits: "the pause between two pings on a WebSocket of a client", byDefault: pingEvery },
  {
    limits: "waiting for a gateway that has died, before another one takes over its runs",
    gateway: "runs.lease",
    byDefault: defaultLease,
  },
  { limits: "the pause between two looks for runs to take over", gateway: "runs.poll", byDefault: defaultPauses.poll },
  {
    limits: "the pause between two writes to the log of a background run",
    gateway: "runs.pause",
    byDefault: defaultPauses.pause,
  },
  {
    limits: "listing the models of a provider, or of a server on this machine",
    byDefault: `${inWords(patience.remote.takes)}, ${inWords(patience.local.takes)}`,
  },
  { limits: "each check of `/readyz`", byDefault: readinessTimeout },
  { limits: "connecting to PostgreSQL", byDefault: databaseTimeout },
  { limits: "waiting for a locked SQLite file", byDefault: defaultWaits.busyMs },
  { limits: "a URL that `guardedFetch` fetches", library: "timeout", byDefault: defaultFetchTimeout },
  { limits: "finishing what runs when a gateway closes", library: "close({ signal })", byDefault: closingTime },
  { limits: "the same for `antiphon serve`, after the first Ctrl-C or SIGTERM", byDefault: drainingTime },
  {
    limits: "each provider in `antiphon models`; a server on this machine that is not set up",
    commandLine: "--timeout",
    byDefault: `${inWords(listTimeout * 1000)}, ${inWords(localListTimeout)}`,
  },
  { limits: "each provider in `antiphon doctor`", commandLine: "--timeout", byDefault: checkTimeout * 1000 },
];

function inWords(milliseconds: number): string {
  if (milliseconds === 0) return "no limit";
  if (milliseconds < 1_000) return `${milliseconds} ms`;
  if (milliseconds < 120_000) return `${milliseconds / 1_000} s`;
  return milliseconds < 3_600_000 ? `${milliseconds / 60_000} min` : `${milliseconds / 3_600_000} h`;
}

const code = (keys = ""): string =>
  keys
    .split(", ")
    .map((key) => key && `\`${key}\``)
    .join(", ");

/** The table of `docs/timeouts.md`. */
export function timeoutTable(): string {
  const rows = timeouts.map(({ limits, library, gateway, commandLine, byDefault }) => {
    const value = typeof byDefault === "number" ? inWords(byDefault) : byDefault;
    return `| ${limits} | ${code(library)} | ${code(gateway)} | ${code(commandLine)} | ${value} |`;
  });
  return ["| limits | library | gateway | command line | default |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

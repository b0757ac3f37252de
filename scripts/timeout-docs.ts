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

/** One timeout: what it limits, where it is set (omitted if it cannot be set there), and its default. */
export interface Timeout {
  limits: string;
  library?: string;
  gateway?: string;
  commandLine?: string;
  /** Milliseconds, or text. */
  byDefault: number | string;
}

const { connect, firstEvent, idle, total } = defaultTimeouts;

/** Every timeout of the library, the gateway and the command line. The defaults are those of the code. */
export const timeouts: readonly Timeout[] = [
  {
    limits: "connecting, or fetching the key",
    library: "timeouts.connect",
    gateway: "timeouts.connect",
    commandLine: "connect_timeout",
    byDefault: connect,
  },
  {
    limits: "first event, or a whole plain answer",
    library: "timeouts.firstEvent",
    gateway: "timeouts.first_event",
    commandLine: "first_event_timeout",
    byDefault: firstEvent,
  },
  {
    limits: "next event; comments do not count",
    library: "timeouts.idle",
    gateway: "timeouts.idle",
    commandLine: "idle_timeout",
    byDefault: idle,
  },
  {
    limits: "everything, with retries",
    library: "timeouts.total",
    gateway: "timeouts.total",
    commandLine: "timeout",
    byDefault: total,
  },
  {
    limits: "model lists, stored responses, files",
    library: "timeouts.firstEvent, timeouts.idle",
    byDefault: readTimeouts.firstEvent,
  },
  {
    limits: "pause before a retry; if the server requires more, the call fails",
    library: "retry.maxDelay",
    byDefault: defaultRetry.maxDelay,
  },
  { limits: "unused WebSocket to a provider", library: "maxIdle", byDefault: defaultSocketAges.maxIdle },
  { limits: "any WebSocket to a provider", library: "maxAge", byDefault: defaultSocketAges.maxAge },
  {
    limits: "between polls of a background job",
    library: "poll.minDelay, poll.maxDelay",
    byDefault: `${inWords(defaultPoll.minDelay)} to ${inWords(defaultPoll.maxDelay)}`,
  },
  { limits: "tool call", library: "toolTimeout", byDefault: defaultToolTimeout },
  { limits: "MCP tool call", library: "timeout", commandLine: "mcp.<name>.timeout", byDefault: defaultToolTimeout },
  { limits: "connecting to an MCP server", library: "connectTimeout", byDefault: defaultConnectTimeout },
  { limits: "waiting in `rateLimit`", library: "maxWait", byDefault: defaultMaxWait },
  { limits: "`guardedFetch`", library: "timeout", byDefault: defaultFetchTimeout },
  { limits: "closing a gateway", library: "close({ signal })", byDefault: closingTime },
  { limits: "receiving a request", gateway: "limits.body_timeout", byDefault: defaultLimits.bodyTimeout },
  { limits: "client that reads nothing", gateway: "limits.stall_timeout", byDefault: defaultLimits.stallTimeout },
  {
    limits: "silence before a keep-alive, up to twice as long",
    gateway: "limits.heartbeat",
    byDefault: defaultLimits.heartbeat,
  },
  { limits: "WebSocket of a client", gateway: "limits.socket_lifetime", byDefault: defaultLimits.socketLifetime },
  { limits: "until others take over a dead gateway's runs", gateway: "runs.lease", byDefault: defaultLease },
  { limits: "between checks for waiting runs", gateway: "runs.poll", byDefault: defaultPauses.poll },
  { limits: "between writes of background events", gateway: "runs.pause", byDefault: defaultPauses.pause },
  {
    limits: "each provider in `antiphon models`, each local server",
    commandLine: "--timeout",
    byDefault: `${inWords(listTimeout * 1000)}, ${inWords(localListTimeout)}`,
  },
  { limits: "each provider in `antiphon doctor`", commandLine: "--timeout", byDefault: checkTimeout * 1000 },
  { limits: "proxy connection", byDefault: proxyTimeout },
  { limits: "unused connection to a provider", byDefault: keepTime },
  { limits: "cancelling a background job", byDefault: farewell.total },
  { limits: "unused connection of a client", byDefault: keepAliveTimeout },
  { limits: "between WebSocket pings", byDefault: pingEvery },
  {
    limits: "listing models, local ones",
    byDefault: `${inWords(patience.remote.takes)}, ${inWords(patience.local.takes)}`,
  },
  { limits: "`/readyz` checks", byDefault: readinessTimeout },
  { limits: "PostgreSQL connection", byDefault: databaseTimeout },
  { limits: "locked SQLite file", byDefault: defaultWaits.busyMs },
  { limits: "shutdown of `antiphon serve`", byDefault: drainingTime },
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

const defaultOf = ({ byDefault }: Timeout): string => (typeof byDefault === "number" ? inWords(byDefault) : byDefault);

/** The lists of `docs/timeouts.md`: the timeouts of models, the others that can be set, and the fixed ones. */
export function timeoutTable(): string {
  const ofModels = timeouts.filter(({ library, gateway }) => library && gateway);
  const fixed = timeouts.filter(({ library, gateway, commandLine }) => !library && !gateway && !commandLine);
  const others = timeouts.filter((timeout) => !ofModels.includes(timeout) && !fixed.includes(timeout));
  const row = (...cells: string[]): string => `| ${cells.join(" | ")} |`;
  return [
    row("limit", "library", "gateway", "command line", "default"),
    row("---", "---", "---", "---", "---"),
    ...ofModels.map((timeout) => {
      const { limits, library, gateway, commandLine } = timeout;
      return row(limits, code(library), code(gateway), code(commandLine), defaultOf(timeout));
    }),
    "",
    "Other limits:",
    "",
    ...others.map((timeout) => {
      const keys = [timeout.library, timeout.gateway, timeout.commandLine].filter(Boolean).map(code);
      return `- ${keys.join(", ")}: ${timeout.limits} (${defaultOf(timeout)})`;
    }),
    "",
    ...wrapped([
      "Fixed limits:",
      ...fixed.map((timeout, index) => {
        const end = index < fixed.length - 1 ? "," : ".";
        return `${timeout.limits} (${defaultOf(timeout)})${end}`;
      }),
    ]),
  ].join("\n");
}

/** Joins texts into lines of at most 118 columns. */
function wrapped(texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const line = `${lines.at(-1) ?? ""} ${text}`.trimStart();
    if (lines.length > 0 && line.length <= 118) lines[lines.length - 1] = line;
    else lines.push(text);
  }
  return lines;
}

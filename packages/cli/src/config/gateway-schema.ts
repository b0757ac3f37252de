import type { Limits } from "antiphon-gateway";
import type { ServeOptions } from "antiphon-gateway/node";
import type { Key, Keys } from "./schema.ts";

/** A camelCase name in snake_case. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

/** A key for each option. */
type KeysFor<Options> = Keys & Record<Snake<keyof Options & string>, Key>;

const limits = {
  max_body_bytes: { kind: "integer", least: 1, doc: "maximum size of a decompressed body", otherwise: "33554432" },
  body_timeout: { kind: "integer", least: 1, doc: "ms to receive a request", otherwise: "60000" },
  stall_timeout: {
    kind: "integer",
    least: 1,
    doc: "ms that a client may stop reading",
    otherwise: "60000",
  },
  heartbeat: {
    kind: "integer",
    least: 0,
    doc: "ms between stream heartbeats; 0 to disable",
    otherwise: "15000",
  },
  max_chain: { kind: "integer", least: 1, doc: "maximum responses in a chain", otherwise: "1000" },
  max_items: { kind: "integer", least: 1, doc: "maximum input items per model call", otherwise: "100000" },
  max_backlog_bytes: { kind: "integer", least: 1, doc: "maximum backlog of a slow reader", otherwise: "8388608" },
  max_background: { kind: "integer", least: 0, doc: "maximum concurrent background responses", otherwise: "100" },
  max_sockets: {
    kind: "integer",
    least: 0,
    doc: "maximum WebSockets; 0 disables them",
    otherwise: "10000",
  },
  socket_lifetime: { kind: "integer", least: 1, doc: "ms until a WebSocket is closed", otherwise: "3600000" },
} as const satisfies KeysFor<Limits>;

const timeouts = {
  connect: { kind: "integer", least: 0, doc: "ms to connect", otherwise: "10000" },
  first_event: {
    kind: "integer",
    least: 0,
    doc: "ms until the first event or the whole unstreamed answer; 0 for no limit",
    otherwise: "900000",
  },
  idle: { kind: "integer", least: 0, doc: "ms between events; 0 for no limit", otherwise: "900000" },
  total: { kind: "integer", least: 0, doc: "ms for the whole answer with retries; 0 for no limit", otherwise: "0" },
} as const satisfies KeysFor<NonNullable<ServeOptions["timeouts"]>>;

const runs = {
  lease: {
    kind: "integer",
    least: 1,
    doc: "ms until another gateway takes over a run",
    otherwise: "15000",
  },
  poll: { kind: "integer", least: 1, doc: "ms between checks for abandoned runs", otherwise: "1000" },
  pause: { kind: "integer", least: 0, doc: "ms between writes to the log of a run", otherwise: "50" },
} as const satisfies KeysFor<NonNullable<ServeOptions["runs"]>>;

const cors = {
  origins: { kind: "strings", doc: "allowed origins: `https://app.example`, `http://localhost:*`, `*`" },
  max_age: { kind: "integer", least: 0, doc: "seconds that browsers may cache it" },
} as const satisfies Keys;

const urls = {
  allow: { kind: "strings", doc: "private hosts allowed in request URLs" },
  schemes: { kind: "strings", doc: "additional URL schemes" },
} as const satisfies Keys;

const retention = {
  responses: { kind: "number", least: 0, doc: "days to store responses and conversations", otherwise: "unlimited" },
  logs: {
    kind: "number",
    least: 0,
    doc: "days to store events of background responses",
    otherwise: "as long as the response",
  },
} as const satisfies Keys;

const logs = {
  level: { kind: "string", values: ["debug", "info", "warn", "error"], doc: "minimum level", otherwise: "`warn`" },
  format: { kind: "string", values: ["json", "text"], doc: "log format", otherwise: "`text` on a terminal" },
  content: { kind: "boolean", doc: "log prompts and answers", otherwise: "`false`" },
  max_waiting: { kind: "integer", least: 1, doc: "maximum buffered characters" },
} as const satisfies Keys;

const metrics = {
  token: { kind: "string", doc: "bearer token that allows reading" },
  access: {
    kind: "string",
    values: ["loopback", "keys", "open"],
    doc: "who can read without the token",
    otherwise: "`loopback` if there is no token",
  },
  max_models: { kind: "integer", least: 1, doc: "maximum distinct models" },
  max_owners: { kind: "integer", least: 1, doc: "maximum distinct owners" },
} as const satisfies Keys;

const tracing = {
  content: { kind: "boolean", doc: "add prompts and answers to spans", otherwise: "`false`" },
} as const satisfies Keys;

const telemetry = {
  logs: { kind: "table", keys: logs, orBoolean: true, doc: "logs, or `false`" },
  metrics: { kind: "table", keys: metrics, orBoolean: true, doc: "metrics, or `false`" },
  tracing: { kind: "table", keys: tracing, orBoolean: true, doc: "OpenTelemetry, or `true`" },
} as const satisfies Keys;

/** The keys of the gateway. It checks `models` and `providers` itself. */
export const gatewayKeys = {
  host: { kind: "string", doc: "address to listen on", otherwise: "`127.0.0.1`" },
  port: { kind: "integer", least: 0, most: 65_535, doc: "port; 0 selects a free one", otherwise: "8787" },
  open: { kind: "boolean", doc: "accept other machines without keys", otherwise: "`false`" },
  hosts: { kind: "strings", doc: "allowed `Host` names of a gateway without keys" },
  store: {
    kind: "string",
    doc: "store: a file, `postgres://…` or `memory`",
    otherwise: "`gateway.db` in the data folder",
  },
  default_model: { kind: "string", doc: "model for requests that name none" },
  discover: { kind: "open", doc: 'other models to offer: `true`, `false`, `["environment", "local"]`' },
  models: { kind: "open", doc: "[model names](gateway-models.md)" },
  providers: { kind: "open", doc: "[providers](gateway-models.md) of the gateway only" },
  passed_on: { kind: "strings", doc: "client headers to forward to the provider" },
  timeouts: { kind: "table", keys: timeouts, doc: "model timeouts" },
  limits: { kind: "table", keys: limits, doc: "limits" },
  cors: { kind: "table", keys: cors, doc: "access from web pages" },
  urls: { kind: "table", keys: urls, doc: "URLs in requests" },
  runs: { kind: "table", keys: runs, doc: "background responses" },
  retention: { kind: "table", keys: retention, doc: "storage time" },
  telemetry: { kind: "table", keys: telemetry, doc: "telemetry" },
} as const satisfies KeysFor<Omit<ServeOptions, "catalogue">>;

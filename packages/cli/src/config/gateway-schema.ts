import type { Limits } from "antiphon-gateway";
import type { ServeOptions } from "antiphon-gateway/node";
import type { Key, Keys } from "./schema.ts";

/** A name as it is written in files. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

/** A key for everything that a program may say. */
type KeysFor<Options> = Keys & Record<Snake<keyof Options & string>, Key>;

const limits = {
  max_body_bytes: { kind: "integer", least: 1, doc: "the largest body that is read, unpacked", otherwise: "33554432" },
  body_timeout: { kind: "integer", least: 1, doc: "milliseconds for a client to send a request", otherwise: "60000" },
  stall_timeout: {
    kind: "integer",
    least: 1,
    doc: "milliseconds that a client may take nothing of its answer",
    otherwise: "60000",
  },
  heartbeat: {
    kind: "integer",
    least: 0,
    doc: "milliseconds of silence after which a stream says that it is there; 0 for never",
    otherwise: "15000",
  },
  max_chain: { kind: "integer", least: 1, doc: "responses in a chain", otherwise: "1000" },
  max_items: { kind: "integer", least: 1, doc: "items that a model is asked with", otherwise: "100000" },
  max_backlog_bytes: { kind: "integer", least: 1, doc: "how far a reader may fall behind", otherwise: "8388608" },
  max_background: { kind: "integer", least: 0, doc: "background responses at the same time", otherwise: "100" },
  max_sockets: {
    kind: "integer",
    least: 0,
    doc: "open WebSockets; with 0, clients are told to use plain HTTP",
    otherwise: "10000",
  },
  socket_lifetime: { kind: "integer", least: 1, doc: "milliseconds that a WebSocket may stay", otherwise: "3600000" },
} as const satisfies KeysFor<Limits>;

const timeouts = {
  connect: { kind: "integer", least: 0, doc: "milliseconds until the connection is made", otherwise: "10000" },
  first_event: {
    kind: "integer",
    least: 0,
    doc: "milliseconds until the first event, or until all of a plain answer; 0 for ever",
    otherwise: "900000",
  },
  idle: { kind: "integer", least: 0, doc: "milliseconds between two events; 0 for ever", otherwise: "900000" },
  total: { kind: "integer", least: 0, doc: "milliseconds for the whole answer, retries included; 0 for ever", otherwise: "0" },
} as const satisfies KeysFor<NonNullable<ServeOptions["timeouts"]>>;

const runs = {
  lease: {
    kind: "integer",
    least: 1,
    doc: "milliseconds that other gateways leave a run alone whose gateway is not heard of",
    otherwise: "15000",
  },
  poll: { kind: "integer", least: 1, doc: "milliseconds between looks for runs that nobody works on", otherwise: "1000" },
  pause: { kind: "integer", least: 0, doc: "milliseconds between two writes to the log of a run", otherwise: "50" },
} as const satisfies KeysFor<NonNullable<ServeOptions["runs"]>>;

const cors = {
  origins: { kind: "strings", doc: "web pages that may ask: `https://app.example`, `http://localhost:*`, `*`" },
  max_age: { kind: "integer", least: 0, doc: "seconds that a browser may remember it" },
} as const satisfies Keys;

const urls = {
  allow: { kind: "strings", doc: "private hosts that requests may name" },
  schemes: { kind: "strings", doc: "schemes beside `http` and `https`" },
} as const satisfies Keys;

const retention = {
  responses: { kind: "number", least: 0, doc: "days that responses and conversations are kept", otherwise: "for ever" },
  logs: {
    kind: "number",
    least: 0,
    doc: "days that the events of background responses are kept",
    otherwise: "with the response",
  },
} as const satisfies Keys;

const logs = {
  level: { kind: "string", values: ["debug", "info", "warn", "error"], doc: "nothing below it is logged", otherwise: "`warn`" },
  format: { kind: "string", values: ["json", "text"], doc: "lines of JSON, or text for people", otherwise: "as fits" },
  content: { kind: "boolean", doc: "whether what was said is logged too", otherwise: "`false`" },
  max_waiting: { kind: "integer", least: 1, doc: "characters that may wait for a slow reader" },
} as const satisfies Keys;

const metrics = {
  token: { kind: "string", doc: "whoever shows it may read them" },
  access: { kind: "string", values: ["loopback", "keys", "open"], doc: "who else may", otherwise: "`loopback` without a token" },
  max_models: { kind: "integer", least: 1, doc: "models that are told apart" },
  max_owners: { kind: "integer", least: 1, doc: "owners that are told apart" },
} as const satisfies Keys;

const tracing = {
  content: { kind: "boolean", doc: "whether spans carry what was said", otherwise: "`false`" },
} as const satisfies Keys;

const telemetry = {
  logs: { kind: "table", keys: logs, orBoolean: true, doc: "what is logged, or `false`" },
  metrics: { kind: "table", keys: metrics, orBoolean: true, doc: "what is counted, or `false`" },
  tracing: { kind: "table", keys: tracing, orBoolean: true, doc: "OpenTelemetry, or `true`" },
} as const satisfies Keys;

/** What may be said about the gateway; of models and providers it knows itself. */
export const gatewayKeys = {
  host: { kind: "string", doc: "the address to listen on", otherwise: "`127.0.0.1`" },
  port: { kind: "integer", least: 0, most: 65_535, doc: "the port; 0 takes any that is free", otherwise: "8787" },
  open: { kind: "boolean", doc: "whether to listen for other machines without a key", otherwise: "`false`" },
  hosts: { kind: "strings", doc: "names by which a gateway without keys may be asked" },
  store: {
    kind: "string",
    doc: "where responses are kept: a file, `postgres://…` or `memory`",
    otherwise: "`gateway.db` in your data folder",
  },
  default_model: { kind: "string", doc: "who answers where a request names no model" },
  discover: { kind: "open", doc: 'what is offered beside `models`: `true`, `false`, `["environment", "local"]`' },
  models: { kind: "open", doc: "names for models: see [its models](gateway-models.md)" },
  providers: { kind: "open", doc: "providers for the gateway alone: see [its models](gateway-models.md)" },
  passed_on: { kind: "strings", doc: "headers of clients that go to the provider" },
  timeouts: { kind: "table", keys: timeouts, doc: "how long to wait for models; see [all timeouts](timeouts.md)" },
  limits: { kind: "table", keys: limits, doc: "its bounds" },
  cors: { kind: "table", keys: cors, doc: "web pages that may ask" },
  urls: { kind: "table", keys: urls, doc: "URLs in requests that would be refused" },
  runs: { kind: "table", keys: runs, doc: "how background responses are looked after" },
  retention: { kind: "table", keys: retention, doc: "how long things are kept" },
  telemetry: { kind: "table", keys: telemetry, doc: "what it tells those who run it" },
} as const satisfies KeysFor<Omit<ServeOptions, "catalogue">>;

import type { CreateResponse, ErrorCode, Respond, ResponseResource, Usage } from "antiphon";

/** One request, when it has come in and its route is known. */
export interface RequestStart {
  method: string;
  /** The pattern of the route, never the path: `/v1/responses/:id`. */
  route: string;
  path: string;
  headers: { get(name: string): string | null };
  address: string | undefined;
  requestId: string;
}

/** Follows one request: what belongs to it runs `within`, so that the spans of other instruments become its children. */
export interface Trace {
  within<T>(run: () => T): T;
}

/** One request, when its answer is out. */
export interface RequestFacts {
  method: string;
  /** The pattern of the route, never the path; `unmatched` where there is none. */
  route: string;
  status: number;
  milliseconds: number;
  /** Who asked, where that is known. */
  owner: string | undefined;
  requestId: string;
  /** What `begin` gave. */
  trace?: Trace;
}

/** One answer of a model, when it is about to be asked for. */
export interface RunStart {
  /** The gateway's id of the response. */
  id: string;
  /** As clients call it; and who provides it. */
  model: string;
  provider: string;
  /** What `begin` gave for the request that asks; there is none where a run is taken up again. */
  trace?: Trace;
}

/** One answer of a model, when it is over. */
export interface RunFacts {
  id: string;
  /** As clients call it, and as its provider does. */
  model: string;
  provider: string;
  upstreamModel: string;
  /** `completed`, `incomplete`, `failed`, `cancelled`, or `refused` where it failed before its first event. */
  status: string;
  error: ErrorCode | undefined;
  usage: Usage | null | undefined;
  /** In dollars, where the price is known. */
  cost: number | undefined;
  streamed: boolean;
  background: boolean;
  /** Until the first event that says something, in milliseconds. */
  firstOutput: number | undefined;
  milliseconds: number;
  owner: string;
  requestId: string | undefined;
  /** What was asked and answered: only for those who were told to pass content on. */
  request?: CreateResponse;
  response?: ResponseResource;
}

/** Something worth a line in the log that is neither. Never holds content or secrets. */
export interface LogEntry {
  level: "debug" | "info" | "warn" | "error";
  /** What happened, in words that stay the same: `run recovered`. */
  message: string;
  [field: string]: unknown;
}

/** What the gateway tells those who run it. Never throws and never waits. */
export interface Telemetry {
  /** A request came in. Left out where nobody traces. */
  begin?(start: RequestStart): Trace;
  /** The model as a run is to ask it: where someone traces, with a span of its own that the upstream is told of. */
  model?(respond: Respond, run: RunStart): Respond;
  request(facts: RequestFacts): void;
  run(facts: RunFacts): void;
  log(entry: LogEntry): void;
  /** Lets go of what it still holds; when it resolves, all of it is out, or will never be. */
  close?(): Promise<void>;
}

/** A telemetry sink that records nothing. */
export const silent: Telemetry = { request() {}, run() {}, log() {} };

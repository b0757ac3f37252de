import type { ServerResponse } from "node:http";
import { reduce } from "../../../src/core/reduce.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { frame } from "../../faults/support.ts";
import { serve, type Seen } from "./servers.ts";

/** A connection on which a job is streamed. */
export interface Connection {
  /** Which connection this is, counted from 0. */
  index: number;
  response: ServerResponse;
  /** The events that it should bring. */
  events: ResponseEvent[];
}

export interface JobServerOptions {
  /** How a connection is served; all at once and to the end where left out. */
  stream?: (connection: Connection) => unknown;
  /** The answer to whoever asks for the stream again; nothing lets the stream go on. */
  expired?: (index: number) => { status: number; message: string } | undefined;
  /** How many events the job has made when it is asked after for the n-th time; all where left out. */
  made?: (asked: number) => number;
  /** Whether a job that has ended may be cancelled. */
  strictCancel?: boolean;
  /** Whether a job is only ever answered with JSON. */
  plain?: boolean;
}

export interface JobServer {
  origin: string;
  seen: Seen[];
  /** The requests, by method and path. */
  asked(): string[];
  /** Whether the job was cancelled. */
  cancelled: boolean;
}

/** Sends events and keeps the connection open. */
export function pass(response: ServerResponse, events: readonly object[]): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(events.map(frame).join("") || ": open\n\n");
}

/** Sends events, and then ends as a proxy would that has had enough, or as a crash. */
export function passAndBreak(response: ServerResponse, events: readonly object[], reset = false): void {
  pass(response, events);
  if (reset) setTimeout(() => response.socket?.resetAndDestroy(), 3);
  else response.end();
}

/** A server with one job, whose events are these. */
export async function serveJob(events: readonly ResponseEvent[], options: JobServerOptions = {}): Promise<JobServer> {
  let connections = 0;
  let asked = 0;
  const server: JobServer = { origin: "", seen: [], asked: () => [], cancelled: false };
  const respond = (response: ServerResponse, status: number, body: unknown): unknown =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, status: number, message: string): unknown =>
    respond(response, status, { error: { message, type: "invalid_request_error", code: null } });

  const stream = (response: ServerResponse, after: number): unknown => {
    const index = connections++;
    const rest = events.filter(({ sequence_number }) => sequence_number > after);
    if (options.stream) return options.stream({ index, response, events: rest });
    pass(response, rest);
    return response.end();
  };
  const state = (): ResponseResource => {
    const response = reduce(events.slice(0, options.made?.(asked++) ?? events.length));
    return server.cancelled ? { ...response, status: "cancelled" } : response;
  };
  const cancel = (response: ServerResponse): unknown => {
    const now = state();
    const over = now.status !== "queued" && now.status !== "in_progress";
    if (over && options.strictCancel) return refuse(response, 400, "Cannot cancel a completed response.");
    server.cancelled ||= !over;
    return respond(response, 200, over ? now : { ...now, status: "cancelled" });
  };
  const resume = (response: ServerResponse, query: URLSearchParams): unknown => {
    const gone = options.expired?.(connections);
    if (gone) return refuse(response, gone.status, gone.message);
    if (options.plain) return respond(response, 200, state());
    return stream(response, Number(query.get("starting_after") ?? -1));
  };

  const http = await serve((response, { method, url, body }) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const { id } = reduce(events.slice(0, 1));
    if (method === "POST" && pathname === "/v1/responses")
      return (JSON.parse(body) as CreateResponse).stream && !options.plain
        ? stream(response, -1)
        : respond(response, 200, state());
    if (pathname === `/v1/responses/${id}/cancel` && method === "POST") return cancel(response);
    if (pathname !== `/v1/responses/${id}`) return refuse(response, 404, `Response not found: ${pathname}`);
    if (method === "DELETE") return respond(response, 200, { id, object: "response", deleted: true });
    return searchParams.get("stream") ? resume(response, searchParams) : respond(response, 200, state());
  });
  server.origin = http.origin;
  server.seen = http.seen;
  server.asked = () => http.seen.map(({ method, url }) => `${method} ${url.replace("/v1", "")}`);
  return server;
}

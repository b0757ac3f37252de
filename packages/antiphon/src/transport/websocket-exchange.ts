import { defaultWebSocket } from "#transport";
import type { Codec, Ctx, EncodedRequest } from "../codecs/codec.ts";
import { collect } from "../core/collect.ts";
import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import { fromBatches, type CallOptions } from "../core/respond.ts";
import type { StopSignal } from "../core/stop.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { CreateResponse, ResponseResource } from "../model/index.ts";
import { forCall, planOf, type ConnectOptions, type UpstreamPlan } from "./call-plan.ts";
import { Call, type CallPlan } from "./call.ts";
import { urlOf, written } from "./exchange.ts";
import { ValueReader } from "./readers.ts";
import type { Answer, HttpRequest, WireUpstream } from "./upstream.ts";
import { openConnection, readHeaders } from "./websocket-open.ts";
import { SocketPool, type Taken } from "./websocket-pool.ts";
import { hasReachedItsAge } from "./websocket-connection.ts";
import { Turn, type TurnRequest } from "./websocket-turn.ts";
import type { OpenWebSocket } from "./websocket.ts";

/** What may be said about calls over WebSockets. */
export interface ConnectSocketOptions extends ConnectOptions {
  /** Opens sockets; the runtime's own way where left out. */
  webSocket?: OpenWebSocket;
  /** Whether plain HTTP takes over where no WebSocket can be had; it does where nothing is said. */
  fallback?: boolean;
  /** How many connections there may be at a time; 4 where nothing is said. Further requests wait. */
  connections?: number;
  /** Milliseconds after which an unused connection is closed; five minutes where nothing is said. */
  maxIdle?: number;
  /** Milliseconds after which a connection is replaced; 55 minutes where nothing is said, as servers end theirs after 60. */
  maxAge?: number;
  /** Subprotocols; in browsers, which send no headers, a place for the key. */
  protocols?: string[];
  /** Added to the socket's URL; the other place for the key. */
  query?: Record<string, string>;
}

const minute = 60_000;
/** Milliseconds that an unused connection stays open, and that any connection is used. Servers close theirs after an hour. */
export const defaultSocketAges = { maxIdle: 5 * minute, maxAge: 55 * minute };
const largestMessage = 32 * 1024 * 1024;
/** Statuses of a refused upgrade that say nothing about WebSockets as such. */
const passing: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** Says that a request found no working socket, and that nothing of an answer came. */
class NoSocket extends Error {
  readonly error: AntiphonError;
  constructor(error: AntiphonError) {
    super(error.message);
    this.error = error;
  }
}

/** The sockets of one upstream, and the calls over them. */
export class Sockets {
  readonly pool: SocketPool;
  readonly #http: UpstreamPlan;
  /** The upstream as its WebSocket sees it. */
  readonly #upstream: WireUpstream;
  readonly #options: ConnectSocketOptions;
  /** Until when no socket is tried, since the last one could not be had. */
  #awayUntil = 0;

  constructor(upstream: WireUpstream, options: ConnectSocketOptions) {
    const { connections = 4, maxAge = defaultSocketAges.maxAge, query } = options;
    this.#options = options;
    this.#http = planOf(upstream, options);
    this.pool = new SocketPool({ connections: Math.max(1, connections), maxAge });
    const { baseUrl, codec } = upstream;
    const encodeRequest = (ctx: Ctx): EncodedRequest => asMessage(codec.encodeRequest(ctx));
    this.#upstream = {
      ...upstream,
      baseUrl: baseUrl.replace(/^http/i, "ws"),
      query: { ...upstream.query, ...query },
      codec: { ...codec, encodeRequest },
    };
  }

  /** Whether a request is one for the sockets. The wire allows no background jobs on them. */
  serves({ background, previous_response_id }: CreateResponse): boolean {
    if (background === true) return false;
    return performance.now() >= this.#awayUntil || (previous_response_id != null && this.pool.holds(previous_response_id));
  }

  /** One call. */
  call(request: CreateResponse, options: CallOptions): Call {
    return new Call(this.#plan(request, options));
  }

  #plan(request: CreateResponse, call: CallOptions, warming = false): CallPlan {
    // Which way the answer comes is not known before.
    const { expect: _, ...plan } = forCall(this.#http, request, call);
    const { codec } = this.#upstream;
    return {
      ...plan,
      upstream: this.#upstream,
      send: (sent) => this.#send(sent, plan.ctx, warming),
      readerOf: async (answer) => (answer instanceof Turn ? new ValueReader(codec, plan.ctx) : plan.readerOf(answer)),
    };
  }

  /** Lets the server prepare a request without answering it. */
  async warmUp(request: CreateResponse, call: CallOptions = {}): Promise<ResponseResource | undefined> {
    if (!this.serves(request)) return undefined;
    // A field of this transport alone, which no other request has.
    const prepared = { ...request, generate: false } as CreateResponse;
    try {
      return await collect(fromBatches(() => new Call(this.#plan(prepared, { retry: { retries: 0 }, ...call }, true))));
    } catch (error) {
      if (this.serves(request)) throw error;
      return undefined;
    }
  }

  async #send(request: HttpRequest, ctx: Ctx, warming: boolean): Promise<Answer> {
    try {
      // A second attempt may find that the first one had to do without.
      if (this.serves(ctx.request)) return await this.#exchange(request, ctx.request);
    } catch (thrown) {
      if (!(thrown instanceof NoSocket)) throw thrown;
      if (this.#options.fallback === false) throw thrown.error;
      this.#stayAway(thrown.error);
      if (warming) throw thrown.error;
    }
    const { upstream, transport } = this.#http;
    const { path, body } = upstream.codec.encodeRequest(ctx);
    return transport({ ...request, url: urlOf(upstream, path), body: written(body) });
  }

  /** A server that does not know of WebSockets is not asked again; a failure of any other kind may pass. */
  #stayAway({ code, status = 0 }: AntiphonError): void {
    const never = code === "UNSUPPORTED" || (status >= 400 && status < 500 && !passing.has(status));
    this.#awayUntil = never ? Number.POSITIVE_INFINITY : performance.now() + minute;
  }

  /** Sends a message until its first answer is there: a second time where a connection turns out to be dead or too old. */
  async #exchange(request: HttpRequest, { previous_response_id, store }: CreateResponse): Promise<Turn> {
    const previous = previous_response_id ?? undefined;
    const turnRequest: TurnRequest = { body: request.body ?? "", previous, stored: store !== false };
    for (let fresh = false; ; fresh = true) {
      const { connection, reused } = await this.#take(request, previous, fresh);
      const turn = connection.begin(turnRequest);
      const first = await firstOf(turn, request.signal);
      if (first instanceof AntiphonError) {
        // `close()` stops a request without its signal.
        if (request.once || request.signal?.aborted || first.code === "ABORTED" || first.code === "PROTOCOL") throw first;
        if (reused) continue;
        throw new NoSocket(first);
      }
      const error = errorIn(first, this.#upstream.codec);
      if (!error) return turn;
      if (fresh || !hasReachedItsAge(first)) throw error;
    }
  }

  #take(request: HttpRequest, previous: string | undefined, fresh: boolean): Promise<Taken> {
    const { url, headers, connectTimeout = 0, signal } = request;
    const {
      webSocket = defaultWebSocket,
      protocols = [],
      query,
      maxEventBytes = largestMessage,
      maxIdle = defaultSocketAges.maxIdle,
    } = this.#options;
    const place = {
      upstream: this.#upstream,
      url,
      key: JSON.stringify([url, headers]),
      open: webSocket,
      options: { headers, protocols, authorized: protocols.length > 0 || query !== undefined, maxMessageBytes: maxEventBytes },
      limits: { maxMessageBytes: maxEventBytes, maxIdle },
      connectTimeout,
      signal,
    };
    const open = (): ReturnType<typeof openConnection> =>
      openConnection(place).catch((error: AntiphonError) => {
        throw signal?.aborted ? error : new NoSocket(error);
      });
    return this.pool.take({ key: place.key, previous, fresh, signal, open });
  }
}

/** The first message of an answer, or why there is none. */
async function firstOf(turn: Turn, signal: StopSignal | undefined): Promise<unknown> {
  const stop = (): void => turn.cancel(abortError(signal?.reason));
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    return await turn.first();
  } catch (thrown) {
    return toAntiphonError(thrown, "CONNECTION_ERROR");
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** The error that a message is, read like one of HTTP. */
function errorIn(message: unknown, codec: Codec): AntiphonError | undefined {
  if (!isObject(message) || message["type"] !== "error") return undefined;
  const status = message["status"] ?? message["status_code"];
  return typeof status === "number"
    ? codec.decodeError(status, readHeaders(message["headers"]), message)
    : (codec.errorIn(message) ?? undefined);
}

/** A request as it goes over a socket: what HTTP says of streams has no place there. */
function asMessage({ path, body, losses }: EncodedRequest): EncodedRequest {
  const { stream: _, background: __, stream_options, ...rest } = body as JsonObject;
  const lost = stream_options == null ? [] : [{ path: "stream_options", reason: "WebSockets do not support `stream_options`." }];
  return { path, body: { type: "response.create", ...rest }, losses: [...losses, ...lost] };
}

import { AntiphonError } from "../core/error.ts";
import { checkOptions, func, limit, listOf, milliseconds, strings, text, yesOrNo, type Rules } from "../core/options.ts";
import { LateBatches } from "../core/late-batches.ts";
import { batchesOf, fromBatches, type CallOptions, type Respond } from "../core/respond.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../model/index.ts";
import { checkCall } from "./check-request.ts";
import { checkUpstream, connectRules } from "./connect-rules.ts";
import { respondOf } from "./connect.ts";
import type { Upstream } from "./upstream.ts";
import type { ConnectSocketOptions, Sockets } from "./websocket-exchange.ts";

export type { ConnectSocketOptions } from "./websocket-exchange.ts";

/** A model that answers over WebSockets. */
export interface SocketRespond extends Respond {
  /** Whom it asks. */
  readonly upstream: Upstream;
  /**
   * Opens a connection and lets the server prepare instructions, tools and input without answering. Gives the response to go on
   * from with `previous_response_id`, or nothing where there is no WebSocket.
   */
  warmUp(request: CreateResponse, call?: CallOptions): Promise<ResponseResource | undefined>;
  /** Whether a connection holds a response, so that a request can go on from it although it was not stored. */
  holds(responseId: string): boolean;
  /** Closes all connections. A later request opens a new one. */
  close(): void;
}

const socketRules: Rules<ConnectSocketOptions> = {
  ...connectRules,
  webSocket: func,
  fallback: yesOrNo,
  connections: limit(1),
  maxIdle: milliseconds,
  maxAge: milliseconds,
  protocols: listOf(text),
  query: strings,
};

/**
 * Like `connect`, but sends all requests over one WebSocket. Where none can be had, it is asked over HTTP.
 *
 * @example
 * const respond = connectSocket(provider("openai"));
 * const first = await collect(respond({ input: "Hello", store: false }));
 * const second = await collect(respond({ input: "Go on.", store: false, previous_response_id: first.id }));
 * respond.close();
 */
export function connectSocket(upstream: Upstream, options: ConnectSocketOptions = {}): SocketRespond {
  checkUpstream("connectSocket", upstream);
  checkOptions("connectSocket", options, socketRules);
  const http = respondOf(upstream, options);
  if ("respond" in upstream || upstream.codec.wire !== "responses") return withoutSockets(upstream, http, options);
  let sockets: Sockets | undefined;
  // Most who could ask over sockets do not: the code for them is loaded when it is needed.
  const load = async (): Promise<Sockets> => {
    const { Sockets } = await import("./websocket-exchange.ts");
    return (sockets ??= new Sockets(upstream, options));
  };
  const open = async (request: CreateResponse, call: CallOptions): Promise<AsyncIterator<ResponseEvent[]>> => {
    checkCall(request, call);
    const made = await load();
    return made.serves(request) ? made.call(request, call) : batchesOf(http(request, call));
  };
  const respond: Respond = (request, call = {}) => fromBatches(() => new LateBatches(() => open(request, call)));
  return Object.assign(respond, {
    upstream,
    warmUp: async (request: CreateResponse, call?: CallOptions) => (await load()).warmUp(request, call),
    holds: (responseId: string) => sockets?.pool.holds(responseId) ?? false,
    close: () => sockets?.pool.close(new AntiphonError("ABORTED", "The caller closed the connection.")),
  });
}

function withoutSockets(upstream: Upstream, respond: Respond, { fallback = true }: ConnectSocketOptions): SocketRespond {
  const { name } = upstream;
  if (!fallback) throw new AntiphonError("UNSUPPORTED", `The provider ${name} does not support WebSockets.`, { provider: name });
  return Object.assign(respond, { upstream, warmUp: () => Promise.resolve(undefined), holds: () => false, close: () => {} });
}

import type { AgentOptions } from "node:https";
import { abortError } from "../core/error.ts";
import type { Transport } from "../transport/upstream.ts";
import { createHttpClient, httpUrl, ownHeaders } from "./http-client.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { basic, environmentProxy } from "./proxy.ts";
import { RequestWriter } from "./request-writer.ts";
import { Connections, Sweeper, type KeepOptions } from "./socket-connections.ts";
import { Exchange, type Place } from "./socket-exchange.ts";
import { SocketOpener } from "./socket-opener.ts";

/** How long an unused connection is kept; servers announce less, and then less is taken. */
const keepTime = 30_000;
/** Enough for those that are asked again and again. */
const mostPlaces = 256;

/** Sends requests over sockets, through a pool of connections for each server; behind a proxy, over `node:http`. */
export function createSocketClient(options: HttpTransportOptions): Transport {
  const places = new Places(options);
  const byProxy = createHttpClient(options);
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(abortError(request.signal.reason));
      const place = places.find(request.url);
      if (place) new Exchange(request, place, resolve, reject).send();
      else resolve(byProxy(request));
    });
}

/** Knows the pools, and where URLs lead. */
class Places {
  readonly #proxyOf: (url: URL) => unknown;
  readonly #agent: AgentOptions;
  readonly #keep: KeepOptions;
  readonly #pools = new Map<string, Connections>();
  readonly #sweeper = new Sweeper();
  readonly #known = new Map<string, Place>();

  constructor({ proxy, agent = {} }: HttpTransportOptions) {
    this.#proxyOf = proxy === undefined ? environmentProxy(process.env) : () => proxy;
    this.#agent = agent;
    const { maxSockets, maxFreeSockets, timeout = keepTime, keepAlive } = agent;
    const time = keepAlive === false ? 0 : timeout || Number.POSITIVE_INFINITY;
    this.#keep = { most: maxSockets ?? Number.POSITIVE_INFINITY, mostIdle: maxFreeSockets ?? Number.POSITIVE_INFINITY, time };
  }

  /** Nothing where a proxy is in between. */
  find(text: string): Place | undefined {
    return this.#known.get(text) ?? this.#look(text);
  }

  #look(text: string): Place | undefined {
    const url = httpUrl(text, "The base URL must begin with `http://` or `https://`.");
    if (this.#proxyOf(url)) return undefined;
    if (this.#known.size >= mostPlaces) this.#tidy();
    const { host, pathname, search } = url;
    const authorization = basic(url);
    const defaults = { host, ...ownHeaders, ...(authorization && { authorization }) };
    const place = { host, writer: new RequestWriter(pathname + search, defaults), connections: this.#poolOf(url) };
    this.#known.set(text, place);
    return place;
  }

  #poolOf(url: URL): Connections {
    const pool = this.#pools.get(url.origin) ?? new Connections(new SocketOpener(url, this.#agent), this.#keep, this.#sweeper);
    this.#pools.set(url.origin, pool);
    return pool;
  }

  /** Forgets all places, and the servers that there is no connection to. */
  #tidy(): void {
    this.#known.clear();
    for (const [origin, pool] of this.#pools) if (pool.isEmpty) this.#pools.delete(origin);
  }
}

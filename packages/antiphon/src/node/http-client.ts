import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { AntiphonError } from "../core/error.ts";
import { abortError, connectionError, connectTimeoutError, systemCode } from "../transport/connection-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "../transport/upstream.ts";
import { HttpBody } from "./http-body.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { environmentProxy, proxyHeaders, TunnelAgent } from "./proxy.ts";

/** How long an unused connection is kept; servers announce less, and then less is taken. */
const keepTime = 30_000;

/** How a request reaches its server: the options of `node:http`, and what to call the place in messages. */
interface Route {
  secure: boolean;
  host: string;
  options: RequestOptions & { agent: HttpAgent };
}

/** Sends requests through one pool of connections. */
export function createHttpClient(options: HttpTransportOptions): Transport {
  const router = new Router(options);
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(abortError(request.signal.reason));
      new Exchange(request, router.route(request), resolve, reject).send();
    });
}

/** Chooses agents and proxies. */
class Router {
  readonly #proxyOf: (url: URL) => URL | undefined;
  readonly #agentOptions: object;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;
  readonly #tunnels = new Map<string, TunnelAgent>();

  constructor({ proxy, agent }: HttpTransportOptions) {
    const explicit = proxy ? new URL(proxy) : undefined;
    this.#proxyOf = proxy === undefined ? environmentProxy(process.env) : () => explicit;
    this.#agentOptions = { keepAlive: true, scheduling: "lifo", timeout: keepTime, ...agent };
    this.#plain = new HttpAgent(this.#agentOptions);
    this.#secure = new HttpsAgent(this.#agentOptions);
  }

  route({ method, url: text, headers }: HttpRequest): Route {
    if (!URL.canParse(text) || !/^https?:/i.test(text))
      throw new AntiphonError("BAD_REQUEST", "The base URL is not an HTTP URL.");
    const url = new URL(text);
    const proxy = this.#proxyOf(url);
    const secure = url.protocol === "https:";
    const common = {
      method,
      headers: { "accept-encoding": "identity", "user-agent": "antiphon", ...headers },
      ...credentials(url),
    };
    const direct = { ...common, hostname: bare(url.hostname), port: url.port, path: url.pathname + url.search };
    if (!proxy) return { secure, host: url.host, options: { ...direct, agent: secure ? this.#secure : this.#plain } };
    if (secure) return { secure, host: url.host, options: { ...direct, agent: this.#tunnel(proxy) } };
    // A proxy is asked for plain HTTP by the whole URL.
    const path = `${url.origin}${url.pathname}${url.search}`;
    const all = { ...common, headers: { host: url.host, ...common.headers, ...proxyHeaders(proxy) } };
    const viaTls = proxy.protocol === "https:";
    const place = { hostname: bare(proxy.hostname), port: proxy.port, path, agent: viaTls ? this.#secure : this.#plain };
    return { secure: viaTls, host: `${url.host} by way of the proxy ${proxy.host}`, options: { ...all, ...place } };
  }

  #tunnel(proxy: URL): TunnelAgent {
    const agent = this.#tunnels.get(proxy.href) ?? new TunnelAgent(proxy, this.#agentOptions);
    this.#tunnels.set(proxy.href, agent);
    return agent;
  }
}

/** Brackets belong to the URL, not to the address. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

const credentials = ({ username, password }: URL): { auth?: string } =>
  username ? { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` } : {};

/** One request and its answer. */
class Exchange {
  readonly #request: HttpRequest;
  readonly #route: Route;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: AntiphonError) => void;
  #client: ClientRequest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #connected = false;
  #bytesBefore = 0;
  #body: HttpBody | undefined;
  #again = false;

  constructor(
    request: HttpRequest,
    route: Route,
    resolve: (response: HttpResponse) => void,
    reject: (error: AntiphonError) => void,
  ) {
    this.#request = request;
    this.#route = route;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { body, connectTimeout, signal } = this.#request;
    const { secure, host, options } = this.#route;
    try {
      this.#client = (secure ? requestHttps : requestHttp)(options);
    } catch (cause) {
      // Node names the header that holds what HTTP does not allow, never its value.
      return this.#reject(new AntiphonError("BAD_REQUEST", cause instanceof Error ? cause.message : String(cause), { cause }));
    }
    const client = this.#client;
    client.once("socket", (socket) => this.#onSocket(socket));
    client.once("response", (message) => this.#onResponse(message));
    client.on("error", (error) => this.#onError(client, error));
    signal?.addEventListener("abort", this.#onAbort);
    if (connectTimeout) this.#timer = setTimeout(() => client.destroy(connectTimeoutError(host, connectTimeout)), connectTimeout);
    client.end(body);
  }

  #onSocket(socket: Socket): void {
    this.#bytesBefore = socket.bytesRead;
    if (!socket.connecting) return this.#onConnect();
    socket.once(this.#route.secure ? "secureConnect" : "connect", () => this.#onConnect());
  }

  #onConnect(): void {
    this.#connected = true;
    clearTimeout(this.#timer);
  }

  #onResponse(message: IncomingMessage): void {
    const encoding = message.headers["content-encoding"] ?? "identity";
    if (encoding === "identity") return this.#answer(message, message);
    import("./decompress.ts")
      .then(({ decompress }) => this.#answer(message, decompress(message, encoding)))
      .catch((error: Error) => this.#client?.destroy(error));
  }

  #answer(message: IncomingMessage, body: Readable): void {
    this.#body = new HttpBody(message, body, this.#route.host, () => this.#settle());
    this.#resolve(this.#body);
  }

  readonly #onAbort = (): void => {
    const error = abortError(this.#request.signal?.reason);
    if (this.#body) this.#body.fail(error);
    this.#client?.destroy(error);
  };

  #onError(client: ClientRequest, error: Error): void {
    if (this.#body) return this.#body.fail(error);
    if (this.#isStale(client, error)) return this.#sendAgain();
    this.#settle();
    if (error instanceof AntiphonError) return this.#reject(error);
    this.#reject(connectionError(this.#route.host, this.#connected ? "answer" : "connect", error));
  }

  /** Whether the server had closed a kept-alive connection just when it was used again, and so never saw the request. */
  #isStale(client: ClientRequest, error: Error): boolean {
    const code = systemCode(error);
    const untouched = client.reusedSocket && (client.socket?.bytesRead ?? 0) === this.#bytesBefore;
    return untouched && (code === "ECONNRESET" || code === "EPIPE") && !this.#again && !this.#request.once;
  }

  #sendAgain(): void {
    this.#settle();
    this.#again = true;
    this.#connected = false;
    const { agent, hostname, port } = this.#route.options;
    const place = `${hostname}:${port || (this.#route.secure ? 443 : 80)}:`;
    // What was kept beside a dead connection is most likely as dead.
    for (const [name, sockets = []] of Object.entries(agent.freeSockets))
      if (name.startsWith(place)) for (const socket of sockets) socket.destroy();
    this.send();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }
}

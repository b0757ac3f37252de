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
import { abortError, AntiphonError, toAntiphonError } from "../core/error.ts";
import { connectionError, connectTimeoutError, systemCode } from "../transport/connection-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "../transport/upstream.ts";
import { HttpBody } from "./http-body.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { environmentProxy, proxyHeaders, TunnelAgent } from "./proxy.ts";

/** How long an unused connection is kept; servers announce less, and then less is taken. */
export const keepTime = 30_000;

export const ownHeaders = { "accept-encoding": "identity", "user-agent": "antiphon" };

/** Where a URL leads: the options of `node:http`, and what to call the place in messages. */
interface Place {
  secure: boolean;
  host: string;
  options: RequestOptions & { agent: HttpAgent };
  /** What the way there wants to know beside the request. */
  headers: Record<string, string>;
}

/** Sends requests through one pool of connections. */
export function createHttpClient(options: HttpTransportOptions): Transport {
  const router = new Router(options);
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(abortError(request.signal.reason));
      new Exchange(request, router.place(request.url), resolve, reject).send();
    });
}

/** Chooses agents and proxies. */
class Router {
  readonly #proxyOf: (url: URL) => URL | undefined;
  readonly #agentOptions: object;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;
  readonly #tunnels = new Map<string, TunnelAgent>();
  #last = "";
  #place: Place | undefined;

  constructor({ proxy, agent }: HttpTransportOptions) {
    const explicit = proxy ? httpUrl(proxy, "The proxy URL must begin with `http://` or `https://`.") : undefined;
    this.#proxyOf = proxy === undefined ? environmentProxy(process.env) : () => explicit;
    this.#agentOptions = { keepAlive: true, scheduling: "lifo", timeout: keepTime, ...agent };
    this.#plain = new HttpAgent(this.#agentOptions);
    this.#secure = new HttpsAgent(this.#agentOptions);
  }

  /** One URL is asked for again and again, so the last one's place is kept. */
  place(text: string): Place {
    if (this.#place && text === this.#last) return this.#place;
    const url = httpUrl(text, "The base URL must begin with `http://` or `https://`.");
    const proxy = this.#proxyOf(url);
    this.#place = proxy && url.protocol === "http:" ? this.#behind(proxy, url) : this.#straight(url, proxy);
    this.#last = text;
    return this.#place;
  }

  #straight(url: URL, proxy: URL | undefined): Place {
    const secure = url.protocol === "https:";
    const agent = proxy ? this.#tunnel(proxy) : this.#agent(secure);
    const path = url.pathname + url.search;
    const options = { hostname: bare(url.hostname), port: url.port, path, agent, ...credentials(url) };
    return { secure, host: url.host, options, headers: {} };
  }

  /** A proxy is asked for plain HTTP by the whole URL. */
  #behind(proxy: URL, url: URL): Place {
    const secure = proxy.protocol === "https:";
    const path = `${url.origin}${url.pathname}${url.search}`;
    const options = { hostname: bare(proxy.hostname), port: proxy.port, path, agent: this.#agent(secure), ...credentials(url) };
    const headers = { host: url.host, ...proxyHeaders(proxy) };
    return { secure, host: `${url.host} through the proxy ${proxy.host}`, options, headers };
  }

  #agent(secure: boolean): HttpAgent {
    return secure ? this.#secure : this.#plain;
  }

  #tunnel(proxy: URL): TunnelAgent {
    const agent = this.#tunnels.get(proxy.href) ?? new TunnelAgent(proxy, this.#agentOptions);
    this.#tunnels.set(proxy.href, agent);
    return agent;
  }
}

/** A URL, or an error that does not repeat it: there may be a password in it. */
export function httpUrl(text: string, complaint: string): URL {
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text);
  throw new AntiphonError("BAD_REQUEST", complaint);
}

/** Brackets belong to the URL, not to the address. */
export const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

const credentials = ({ username, password }: URL): { auth?: string } =>
  username ? { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` } : {};

/** One request and its answer. */
class Exchange {
  readonly #request: HttpRequest;
  readonly #place: Place;
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
    place: Place,
    resolve: (response: HttpResponse) => void,
    reject: (error: AntiphonError) => void,
  ) {
    this.#request = request;
    this.#place = place;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(): void {
    const { method, body, connectTimeout, signal } = this.#request;
    const { secure, host, options } = this.#place;
    const headers = { ...ownHeaders, ...this.#place.headers, ...this.#request.headers };
    try {
      this.#client = (secure ? requestHttps : requestHttp)({ ...options, method, headers });
    } catch (cause) {
      // Node names the header that holds what HTTP does not allow, never its value.
      return this.#reject(new AntiphonError("BAD_REQUEST", cause instanceof Error ? cause.message : String(cause), { cause }));
    }
    const client = this.#client;
    client.once("socket", (socket) => this.#onSocket(socket));
    client.once("response", (message) => this.#onResponse(message));
    client.on("error", (error) => this.#onError(client, error));
    signal?.addEventListener("abort", this.#onAbort);
    if (connectTimeout) this.#timer = setTimeout(() => this.#giveUp(connectTimeoutError(host, connectTimeout)), connectTimeout);
    client.end(body);
  }

  #onSocket(socket: Socket): void {
    this.#bytesBefore = socket.bytesRead;
    if (!socket.connecting) return this.#onConnect();
    socket.once(this.#place.secure ? "secureConnect" : "connect", () => this.#onConnect());
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
      .catch((error: unknown) => this.#giveUp(toAntiphonError(error, "PROTOCOL")));
  }

  #answer(message: IncomingMessage, body: Readable): void {
    this.#body = new HttpBody(message, body, this.#place.host, () => this.#settle());
    this.#resolve(this.#body);
  }

  readonly #onAbort = (): void => this.#giveUp(abortError(this.#request.signal?.reason));

  /** Tells at once: Node keeps an error to itself while its agent still looks for a connection. */
  #giveUp(error: AntiphonError): void {
    this.#settle();
    if (this.#body) this.#body.fail(error);
    else this.#reject(error);
    this.#client?.destroy(error);
  }

  #onError(client: ClientRequest, error: Error): void {
    if (this.#body) return this.#body.fail(error);
    // What was given up has been told of already.
    if (error instanceof AntiphonError) return this.#reject(error);
    if (this.#isStale(client, error)) return this.#sendAgain();
    this.#settle();
    this.#reject(connectionError(this.#place.host, this.#connected ? "answer" : "connect", error));
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
    const { agent, hostname, port } = this.#place.options;
    const name = `${hostname}:${port || (this.#place.secure ? 443 : 80)}:`;
    // What was kept beside a dead connection is most likely as dead.
    for (const [key, sockets = []] of Object.entries(agent.freeSockets))
      if (key.startsWith(name)) for (const socket of sockets) socket.destroy();
    this.send();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }
}

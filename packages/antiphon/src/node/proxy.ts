import { request as requestHttp, type ClientRequestArgs, type IncomingMessage } from "node:http";
import { Agent, request as requestHttps, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";

/** A tunnel that nobody waits for any more is given up after this; callers have their own, shorter timeout. */
export const proxyTimeout = 30_000;

type Done = (error: Error | null, socket: Duplex) => void;

/** Speaks TLS with its servers through a proxy. */
export class TunnelAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, callback?: Done): undefined {
    // `node:http` always gives the callback; where it fails, no socket is looked at.
    const done = (error: Error | null, socket?: Duplex): void => callback?.(error, socket as Duplex);
    const host = options.host ?? "";
    const target = `${host.includes(":") ? `[${host}]` : host}:${options.port ?? 443}`;
    const headers = { host: target, ...proxyHeaders(this.#proxy) };
    const { protocol, hostname, port } = this.#proxy;
    const place: ClientRequestArgs = {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      method: "CONNECT",
      path: target,
      headers,
    };
    const connect = (protocol === "https:" ? requestHttps : requestHttp)({ ...place, agent: false });
    connect.once("connect", (answer: IncomingMessage, socket: Duplex) => {
      if (answer.statusCode === 200) return this.#secure(options, socket, done);
      socket.destroy();
      done(Object.assign(new Error("The proxy rejected the connection"), { code: `PROXY_STATUS_${answer.statusCode}` }));
    });
    connect.once("error", done);
    connect.setTimeout(proxyTimeout, () => connect.destroy(new Error("The proxy does not respond")));
    connect.end();
    return undefined;
  }

  #secure(options: RequestOptions, socket: Duplex, done: (error: Error | null, socket?: Duplex) => void): void {
    // An `https` agent shakes hands over any stream that it is given; the types don't know this option.
    const secured = super.createConnection({ ...options, socket } as RequestOptions)!;
    const timer = setTimeout(() => secured.destroy(new Error("The TLS handshake timed out")), proxyTimeout);
    secured.once("error", done);
    secured.once("close", () => clearTimeout(timer));
    secured.once("secureConnect", () => {
      clearTimeout(timer);
      secured.off("error", done);
      done(null, secured);
    });
  }
}

/** What a proxy wants to know beside the request. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  const credentials = basic(proxy);
  return credentials ? { "proxy-authorization": credentials } : {};
}

/** The name and the password in a URL, in the form that HTTP has for them. */
export function basic({ username, password }: URL): string | undefined {
  if (!username) return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

const loopback = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** Which proxy the environment names for a URL. */
export function environmentProxy(env: Record<string, string | undefined>): (url: URL) => URL | undefined {
  const named = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const proxies = { "http:": parse(named("HTTP_PROXY")), "https:": parse(named("HTTPS_PROXY")) };
  const exceptions = (named("NO_PROXY") ?? "").split(/[\s,]+/).filter(Boolean);
  return (url) => {
    if (loopback.test(url.hostname) || exceptions.some((exception) => excepts(exception, url))) return undefined;
    return url.protocol === "https:" ? proxies["https:"] : proxies["http:"];
  };
}

// Many write the proxy without its scheme.
function parse(text: string | undefined): URL | undefined {
  const full = text && !text.includes("://") ? `http://${text}` : text;
  return full && URL.canParse(full) && /^https?:/.test(full) ? new URL(full) : undefined;
}

/** `*`, `host`, `.suffix` or `*.suffix`, each with a port or without. */
function excepts(exception: string, url: URL): boolean {
  if (exception === "*") return true;
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
  if (port && port !== (url.port || (url.protocol === "https:" ? "443" : "80"))) return false;
  const suffix = name.replace(/^\*?\./, "");
  return url.hostname === suffix || url.hostname.endsWith(`.${suffix}`);
}

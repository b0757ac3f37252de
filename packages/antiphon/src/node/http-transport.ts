import type { AgentOptions } from "node:https";
import { checkOptions } from "../core/options.ts";
import type { Transport } from "../transport/upstream.ts";
import { proxyRules } from "./proxy-rules.ts";

export { defaultWebSocket } from "./web-socket.ts";

export interface HttpTransportOptions {
  /**
   * The proxy for every request: `http://user:password@proxy:3128`. Where it is left out, `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`
   * are read at the first request, and loopback addresses are never proxied; `false` goes without.
   */
  proxy?: string | false;
  /** For the connection pool and TLS: `maxSockets`, `ca`, `cert`, … */
  agent?: AgentOptions;
}

/**
 * Creates a transport over `node:http` and `node:https` with keep-alive connections. It uses less CPU than `fetch`.
 *
 * @example
 * const respond = connect(upstream, { transport: createHttpTransport({ proxy: "http://localhost:3128" }) });
 */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  checkOptions("createHttpTransport", options, proxyRules);
  let send: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return async (request) => {
    // The modules take some milliseconds to load, which only those should pay who send something.
    send ??= await (loading ??= import("./http-client.ts").then(({ createHttpClient }) => createHttpClient(options)));
    return send(request);
  };
}

/** The default transport on Node. */
export const defaultTransport: Transport = createHttpTransport();

const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** A text with a character for each byte, in which bytes can be looked up by words. */
export const latin1 = (bytes: Uint8Array, from = 0, to = bytes.length): string => bufferOf(bytes).toString("latin1", from, to);

/** Whether some bytes have these words in them. */
export const includes = (bytes: Uint8Array, words: string): boolean => bufferOf(bytes).includes(words, 0, "latin1");

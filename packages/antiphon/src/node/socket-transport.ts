import { checkOptions } from "../core/options.ts";
import type { Transport } from "../transport/upstream.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { proxyRules } from "./proxy-rules.ts";

/**
 * Creates a transport with its own HTTP/1.1 client, for servers that send thousands of requests. Where there is a
 * proxy, `node:http` is used.
 *
 * @example
 * const respond = connect(upstream, { transport: createSocketTransport() });
 */
export function createSocketTransport(options: HttpTransportOptions = {}): Transport {
  checkOptions("createSocketTransport", options, proxyRules);
  let send: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return (request) => {
    if (send) return send(request);
    loading ??= import("./socket-client.ts").then(({ createSocketClient }) => (send = createSocketClient(options)));
    return loading.then((loaded) => loaded(request));
  };
}

import { checkOptions } from "../core/options.ts";
import type { Transport } from "../transport/upstream.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { proxyRules } from "./proxy-rules.ts";

/**
 * A transport with an HTTP/1.1 client of its own on `node:net` and `node:tls`: for servers and others that send thousands of requests,
 * each of which costs a fraction of what it costs over `node:http`. Where there is a proxy, `node:http` is used.
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

import type { GatewayConfig } from "./config.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { bindingOf } from "./keys/binding.ts";
import { HttpServer } from "./node/server.ts";
import { acceptSockets } from "./node/web-sockets.ts";

export { tuneProcess } from "./node/tune.ts";

/** How a gateway is put on the network. */
export interface ServeOptions extends GatewayConfig {
  /** `127.0.0.1` where nothing is said. */
  host?: string;
  /** 8787 where nothing is said; `0` takes any that is free. */
  port?: number;
  /** Whether to listen for others than this machine though there is no key. */
  open?: boolean;
}

/** A gateway that listens. */
export interface Served {
  url: string;
  /** What whoever started it should know about who can come in. */
  note: string | undefined;
  gateway: Gateway;
  /** Stops listening, finishes or parks what runs, and closes. */
  close(options?: { signal?: AbortSignal }): Promise<void>;
}

const usualPort = 8787;

/**
 * Starts a gateway on a local port.
 *
 * @example
 * const { url, close } = await startGateway({ port: 0 });
 */
export async function startGateway({ host, port = usualPort, open = false, ...config }: ServeOptions = {}): Promise<Served> {
  // Who opens it to others cannot know by which names they come.
  const gateway = await createGateway(open ? { hosts: ["*"], ...config } : config);
  try {
    const binding = bindingOf({ host, hasKeys: await gateway.context.hasKeys(), allowOpen: open });
    const { context } = gateway;
    const sockets = acceptSockets(gateway);
    if (context.metrics) context.metrics.gauges.sockets = () => sockets.size;
    const server = new HttpServer({
      limits: context.limits,
      handle: gateway.handle,
      upgrade: sockets.upgrade,
      isClosing: () => context.draining,
    });
    // A connection that could not be taken in is no reason to end.
    const onError = (error: Error): void => context.telemetry.log({ level: "error", message: "server", error });
    const bound = await server.listen(port, binding.host, onError);
    const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
    return {
      url: `http://${name}:${bound.port}`,
      note: binding.note,
      gateway,
      close: async (options) => {
        server.close();
        await gateway.close(options);
        sockets.close();
        server.closeAll();
      },
    };
  } catch (thrown) {
    await gateway.close();
    throw thrown;
  }
}

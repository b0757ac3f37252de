// Declarations of modules cannot be imported.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./undici-parts.d.ts" />
import { AntiphonError } from "../core/error.ts";
import type { Transport } from "../transport/upstream.ts";
import type { HttpTransportOptions } from "./http-transport.ts";

/**
 * A transport over the package `undici`, which is loaded at the first request: for servers and others that send thousands of requests,
 * each of which costs about half of what it costs over `node:http`. Where there is a proxy, `node:http` is used.
 *
 * @example
 * const respond = connect(upstream, { transport: createUndiciTransport() });
 */
export function createUndiciTransport(options: HttpTransportOptions = {}): Transport {
  let send: Transport | undefined;
  let loading: Promise<Transport> | undefined;
  return async (request) => {
    send ??= await (loading ??= load(options));
    return send(request);
  };
}

async function load(options: HttpTransportOptions): Promise<Transport> {
  // Only what is used: all of the package takes three times as long to load, and five megabytes more.
  const parts = Promise.all([import("undici/lib/dispatcher/client.js"), import("undici/lib/core/connect.js")]);
  const [client, connect] = await parts.catch((cause: unknown) => {
    throw new AntiphonError("UNSUPPORTED", "This transport needs the package `undici`: `npm install undici@6`.", { cause });
  });
  const { createUndiciClient } = await import("./undici-client.ts");
  return createUndiciClient({ Client: client.default, buildConnector: connect.default }, options);
}

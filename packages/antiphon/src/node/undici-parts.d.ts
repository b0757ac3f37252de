/** The parts of undici that are loaded by themselves, which it has no types for. */
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const client: typeof Client;
  export default client;
}

declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";
  const build: typeof buildConnector;
  export default build;
}

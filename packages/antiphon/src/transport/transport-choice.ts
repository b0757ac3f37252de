import { defaultTransport } from "#transport";
import { fetchTransport } from "./fetch-transport.ts";
import type { Transport } from "./upstream.ts";

/** How requests travel; the runtime's own best way where nothing is said. */
export interface TransportChoice {
  /** Sends requests through this function. */
  fetch?: typeof globalThis.fetch;
  /** The same, one level lower; it wins over `fetch`. */
  transport?: Transport;
}

/** The transport that was chosen. */
export const transportOf = ({ fetch, transport }: TransportChoice): Transport =>
  transport ?? (fetch ? fetchTransport(fetch) : defaultTransport);

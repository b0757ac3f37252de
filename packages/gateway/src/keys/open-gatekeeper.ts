import { isLoopback } from "../security/addresses.ts";
import type { Admission, Caller, Gatekeeper } from "./gatekeeper.ts";
import { refusals } from "./refusals.ts";

/** How a gateway without keys tells its own user from web pages in the user's browser. */
export interface OpenDoor {
  /** Names under which it may be asked beside those of this machine, or `*` for any. */
  hosts?: readonly string[];
  /** Whether pages of an origin may use it; those that this machine serves always may. */
  allowsOrigin?: (origin: string) => boolean;
}

const local: Caller = Object.freeze({ owner: "local", key: undefined });
const admission: Admission = Object.freeze({ settle() {} });

/**
 * Lets in everybody who comes from this machine, and nobody's web page: any page may send requests to an address of this machine, and
 * by a name of its own that it points there even read the answers.
 */
export function openGatekeeper({ hosts = [], allowsOrigin = () => false }: OpenDoor = {}): Gatekeeper {
  const names = new Set(hosts.map((host) => host.toLowerCase()));
  const allowsHost = (host: string): boolean => names.has("*") || names.has(host) || isLoopback(host);
  return {
    authenticate: async (headers) => {
      const host = headers.get("host");
      if (host !== null && !allowsHost(nameOf(host))) throw refusals.foreignHost();
      const origin = headers.get("origin");
      if (origin !== null && !isLocalOrigin(origin) && !allowsOrigin(origin)) throw refusals.foreignOrigin(origin);
      return local;
    },
    admit: async () => admission,
    allows: () => true,
  };
}

/** Whether a request was made to a name of this machine, and by no page that is served elsewhere. */
export function isFromHere(headers: { get(name: string): string | null }): boolean {
  const [host, origin] = [headers.get("host"), headers.get("origin")];
  return (host === null || isLoopback(nameOf(host))) && (origin === null || isLocalOrigin(origin));
}

/** A host without its port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, "");

function isLocalOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return host !== undefined && isLoopback(nameOf(host));
}

import { AntiphonError } from "antiphon";
import { isLoopback } from "../security/addresses.ts";

interface BindingOptions {
  /** Where to listen; this machine alone where it is left out. */
  host?: string | undefined;
  hasKeys: boolean;
  /** Listens to others without any key, too: whoever can reach the gateway can use it. */
  allowOpen?: boolean | undefined;
}

/** Where a gateway listens, and what whoever starts it should be told. */
export interface Binding {
  host: string;
  note: string | undefined;
}

/**
 * Where to listen: without keys on this machine alone, unless that was asked for in so many words.
 *
 * @example
 * const { host, note } = bindingOf({ host: config.host, hasKeys: await hasKeys(store) });
 */
export function bindingOf({ host = "127.0.0.1", hasKeys, allowOpen = false }: BindingOptions): Binding {
  if (hasKeys) return { host, note: undefined };
  if (isLoopback(host))
    return {
      host,
      note: "No keys exist, so every program on this machine can use the gateway. Create a key with `antiphon keys create`.",
    };
  if (allowOpen)
    return {
      host,
      note: `No keys exist: anyone who can reach ${host} can use the gateway at your expense. Create a key with \`antiphon keys create\`.`,
    };
  throw new AntiphonError(
    "BAD_REQUEST",
    `Without keys, the gateway does not listen on ${host}, where others could use it. Create a key with \`antiphon keys create\`, or listen on 127.0.0.1.`,
    { vendorCode: "no_keys", param: "host" },
  );
}

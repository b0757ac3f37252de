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
      note: "There are no keys: anybody on this machine can use the gateway, and nobody else. `antiphon keys create` makes one.",
    };
  if (allowOpen) return { host, note: `There are no keys: whoever can reach ${host} can use the gateway and spends your money.` };
  throw new AntiphonError(
    "BAD_REQUEST",
    `There are no keys, so the gateway does not listen on ${host}, where others could use it. Make a key with \`antiphon keys create\`, or listen on 127.0.0.1.`,
    { vendorCode: "no_keys", param: "host" },
  );
}

import type { Store } from "../store/store.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { defaultTrust, KeyGatekeeper, type KeyChecks } from "./key-gatekeeper.ts";
import { openGatekeeper, type OpenDoor } from "./open-gatekeeper.ts";

export interface GatekeeperOptions extends KeyChecks {
  /** Who is let in while there is no key. */
  open?: OpenDoor;
}

/** A gatekeeper that goes by the keys of a store. */
export interface StoreGatekeeper extends Gatekeeper {
  /** Whether a key is needed to come in. */
  readonly needsKey: boolean;
  /** Writes down what was spent so far; to be called before the store is closed. */
  flush(): Promise<void>;
}

/** Whether a store has a key, also one that is no longer good: who once made keys wants the door shut. */
export const hasKeys = async (store: Pick<Store, "listKeys">): Promise<boolean> => (await store.listKeys()).length > 0;

/**
 * Creates the access control: open while the store has no key, restricted to key holders after that.
 *
 * @example
 * const gatekeeper = await createGatekeeper(store);
 * const caller = await gatekeeper.authenticate(request.headers);
 */
export async function createGatekeeper(
  store: Pick<Store, "findKey" | "listKeys" | "addSpending">,
  options: GatekeeperOptions = {},
): Promise<StoreGatekeeper> {
  const { trust = defaultTrust, now = Date.now } = options;
  const keyed = new KeyGatekeeper(store, options);
  const open = openGatekeeper(options.open);
  let lookedAt = now();
  let needsKey = await hasKeys(store);
  const current = async (): Promise<Gatekeeper> => {
    if (!needsKey && Math.abs(now() - lookedAt) >= trust) {
      lookedAt = now();
      needsKey = await hasKeys(store);
    }
    return needsKey ? keyed : open;
  };
  return {
    authenticate: async (headers) => (await current()).authenticate(headers),
    admit: async (caller, model) => (await current()).admit(caller, model),
    allows: (caller, model) => (needsKey ? keyed : open).allows(caller, model),
    charge: (key, took) => keyed.charge(key, took),
    flush: () => keyed.flush(),
    get needsKey() {
      return needsKey;
    },
  };
}

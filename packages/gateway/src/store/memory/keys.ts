import { taken } from "../failures.ts";
import { checkDollars, checkIds } from "../limits.ts";
import type { Store, StoredKey } from "../store.ts";

type Keys = Pick<Store, "createKey" | "findKey" | "listKeys" | "revokeKey" | "addSpending">;

export function keys(): Keys {
  const byId = new Map<string, StoredKey>();
  const byHash = new Map<string, StoredKey>();
  return {
    createKey: async (key) => {
      checkIds({ key: key.id, hash: key.hash, owner: key.owner });
      if (byId.has(key.id) || byHash.has(key.hash)) throw taken("key", key.id);
      const kept = structuredClone(key);
      byId.set(key.id, kept);
      byHash.set(key.hash, kept);
    },
    findKey: async (hash) => structuredClone(byHash.get(hash)),
    listKeys: async () => structuredClone([...byId.values()].sort(byAge)),
    revokeKey: async (id) => {
      const key = byId.get(id);
      if (key) key.revoked = true;
      return key !== undefined;
    },
    addSpending: async (id, dollars) => {
      checkDollars(dollars);
      const key = byId.get(id);
      if (key) key.spent += dollars;
      return key?.spent;
    },
  };
}

const byAge = (a: StoredKey, b: StoredKey): number => a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

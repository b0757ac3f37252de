import { taken } from "../failures.ts";
import { checkDollars, checkIds, isStorableId } from "../limits.ts";
import type { Store } from "../store.ts";
import { keyFrom, type KeyRow } from "../texts.ts";
import type { Engine } from "./engine.ts";

type Keys = Pick<Store, "createKey" | "findKey" | "listKeys" | "revokeKey" | "addSpending">;

export function keys({ database }: Engine): Keys {
  const table = `${database.schema}.keys`;
  const insert = database.prepare(
    `INSERT INTO ${table} (id, hash, created_at, spent, revoked, data) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING RETURNING 1`,
  );
  const find = database.prepare<KeyRow>(`SELECT * FROM ${table} WHERE hash = $1`);
  const list = database.prepare<KeyRow>(`SELECT * FROM ${table} ORDER BY created_at, id`);
  const revoke = database.prepare(`UPDATE ${table} SET revoked = true WHERE id = $1 RETURNING 1`);
  const spend = database.prepare<{ spent: number }>(`UPDATE ${table} SET spent = spent + $2 WHERE id = $1 RETURNING spent`);
  return {
    createKey: async (key) => {
      checkIds({ key: key.id, hash: key.hash, owner: key.owner });
      const made = await insert(key.id, key.hash, key.created_at, key.spent, key.revoked, JSON.stringify(key));
      if (made.length === 0) throw taken("key", key.id);
    },
    findKey: async (hash) => {
      const [row] = isStorableId(hash) ? await find(hash) : [];
      return row && keyFrom(row);
    },
    listKeys: async () => (await list()).map(keyFrom),
    revokeKey: async (id) => isStorableId(id) && (await revoke(id)).length > 0,
    addSpending: async (id, dollars) => {
      checkDollars(dollars);
      return isStorableId(id) ? (await spend(id, dollars))[0]?.spent : undefined;
    },
  };
}

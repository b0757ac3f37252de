import { taken } from "../failures.ts";
import { checkDollars, checkIds, isStorableId } from "../limits.ts";
import type { Store } from "../store.ts";
import { keyFrom, type KeyRow } from "../texts.ts";
import type { Engine } from "./engine.ts";

type Keys = Pick<Store, "createKey" | "findKey" | "listKeys" | "revokeKey" | "addSpending">;

export function keys({ database, transactions }: Engine): Keys {
  const insert = database.prepare(
    "INSERT INTO keys (id, hash, created_at, spent, revoked, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const find = database.prepare<KeyRow>("SELECT * FROM keys WHERE hash = ?");
  const list = database.prepare<KeyRow>("SELECT * FROM keys ORDER BY created_at, id");
  const revoke = database.prepare("UPDATE keys SET revoked = 1 WHERE id = ?");
  const spend = database.prepare<{ spent: number }>("UPDATE keys SET spent = spent + ? WHERE id = ? RETURNING spent");
  return {
    createKey: async (key) => {
      checkIds({ key: key.id, hash: key.hash, owner: key.owner });
      const data = JSON.stringify(key);
      await transactions.write(() => {
        const { changes } = insert.run(key.id, key.hash, key.created_at, key.spent, key.revoked ? 1 : 0, data);
        if (Number(changes) === 0) throw taken("key", key.id);
      });
    },
    findKey: (hash) =>
      transactions.read(() => {
        const row = isStorableId(hash) ? find.get(hash) : undefined;
        return row && keyFrom(row);
      }),
    listKeys: () => transactions.read(() => list.all().map(keyFrom)),
    revokeKey: async (id) => isStorableId(id) && (await transactions.write(() => Number(revoke.run(id).changes) > 0)),
    addSpending: async (id, dollars) => {
      checkDollars(dollars);
      return isStorableId(id) ? transactions.write(() => spend.get(dollars, id)?.spent) : undefined;
    },
  };
}

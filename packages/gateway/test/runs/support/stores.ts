import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { StoreLimits } from "../../../src/store/limits.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { postgresStore } from "../../../src/store/postgres.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { noPostgres, startPostgres, type TestPostgres } from "../../support/postgres.ts";

/** Data of one test, and the stores that were opened on it. */
export interface Data {
  /** Opens it as one more process would; memory is shared by all who open it. */
  open(limits?: Partial<StoreLimits>): Promise<Store>;
  close(): Promise<void>;
}

export type MakeData = () => Promise<Data>;

const onMemory: MakeData = async () => {
  let store: Store | undefined;
  return { open: async (limits) => (store ??= memoryStore({ ...(limits && { limits }) })), close: async () => store?.close() };
};

const onSqlite: MakeData = async () => {
  const folder = await mkdtemp(join(tmpdir(), "antiphon-runs-"));
  const stores: Store[] = [];
  return {
    open: async (limits) => {
      const store = await sqliteStore(join(folder, "store.db"), { pollMs: 10, ...(limits && { limits }) });
      stores.push(store);
      return store;
    },
    close: async () => {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

/** The same tests on every kind of store. */
export function onEveryStore(name: string, tests: (make: MakeData) => void): void {
  describe(`${name}, in memory`, () => tests(onMemory));
  describe(`${name}, with SQLite`, () => tests(onSqlite));
  describe.skipIf(noPostgres)(`${name}, with PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ""}`, () => {
    let server: TestPostgres;
    let made = 0;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());
    tests(async () => {
      const schema = `runs${(made += 1)}`;
      const stores: Store[] = [];
      return {
        open: async (limits) => {
          const store = await postgresStore(server.url, { schema, connections: 4, ...(limits && { limits }) });
          stores.push(store);
          return store;
        },
        close: async () => {
          for (const store of stores) await store.close();
        },
      };
    });
  });
}

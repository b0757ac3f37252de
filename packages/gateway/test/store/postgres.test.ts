import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { postgresStore, type PostgresOptions } from "../../src/store/postgres.ts";
import type { Store } from "../../src/store/store.ts";
import { noPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { testStore } from "./store-suite.ts";
import { completed, conversation, events, hour, message, stored } from "./suite/subject.ts";

describe.skipIf(noPostgres)(noPostgres ? `PostgreSQL (skipped: ${noPostgres})` : "PostgreSQL", () => {
  let server: TestPostgres;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
  });

  testStore("postgresStore", async (limits) => {
    const open: Store[] = [];
    const again = async (): Promise<Store> => {
      const store = await postgresStore(server.url, { schema: "suite", limits, connections: 6 });
      open.push(store);
      return store;
    };
    const close = async (): Promise<void> => {
      for (const store of open) await store.close();
    };
    const store = await again();
    // Emptied, since making tables takes longer than most tests.
    await admin.query("DELETE FROM suite.responses; DELETE FROM suite.conversations; DELETE FROM suite.keys");
    return { store, again, close };
  });

  describe("postgresStore", () => {
    const open: Store[] = [];
    afterEach(async () => {
      for (const store of open.splice(0)) await store.close();
    });
    const use = async (options: PostgresOptions = {}): Promise<Store> => {
      const store = await postgresStore(server.url, options);
      open.push(store);
      return store;
    };

    test("makes its tables once when many gateways start together", async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, () => use({ schema: "together" })));
      const kept = stored();
      await stores[0]!.createResponse(kept);
      expect(await stores[5]!.getResponse(kept.id, "ada")).toEqual(kept);
      const { rows } = await admin.query("SELECT version FROM together.migrations");
      expect(rows).toEqual([{ version: 1 }]);
    });

    test("takes a schema that was made for a role that may make none", async () => {
      await admin.query("CREATE ROLE guest LOGIN; CREATE SCHEMA guests AUTHORIZATION guest");
      const store = await postgresStore(server.url.replace("postgres@", "guest@"), { schema: "guests" });
      open.push(store);
      expect(await store.listKeys()).toEqual([]);
    });

    test("has any name for its schema", async () => {
      const [one, two] = [await use({ schema: 'odd "name" \'s' }), await use({ schema: "Odd" })];
      const kept = stored();
      await one.createResponse(kept);
      expect(await two.getResponse(kept.id, "ada")).toBeUndefined();
      expect(await (await use({ schema: 'odd "name" \'s' })).getResponse(kept.id, "ada")).toEqual(kept);
    });

    test("refuses tables that a newer version made, and says so", async () => {
      await use({ schema: "newer" });
      await admin.query("INSERT INTO newer.migrations (version) VALUES (99)");
      await expect(postgresStore(server.url, { schema: "newer" })).rejects.toMatchObject({
        code: "UNSUPPORTED",
        vendorCode: "store_too_new",
      });
    });

    test("says that it cannot be reached, and nothing secret", async () => {
      const failing = postgresStore("postgres://ada:secret@127.0.0.1:1/none");
      await expect(failing).rejects.toMatchObject({ code: "SERVER_ERROR", vendorCode: "store_failed" });
      await expect(failing).rejects.not.toThrow("secret");
    });

    test("refuses everything after it was closed", async () => {
      const store = await use();
      await store.close();
      await store.close();
      await expect(store.createResponse(stored())).rejects.toMatchObject({ vendorCode: "store_closed" });
      await expect(store.listKeys()).rejects.toMatchObject({ vendorCode: "store_closed" });
    });

    /** Waits until a watcher is called. */
    const told = (store: Store, id: string): Promise<void> =>
      new Promise((resolve) => {
        const stop = store.watch(id, () => {
          stop();
          resolve();
        });
      });

    test("is notified of others' changes, also after its connections broke", async () => {
      const [one, two] = [await use(), await use({ pollMs: hour })];
      const kept = stored();
      await one.createResponse(kept);
      // A watcher is told once when listening begins.
      await told(two, kept.id);
      for (let round = 0; round < 3; round += 1) {
        const changed = told(two, kept.id);
        await one.appendEvents(kept.id, events(round, round + 1));
        await changed;
        const again = told(two, kept.id);
        await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'antiphon%'");
        await again;
        expect(await two.readEvents(kept.id, "ada", -1, 10)).toHaveLength(round + 1);
        expect(await one.readEvents(kept.id, "ada", -1, 10)).toHaveLength(round + 1);
      }
    });

    test("looks by itself where notifications are lost", async () => {
      const store = await use({ pollMs: 20 });
      const kept = stored();
      await store.createResponse(kept);
      await told(store, kept.id);
      const changed = told(store, kept.id);
      await admin.query("UPDATE antiphon.responses SET status = 'failed' WHERE id = $1", [kept.id]);
      await changed;
      expect((await store.getChain(kept.id, "ada", 1))?.[0]?.status).toBe("failed");
    });

    test("tells of more changes at once than one notification holds", async () => {
      const [one, two] = [await use(), await use({ pollMs: hour })];
      const many = Array.from({ length: 300 }, () => stored({ id: `${"x".repeat(200)}${stored().id}` }));
      await Promise.all(many.map((each) => one.createResponse(each)));
      await told(two, many[0]!.id);
      const all = Promise.all(many.map(({ id }) => told(two, id)));
      await Promise.all(many.map(({ id }) => one.updateResponse(id, completed(id))));
      await expect(all).resolves.toHaveLength(300);
    });

    test("never locks itself out, whatever is done to a conversation at once", async () => {
      const [one, two] = [await use(), await use()];
      for (let round = 0; round < 10; round += 1) {
        const talk = conversation();
        const kept = stored({ conversation: talk.id });
        await one.createConversation(talk, [message("x", "i1"), message("x", "i2")]);
        await one.createResponse(kept);
        const done = await Promise.allSettled([
          one.deleteItem(talk.id, "ada", "i1"),
          two.deleteItem(talk.id, "ada", "i2"),
          one.addItems(talk.id, "ada", [message("x", "i3")]),
          two.updateResponse(kept.id, completed(kept.id), { items: [message("x", "i4")], events: events(0, 1) }),
          one.appendEvents(kept.id, events(0, 1)),
          two.deleteConversation(talk.id, "ada"),
          one.deleteResponse(kept.id, "ada"),
        ]);
        expect(done.filter(({ status }) => status === "rejected")).toEqual([]);
      }
    });
  });
});

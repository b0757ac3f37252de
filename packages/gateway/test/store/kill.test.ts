import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { bundle, type Program } from "../support/bundle.ts";
import { noPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { expectClaimable, expectKept, killAfter, type Acknowledged } from "./kill.ts";

const kills = runs(3, 50);

let program: Program;
beforeAll(async () => {
  program = await bundle(new URL("kill-child.ts", import.meta.url));
});
afterAll(() => program?.remove());

interface Data {
  kind: "sqlite" | "postgres";
  place: string;
  open(): Promise<Store>;
}

/** Kills one child after another on the same data, and looks each time at all that any of them was told is kept. */
async function killOften({ kind, place, open }: Data, work: "all" | "answers"): Promise<number> {
  const all: Acknowledged[] = [];
  for (let round = 0; round < kills; round += 1) {
    const said = await killAfter(40 + ((round * 97) % 300), program.path, [kind, place, `child${round}`, work]);
    all.push(...said);
    const store = await open();
    // The newest each time, and all of them in the end.
    await expectKept(store, round === kills - 1 ? all : said);
    await expectClaimable(store, said);
    await store.close();
  }
  return all.length;
}

/** Waits until PostgreSQL has done what a dead client last asked for. */
async function clientsGone(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const others = "SELECT FROM pg_stat_activity WHERE application_name LIKE 'antiphon%'";
  while ((await client.query(others)).rowCount) await setTimeout(5);
  await client.end();
}

/** Starts several children on new data at once, kills them, and looks at all that they were told is kept. */
async function expectAllKept({ kind, place, open }: Data, work: "all" | "answers"): Promise<void> {
  const children = Array.from({ length: 4 }, (_, index) =>
    killAfter(60 + index * 20, program.path, [kind, place, `together${index}`, work]),
  );
  const said = (await Promise.all(children)).flat();
  const store = await open();
  await expectKept(store, said);
  await expectClaimable(store, said);
  await store.close();
}

describe("a gateway that is killed", () => {
  describe.each(["all", "answers"] as const)("on SQLite, while it keeps %s", (work) => {
    let folder: string;
    let data: Data;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "antiphon-kill-"));
      const place = join(folder, "store.db");
      data = { kind: "sqlite", place, open: () => sqliteStore(place) };
    });
    afterEach(() => rm(folder, { recursive: true }));

    test("loses nothing that was acknowledged", async () => {
      expect(await killOften(data, work)).toBeGreaterThan(kills * 40);
    });

    test("hurts no other on the same file", async () => {
      await expectAllKept(data, work);
    });
  });

  describe.skipIf(noPostgres)(noPostgres ? `with PostgreSQL (skipped: ${noPostgres})` : "with PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());

    const data = (): Data => ({
      kind: "postgres",
      place: server.url,
      open: async () => {
        await clientsGone(server.url);
        return postgresStore(server.url);
      },
    });

    test("hurts no other on the same database", async () => {
      await expectAllKept(data(), "all");
    });

    test("loses nothing that PostgreSQL acknowledged", async () => {
      expect(await killOften(data(), "all")).toBeGreaterThan(kills * 40);
    });
  });
});

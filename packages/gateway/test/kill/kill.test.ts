import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { bundle, type Program } from "../support/bundle.ts";
import { noPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { killRound, type Ends, type Load } from "./kill-round.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

const load: Load = { streams: runs(20, 100), background: runs(40, 200) };

// Processes take their time to start on a machine that is busy.
const patience = runs(120_000, 2 * 3_600_000);
vi.setConfig({ testTimeout: patience, hookTimeout: patience });

let program: Program;
let upstream: Upstream;
beforeAll(async () => {
  program = await bundle(new URL("gateway-child.ts", import.meta.url));
  // Some are slow, so that there is always something that has shown nothing yet.
  upstream = await startUpstream((name) => (name.length % 2 === 0 ? { think: 0, word: 20 } : { think: 400, word: 20 }));
});
afterAll(async () => {
  await upstream?.close();
  await program?.remove();
});

/** Kills one gateway after another, each at another moment; all runs come to a good end every time. */
async function killOften(store: string, kills: number): Promise<Ends> {
  const settings = { program: program.path, store, upstream: upstream.url, lease: 1_000 };
  const sum: Ends = { acknowledged: 0, completed: 0, interrupted: 0, again: 0 };
  for (let round = 0; round < kills; round += 1) {
    // An answer has about 20 events, so that the load makes this many and more.
    const most = 15 * (load.streams + load.background / 2);
    const after = runs(300, 1) + ((round * 367) % most);
    const ends = await killRound(settings, upstream, { load, round: `r${round}`, after });
    for (const [name, count] of Object.entries(ends)) sum[name as keyof Ends] += count;
    upstream.calls.clear();
  }
  return sum;
}

/** Tells how it went, where it went on for long. */
function report(store: string, ends: Ends): void {
  if (process.env["ANTIPHON_SOAK"]) process.stdout.write(`${store}: ${JSON.stringify(ends)}\n`);
}

describe("a gateway that is killed under load", () => {
  test("loses nothing with SQLite, and repeats nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "antiphon-kill-"));
    const ends = await killOften(join(folder, "store.db"), runs(2, 50));
    report("SQLite", ends);
    expect(ends.completed).toBeGreaterThan(0);
    expect(ends.interrupted).toBeGreaterThan(0);
    await rm(folder, { recursive: true });
  });

  describe.skipIf(noPostgres)(noPostgres ? `with PostgreSQL (skipped: ${noPostgres})` : "with PostgreSQL", () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());

    test("loses nothing with PostgreSQL, and repeats nothing", async () => {
      const ends = await killOften(server.url, runs(1, 50));
      report("PostgreSQL", ends);
      expect(ends.acknowledged).toBeGreaterThan(0);
      expect(ends.interrupted).toBeGreaterThan(0);
    });
  });
});

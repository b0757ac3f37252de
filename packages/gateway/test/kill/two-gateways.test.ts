import { isTerminal, text } from "antiphon";
import { lifecycleLaw } from "antiphon/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { bundle, type Program } from "../support/bundle.ts";
import { noPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { eventually } from "../runs/support/rig.ts";
import { Client } from "./client.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { startUpstream, wordsOf, type Upstream } from "./upstream.ts";

// Processes take their time to start on a machine that is busy.
const patience = 120_000;
vi.setConfig({ testTimeout: patience, hookTimeout: patience });

let program: Program;
let upstream: Upstream;
beforeAll(async () => {
  program = await bundle(new URL("gateway-child.ts", import.meta.url));
  upstream = await startUpstream((name) => ({ think: name.startsWith("thinker") ? 1_500 : 0, word: 40 }));
});
afterAll(async () => {
  await upstream?.close();
  await program?.remove();
});

describe("two gateways on one file of SQLite", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "antiphon-two-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  twoGateways(() => join(folder, "store.db"), "sqlite");
});

describe.skipIf(noPostgres)(`two gateways on one PostgreSQL${noPostgres ? ` (skipped: ${noPostgres})` : ""}`, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  twoGateways(() => server.url, "postgres");
});

function twoGateways(store: () => string, mark: string): void {
  let gateways: GatewayProcess[];
  beforeEach(async () => {
    const settings = { program: program.path, store: store(), upstream: upstream.url, lease: 1_000 };
    gateways = await Promise.all(["one", "two"].map((name) => GatewayProcess.start(settings, name)));
  });
  afterEach(() => Promise.all(gateways.map((gateway) => gateway.kill())));

  const callsOf = ({ name }: Client) => upstream.calls.get(name) ?? [];

  /** Starts a run, finds out which gateway has it, and follows it on the other. */
  const followed = async (name: string) => {
    const client = new Client(`${name}-${mark}`, "plain");
    await client.ask(gateways[0]!.url);
    await eventually(() => callsOf(client).length === 1);
    const at = gateways.findIndex((gateway) => gateway.name === callsOf(client)[0]?.by);
    const [worker, other] = [gateways[at]!, gateways[1 - at]!];
    return { client, worker, other, following: client.resume(other.url) };
  };
  const has = ({ seen }: Client, end: string): boolean => seen.some(({ type }) => type.endsWith(end));
  const expectOneStream = ({ seen }: Client): void => {
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, index) => index));
    expect(lifecycleLaw(seen)).toBeUndefined();
  };

  test("a run that is followed on the other goes on there when its own is killed before it has said anything", async () => {
    const { client, worker, other, following } = await followed("thinker-before");
    await eventually(() => has(client, ".in_progress"));
    await worker.kill();
    await following;
    expectOneStream(client);
    expect(text(await client.get(other.url))).toBe(wordsOf(1));
    expect(callsOf(client)).toMatchObject([{ left: true }, { left: false, by: other.name }]);
  });

  test("and ends as one that failed when its own is killed after that", async () => {
    const { client, worker, other, following } = await followed("speaker");
    await eventually(() => has(client, ".delta"));
    await worker.kill();
    await following;
    expectOneStream(client);
    const response = await client.get(other.url);
    expect(response).toMatchObject({ status: "failed", error: { code: "interrupted" } });
    expect(client.seen.find(isTerminal)?.response).toEqual(response);
    expect(wordsOf(0).startsWith(text(response))).toBe(true);
    expect(callsOf(client)).toHaveLength(1);
  });

  test("and is put back when its own is closed", async () => {
    const { client, worker, other, following } = await followed("thinker-parked");
    await worker.stop();
    await following;
    expectOneStream(client);
    expect(text(await client.get(other.url))).toBe(wordsOf(1));
  });

  test("and is stopped when it is cancelled on the other", async () => {
    const { client, worker, other, following } = await followed("thinker-cancelled");
    const cancelled = await fetch(`${other.url}/v1/responses/${client.id}/cancel`, { method: "POST" });
    expect(await cancelled.json()).toMatchObject({ status: "cancelled" });
    await following;
    expectOneStream(client);
    await eventually(() => callsOf(client)[0]?.left === true);
    expect((await client.get(worker.url)).status).toBe("cancelled");
    expect(callsOf(client)).toHaveLength(1);
  });
}

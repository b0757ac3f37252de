/**
 * `node gateway.mjs`: what Antiphon's gateway costs, beside a direct call, the least that a gateway can do on `node:http`, and Portkey.
 * Writes GATEWAY.md.
 *
 *   node gateway.mjs --quick                     # one round, prints only
 *   node gateway.mjs --only stream,plain         # some scenarios, prints only
 *   node gateway.mjs --rows bare,antiphon        # some rows, prints only
 *   node gateway.mjs --gateway /path/to/node.js  # another build of ours
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Child } from "./gateway/processes.mjs";
import { report } from "./gateway/report.mjs";
import { rows, scenarios, workOf } from "./gateway/scenarios.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rows: { type: "string" },
    gateway: { type: "string" },
  },
});
const rounds = options.quick ? 1 : Number(options.rounds);
const partial = options.quick || options.only || options.rows;
const wanted = options.only?.split(",");
const chosenScenarios = scenarios.filter(({ id }) => !wanted || wanted.includes(id));
const chosenRows = Object.entries(rows).filter(([id]) => !options.rows || options.rows.split(",").includes(id));
const longPart = !partial || wanted?.includes("long");

const atOnce = [1, 50, 500];
/** How often each row has its turn at a load: machines have moods, and what is compared should lie close together. */
const turns = 3;
/** How many answers are measured in a turn, by how many at once; a paced one takes most of a second. */
const counts = {
  plain: { 1: 800, 50: 1_500, 500: 3_000 },
  stream: { 1: 600, 50: 1_200, 500: 2_500 },
  paced: { 1: 12, 50: 100, 500: 500 },
};
/** Before it is measured: a compiler that is still at work is no part of what a request costs. */
const warmUps = { plain: 5_000, stream: 5_000, paced: 100 };
/** And once more at the load that is measured: other paths are taken there, and are compiled anew. */
const settling = { plain: { 1: 2_000, 500: 1_500 }, stream: { 1: 2_000, 500: 1_500 }, paced: { 1: 12 } };
/** Before each turn: whoever waited for theirs has lost their connections, and the processor has forgotten them. */
const wakeUps = { plain: 200, stream: 200, paced: 4 };

const kindOf = ({ streamed, paced }) => (paced ? "paced" : streamed ? "stream" : "plain");
const portkey = fileURLToPath(new URL("gateway/peers/", import.meta.url));

function installPeers() {
  if (
    !existsSync(`${portkey}node_modules`) &&
    spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: portkey, stdio: "inherit" }).status !== 0
  )
    throw new Error("Portkey could not be installed.");
}

/** Starts the gateway of a row; the direct row has none. */
async function start(id, { server }, origin) {
  if (!server) return { port: Number(new URL(origin).port), read: async () => ({ cpuUs: 0, rss: 0 }), stop: async () => {} };
  const args = [origin, ...(id === "antiphon" && options.gateway ? [options.gateway] : [])];
  const child = new Child(`servers/${server}`, args, { core: 1 });
  const { port } = await child.ready;
  return { port, read: () => child.ask({}), stop: () => child.stop() };
}

/** Measures one load at one gateway: CPU of the gateway's process for each request, and what the client saw. */
async function measure(gateway, load, work) {
  const before = await gateway.read();
  const figures = await load.ask(work);
  const after = await gateway.read();
  // The first answer, which is read to the letter, is one more than those that are counted.
  return {
    cpuUs: (after.cpuUs - before.cpuUs) / (work.count + 1),
    perSecond: (work.count * 1000) / figures.ms,
    ...figures,
    rss: after.rss,
  };
}

async function round(number, context, measurements) {
  const { load } = context;
  for (const scenario of chosenScenarios) {
    const kind = kindOf(scenario);
    const able = chosenRows.filter(([, row]) => !row.lacks?.(scenario));
    const runs = [];
    for (const [id, row] of able) {
      const gateway = await start(id, row, context.origin);
      const work = workOf(row, scenario, gateway.port, context.origin);
      const share = (count) => Math.ceil(count * (row.share ?? 1));
      await load.ask({ ...work, atOnce: 50, count: share(warmUps[kind]) });
      runs.push({ id, gateway, work, share });
    }
    // All rows take their turn before the next: what is compared lies seconds apart. Another row begins each time.
    for (const many of atOnce) {
      for (const { work, share } of runs)
        if (settling[kind][many]) await load.ask({ ...work, atOnce: many, count: share(settling[kind][many]) });
      for (let turn = 0; turn < turns; turn++)
        for (let index = 0; index < runs.length; index++) {
          const { id, gateway, work, share } = runs[(index + number + turn) % runs.length];
          await load.ask({ ...work, atOnce: Math.min(many, wakeUps[kind]), count: share(wakeUps[kind]) });
          const figures = await measure(gateway, load, { ...work, atOnce: many, count: share(counts[kind][many]) });
          measurements.push({ row: id, scenario: scenario.id, atOnce: many, round: number, ...figures });
        }
    }
    for (const { gateway } of runs) await gateway.stop();
    const seen = measurements.filter((one) => one.scenario === scenario.id && one.round === number);
    console.log(`round ${number + 1}/${rounds} ${scenario.id}`);
    for (const { row, atOnce: many, cpuUs, perSecond, firstMs, rss } of seen)
      console.log(
        `  ${row.padEnd(9)} ${String(many).padStart(4)}  ${cpuUs.toFixed(0).padStart(7)} µs  ${perSecond.toFixed(0).padStart(6)}/s  ${(firstMs ?? 0).toFixed(2).padStart(7)} ms  ${(rss / 1e6).toFixed(0)} MB`,
      );
  }
}

/** How long streams have been open when memory is read: V8 gives back what it took to open them after some twenty seconds. */
const settledMs = 30_000;

/** Memory with many streams open, half of each answered: when they were just opened, and later. */
async function openStreams(context, many) {
  const scenario = { ...scenarios.find(({ id }) => id === "stream"), way: "held" };
  const figures = {};
  for (const [id, row] of chosenRows) {
    if (!row.server) continue;
    const gateway = await start(id, row, context.origin);
    const work = workOf(row, scenario, gateway.port, context.origin);
    await context.load.ask({ kind: "open", ...work, atOnce: many });
    while ((await context.upstream.ask("count")).held < many) await sleep(100);
    await sleep(1_000);
    const opened = (await gateway.read()).rss;
    await sleep(settledMs);
    figures[id] = { opened, settled: (await gateway.read()).rss };
    await context.upstream.ask("release");
    await context.load.ask({ kind: "close", ...work });
    await gateway.stop();
  }
  return figures;
}

/** A long run, in parts: what a request costs and what the process holds must not grow. */
async function longRun(context) {
  const parts = 6;
  const count = 4_000;
  const figures = [];
  const gateway = await start("antiphon", rows.antiphon, context.origin);
  for (let part = 0; part < parts; part++)
    for (const id of ["plain", "stream"]) {
      const work = workOf(
        rows.antiphon,
        scenarios.find((one) => one.id === id),
        gateway.port,
        context.origin,
      );
      figures.push({ part, id, ...(await measure(gateway, context.load, { ...work, atOnce: 50, count: count / 2 })) });
    }
  await gateway.stop();
  return figures;
}

async function main() {
  installPeers();
  const upstream = new Child("upstream.mjs");
  const load = new Child("load.mjs");
  const { port } = await upstream.ready;
  await load.ready;
  const context = { upstream, load, origin: `http://127.0.0.1:${port}` };
  const measurements = [];
  const begun = performance.now();
  try {
    for (let number = 0; number < rounds; number++) await round(number, context, measurements);
    const open = longPart ? await openStreams(context, 500) : {};
    const long = longPart ? await longRun(context) : [];
    const seconds = (performance.now() - begun) / 1000;
    const markdown = report({
      rows: chosenRows,
      scenarios: chosenScenarios,
      atOnce,
      measurements,
      open,
      long,
      rounds,
      turns,
      seconds,
    });
    if (partial) console.log(`\n${markdown}`);
    else writeFileSync(new URL("GATEWAY.md", import.meta.url), markdown);
  } finally {
    await Promise.all([upstream.stop(), load.stop()]);
  }
}

await main().catch((error) => {
  console.error(`bench failed: ${error.message}`);
  process.exitCode = 1;
});

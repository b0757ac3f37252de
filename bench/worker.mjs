/**
 * Measures one row in its own process: `node worker.mjs <row id>`, with the work as the first message and the figures as the last.
 *
 * @typedef {{ origin: string, measures: import("./suites.mjs").Measure[], warmUpMs: number, measureMs: number }} Work
 */
import { openerOf } from "./rows/index.mjs";
import { parseScenario, warmUpOf } from "./scenario.mjs";

const { default: row } = await import(`./rows/${process.argv[2]}.mjs`);

/** What one stream handed over, and when it began to. A row calls it with the length of each delta. */
class Tally {
  length = 0;
  deltas = 0;
  #started = performance.now();
  firstDeltaMs = NaN;

  add(length) {
    if (this.deltas === 0) this.firstDeltaMs = performance.now() - this.#started;
    this.deltas += 1;
    this.length += length;
  }
}

async function readOne(read) {
  const tally = new Tally();
  const folded = await read(tally);
  return { length: tally.length, firstDeltaMs: tally.firstDeltaMs, folded };
}

/** Reads waves of `atOnce` streams until there were `streams` of them and `cpuMs` went by: fast rows need more for a steady figure. */
async function readMany(read, { atOnce, streams, cpuMs }) {
  const results = [];
  const before = process.cpuUsage();
  for (;;) {
    results.push(...(await Promise.all(Array.from({ length: atOnce }, () => readOne(read)))));
    const { user, system } = process.cpuUsage(before);
    const cpuMicros = user + system;
    if (results.length >= streams && cpuMicros >= cpuMs * 1000) return { results, cpuMicros };
  }
}

const different = (numbers) => [...new Set(numbers)];

/** So many deltas at once warm up by themselves. */
const longWave = 100_000;

async function measure(open, { scenario: id, streams, times = 1 }, { warmUpMs, measureMs }) {
  const scenario = parseScenario(id);
  const { kind, atOnce, count, write } = scenario;
  // Small writes take other ways through the code than large ones. Paced streams would take long to, and images are one event.
  if (write !== "paced" && kind !== "image" && atOnce * count < longWave)
    await readMany(open(scenario), { atOnce, streams: 1, cpuMs: warmUpMs * times });
  const begun = performance.now();
  const { results, cpuMicros } = await readMany(open(scenario), { atOnce, streams, cpuMs: measureMs * times });
  return {
    scenario: id,
    streams: results.length,
    cpuMicros: cpuMicros / (results.length * scenario.count),
    wallMs: performance.now() - begun,
    firstDeltaMs: results.map((result) => result.firstDeltaMs),
    peakMb: process.resourceUsage().maxRSS / 1024,
    lengths: different(results.map((result) => result.length)),
    folded: different(results.flatMap(({ folded }) => (folded === undefined ? [] : [folded]))),
  };
}

/** @param {Work} work */
async function runAll({ origin, measures, warmUpMs, measureMs }) {
  const begun = performance.now();
  const module = await row.load();
  const importMs = performance.now() - begun;
  const open = ({ id, kind }) => openerOf(row, kind)(module, { baseUrl: `${origin}/${id}/v1`, kind });

  const first = parseScenario(measures[0].scenario);
  const short = warmUpOf(first);
  const cold = await readOne(open(short));
  await readMany(open(short), { atOnce: first.atOnce, streams: 1, cpuMs: warmUpMs });
  const figures = [];
  for (const each of measures) figures.push(await measure(open, each, { warmUpMs, measureMs }));
  return { importMs, coldFirstDeltaMs: cold.firstDeltaMs, figures };
}

process.once("message", async (work) => {
  const report = await runAll(work).catch((error) => ({
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }));
  process.send(report, () => process.exit());
});
process.send("ready");

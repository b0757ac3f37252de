/** `node run.mjs`: measures all rows in interleaved rounds and writes RESULTS.md. Options stand in README.md. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ownSize, peerSize } from "./installed-size.mjs";
import { measureRow, startUpstream } from "./processes.mjs";
import { report } from "./report.mjs";
import { baseline, loadRows, openerOf, rowIds } from "./rows/index.mjs";
import { parseScenario, warmUpOf } from "./scenario.mjs";
import { suiteOf, suites } from "./suites.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const processLimitMs = 300_000;

/** Milliseconds of CPU that a row gets at least, for warming up and for each scenario. */
const spans = { full: { warmUpMs: 500, measureMs: 500 }, quick: { warmUpMs: 250, measureMs: 60 } };

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      scenario: { type: "string", multiple: true },
      more: { type: "boolean", default: false },
    },
  });
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds wants a whole number from 1, not "${values.rounds}".`);
  if (values.more && values.quick) throw new Error("--more adds whole rounds: leave --quick out.");
  return { ...values, rounds, partial: values.quick || Boolean(values.only) || Boolean(values.scenario) };
}

/** `--only openai` takes `openai` and `openai-stream`; the row by hand always runs, since all ratios need it. */
function chooseRows(only) {
  if (!only) return rowIds;
  const wanted = only.split(",");
  const matches = (id, name) => id === name || id.startsWith(`${name}-`);
  const unknown = wanted.filter((name) => !rowIds.some((id) => matches(id, name)));
  if (unknown.length > 0) throw new Error(`Unknown rows: ${unknown.join(", ")}. There are ${rowIds.join(", ")}.`);
  return rowIds.filter((id) => id === baseline || wanted.some((name) => matches(id, name)));
}

function chooseSuites({ scenario, quick }) {
  if (scenario) return scenario.flatMap((list) => list.split(",")).map((id) => suiteOf(parseScenario(id).id));
  return quick ? suites.filter(({ full }) => !full) : suites;
}

function run(command, args, cwd) {
  console.log(`${command} ${args.join(" ")}`);
  return spawnSync(command, args, { cwd, stdio: "inherit" }).status === 0;
}

function installPeers() {
  if (!existsSync(join(here, "node_modules")) && !run("npm", ["ci", "--no-audit", "--no-fund"], here))
    throw new Error("The peers could not be installed.");
}

const library = join(root, "packages/antiphon");
const built = join(library, "dist/index.js");

function isStale() {
  const sources = readdirSync(join(library, "src"), { recursive: true }).map((path) => join(library, "src", path));
  return Math.max(...sources.map((path) => statSync(path).mtimeMs)) > statSync(built).mtimeMs;
}

/** The rows to measure; ours are left out where the library cannot be built. */
async function chosenRows(ids) {
  const rows = await loadRows(ids);
  if (!rows.some(({ own }) => own)) return rows;
  if (!existsSync(built) && !run("npm", ["run", "build"], root)) {
    console.log("The library could not be built: its rows are skipped.");
    return rows.filter(({ own }) => !own);
  }
  if (isStale()) console.log("packages/antiphon/dist is older than its sources: `npm run build` brings it up to date.");
  return rows;
}

/**
 * Every process of the whole run, in order: rounds outside, so that a slow minute of the machine hits all rows alike. What takes long
 * takes long because of the peers: the floors and our own rows are in every round.
 */
function schedule(rows, chosen, rounds) {
  const jobs = [];
  for (let round = 1; round <= rounds; round++)
    for (const suite of chosen) {
      for (let index = 0; index < rows.length; index++) {
        // A different row begins each round: none is always the first after another suite.
        const row = rows[(index + round - 1) % rows.length];
        if (row.package !== undefined && round > (suite.maxRounds ?? rounds)) continue;
        const measures = suite.measures.filter(({ scenario }) => openerOf(row, parseScenario(scenario).kind));
        if (measures.length > 0) jobs.push({ row, suite: suite.id, round, measures });
      }
    }
  return jobs;
}

/** Throws where a row handed over less, or more, than the upstream sent. */
function checkOutput({ row, figures }, expected) {
  for (const { scenario, lengths, folded } of figures) {
    const want = row.counts === "bytes" ? expected.get(scenario).byteLength : expected.get(scenario).length;
    const wrong = [...lengths, ...folded].filter((length) => length !== want);
    if (wrong.length > 0) throw new Error(`${row.id}, ${scenario}: handed over ${wrong.join(", ")} instead of ${want}.`);
  }
}

async function measureAll(jobs, { rounds, quick }) {
  const upstream = await startUpstream();
  const span = quick ? spans.quick : spans.full;
  const measurements = [];
  try {
    const used = jobs.flatMap(({ measures }) => measures.map(({ scenario }) => scenario));
    const warmUps = used.map((id) => warmUpOf(parseScenario(id)).id);
    const prepared = await upstream.prepare([...new Set([...used, ...warmUps])]);
    const expected = new Map(prepared.map((answer) => [answer.id, answer]));
    for (const [index, { row, suite, round, measures }] of jobs.entries()) {
      const begun = performance.now();
      const result = await measureRow(row.id, { origin: upstream.origin, measures, ...span }, processLimitMs);
      checkOutput({ row, figures: result.figures }, expected);
      measurements.push({ row: row.id, suite, round, ...result });
      const place = `${String(index + 1).padStart(String(jobs.length).length)}/${jobs.length}`;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.log(`[${place}] round ${round}/${rounds}  ${suite.padEnd(20)} ${row.id.padEnd(14)} ${seconds.padStart(5)} s`);
    }
  } finally {
    upstream.stop();
  }
  return measurements;
}

function sizesOf(rows) {
  const ours = rows.some(({ own }) => own) ? ownSize() : undefined;
  return Object.fromEntries(rows.map(({ id, own, package: name }) => [id, own ? ours : name && peerSize([name].flat())]));
}

const kept = join(here, "results.json");

/** What a whole run measured, to which rounds are added. */
function earlier() {
  if (!existsSync(kept)) throw new Error("--more adds to what a whole run measured, and there was none here.");
  return JSON.parse(readFileSync(kept, "utf8"));
}

async function main() {
  const options = readOptions();
  const before = options.more ? earlier() : { rounds: 0, seconds: 0, measurements: [] };
  const ids = chooseRows(options.only);
  const chosenSuites = chooseSuites(options);
  installPeers();
  const rows = await chosenRows(ids);
  const begun = performance.now();
  const measured = await measureAll(schedule(rows, chosenSuites, options.rounds), options);
  const measurements = [...before.measurements, ...measured.map((each) => ({ ...each, round: before.rounds + each.round }))];
  const seconds = before.seconds + (performance.now() - begun) / 1000;
  const rounds = before.rounds + options.rounds;
  const shown = options.more ? await chosenRows(rowIds) : rows;
  const markdown = report({ rows: shown, measurements, sizes: sizesOf(shown), rounds, seconds });
  // A part of the picture must not replace the whole.
  if (options.partial && !options.more) return console.log(`\n${markdown}`);
  writeFileSync(kept, JSON.stringify({ rounds, seconds, measurements }, null, 1));
  writeFileSync(join(here, "RESULTS.md"), markdown);
}

await main().catch((error) => {
  console.error(`bench failed: ${error.message}`);
  process.exitCode = 1;
});

/**
 * `npm run test:clients`: installs the clients, builds stale packages, runs the suites and prints a table of results. Arguments
 * select suites: `npm run test:clients -- anthropic`. `UPDATE_DOCS=1` writes the table to docs/clients.md.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageWith, printable } from "./report.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
const codex = join(here, "codex");
const root = join(here, "../..");
const page = join(root, "docs/clients.md");

/** @param {string} path */
const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/**
 * Runs a command where it can be watched, and gives up where it fails.
 *
 * @param {string} what
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 */
function step(what, cwd, command, ...args) {
  console.log(`\n${what}`);
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * @param {string} what
 * @param {string} folder
 */
function install(what, folder) {
  const installed = modified(join(folder, "node_modules/.package-lock.json"));
  if (installed < modified(join(folder, "package-lock.json"))) step(`Installing ${what}`, folder, "npm", "ci");
}

/** @param {string} name */
function isStale(name) {
  const folder = join(root, "packages", name);
  const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(
    ...["package.json", ...sources.map((path) => join("src", path))].map((path) => modified(join(folder, path))),
  );
  return newest > modified(join(folder, "dist/index.js"));
}

/** @param {string[]} chosen */
function prepare(chosen) {
  install("the clients", here);
  if (chosen.length === 0 || chosen.includes("codex")) install("Codex, 436 MB", codex);
  if (["antiphon", "gateway"].some(isStale)) step("Building the packages", root, "npm", "run", "build");
  step("Checking types", root, process.execPath, "node_modules/typescript/bin/tsc", "-p", "test/clients");
}

/** @param {string[]} chosen */
function runSuites(chosen) {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-clients-"));
  const file = join(folder, "results.json");
  console.log("\nRunning the suites");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { status } = spawnSync(process.execPath, [vitest, "run", ...reporters, ...chosen], { cwd: here, stdio: "inherit" });
  const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] };
  rmSync(folder, { recursive: true });
  return { status: status ?? 1, results };
}

/** @param {string} folder */
const dependenciesOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies;

/** @param {import("./report.mjs").Results} results */
function updatePage(results) {
  const text = readFileSync(page, "utf8");
  const wanted = pageWith(text, results, { ...dependenciesOf(here), ...dependenciesOf(codex) });
  if (wanted === text) return;
  if (process.env["UPDATE_DOCS"]) writeFileSync(page, wanted);
  else console.log("\ndocs/clients.md is out of date. To update it, run `UPDATE_DOCS=1 npm run test:clients`.");
}

const chosen = process.argv.slice(2);
prepare(chosen);
const { status, results } = runSuites(chosen);
console.log(`\n${printable(results)}`);
if (chosen.length === 0) updatePage(results);
process.exit(status);

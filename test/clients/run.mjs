/**
 * `npm run test:clients`: installs the clients, builds the library where it is stale, runs the suites and prints what works with
 * whom. Words behind it choose suites: `npm run test:clients -- anthropic`. UPDATE_DOCS=1 writes the table into docs/clients.md.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageWith, printable } from "./report.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));
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

function prepare() {
  const installed = modified(join(here, "node_modules/.package-lock.json"));
  if (installed < modified(join(here, "package-lock.json"))) step("Installing the clients", here, "npm", "ci");
  const library = join(root, "packages/antiphon");
  const sources = readdirSync(join(library, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(
    modified(join(library, "package.json")),
    ...sources.map((path) => modified(join(library, "src", path))),
  );
  if (newest > modified(join(library, "dist/index.js"))) step("Building the library", root, "npm", "run", "build");
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

/** @param {import("./report.mjs").Results} results */
function updatePage(results) {
  const text = readFileSync(page, "utf8");
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const wanted = pageWith(text, results, dependencies);
  if (wanted === text) return;
  if (process.env["UPDATE_DOCS"]) writeFileSync(page, wanted);
  else console.log("\ndocs/clients.md says otherwise: `UPDATE_DOCS=1 npm run test:clients` writes it afresh.");
}

const chosen = process.argv.slice(2);
prepare();
const { status, results } = runSuites(chosen);
console.log(`\n${printable(results)}`);
if (chosen.length === 0) updatePage(results);
process.exit(status);

/**
 * `npm run test:runtimes` runs the tests of `npm test` on Node 22 and Node 24. It installs both from the npm registry the
 * first time. Arguments go to vitest: `npm run test:runtimes -- packages/antiphon/test/transport`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const runtimes = join(root, "test/runtimes");
const versions = [22, 24];

/**
 * Runs a command in a folder. Returns whether it succeeded.
 *
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(cwd, command, args, env = process.env) {
  // npm is a batch file on Windows, which only a shell can start.
  const shell = process.platform === "win32" && command === "npm";
  return spawnSync(command, args, { cwd, env, shell, stdio: "inherit" }).status === 0;
}

/**
 * Returns the path of a version's program.
 *
 * @param {number} version
 */
function programOf(version) {
  const folder = join(runtimes, "node_modules", `node${version}-${process.platform}-${process.arch}`);
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) throw new Error(`There is no Node ${version} for ${process.platform}-${process.arch}.`);
  return join(folder, JSON.parse(readFileSync(manifest, "utf8")).bin.node);
}

/**
 * Runs the tests on a version. Child processes of the tests find it first on the path.
 *
 * @param {number} version
 */
function test(version) {
  const program = programOf(version);
  console.log(`\nNode ${version}`);
  const PATH = `${dirname(program)}${delimiter}${process.env["PATH"]}`;
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)];
  return run(root, program, args, { ...process.env, PATH });
}

// `npm ci` replaces what an older lockfile installed, and takes ten seconds.
const isReady = run(runtimes, "npm", ["ci"]) && run(root, "npm", ["run", "build"]);
const results = isReady ? versions.map((version) => ({ version, passed: test(version) })) : [];
for (const { version, passed } of results) console.log(`${passed ? "✓" : "✗"} Node ${version}`);
process.exit(isReady && results.every(({ passed }) => passed) ? 0 : 1);

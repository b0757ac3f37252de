// Checks every package as npm would publish it: the manifest, the files, a dry run of `npm publish`, and two linters for tarballs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "antiphon-pack-"));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const fields = ["description", "license", "author", "repository", "homepage", "bugs", "keywords", "engines"];
const linters = [
  ["publint/src/cli.js", "run", "--strict"],
  ["@arethetypeswrong/cli/dist/index.js", "--profile", "esm-only"],
];
// Node prints the source line of an uncaught error. The bundler writes an expression on one line, however long it is.
const maxColumns = 400;

/** Returns what is wrong with the files of a package. */
function faultsIn(/** @type {string} */ directory, /** @type {string[]} */ files) {
  const read = (/** @type {string} */ file) => readFileSync(join(directory, file), "utf8");
  const manifest = JSON.parse(read("package.json"));
  const faults = fields
    .filter((field) => !manifest[field] || manifest[field].length === 0)
    .map((field) => `package.json has no \`${field}\``);
  if (!manifest.repository?.url?.startsWith("git+https://")) faults.push("`repository.url` is no git+https URL");
  if (!new RegExp(`^## ${manifest.version} - \\d{4}-\\d\\d-\\d\\d$`, "m").test(changelog))
    faults.push(`CHANGELOG.md has no section for version ${manifest.version}`);
  for (const file of ["LICENSE", "README.md"]) if (!files.includes(file)) faults.push(`${file} is missing`);
  if (!new RegExp(`^npm install .*\\b${manifest.name}$`, "m").test(read("README.md")))
    faults.push("README.md has no install command");
  for (const file of files.filter((name) => /^dist\/.*\.js$/.test(name))) {
    // Files that only connect others have no source of their own.
    if (/^\/\/ src\//m.test(read(file)) && !files.includes(`${file}.map`)) faults.push(`${file} has no source map`);
    const long = read(file).split("\n").findIndex(isTooLong);
    if (long !== -1) faults.push(`${file}:${long + 1} has more than ${maxColumns} columns`);
  }
  return faults;
}

// Lists of imports and exports are always one line.
const isTooLong = (/** @type {string} */ line) => line.length > maxColumns && !/^(import|export) \{/.test(line);

/** Returns the warnings of a dry run of `npm publish`, except that nobody is logged in. */
function publishWarnings(/** @type {string} */ directory) {
  const flags = ["publish", "--dry-run", "--offline", "--ignore-scripts", "--loglevel=warn"];
  const { status, stderr } = spawnSync(npm, flags, { cwd: directory, encoding: "utf8", shell: process.platform === "win32" });
  const lines = stderr.split("\n").filter((line) => /^npm (warn publish|error)/i.test(line) && !line.includes("logged in"));
  return status === 0 || lines.length > 0 ? lines : [stderr];
}

/** Returns what a linter says about a tarball; nothing if it is in order. */
function lint(/** @type {string[]} */ [program = "", ...flags], /** @type {string} */ tarball) {
  const args = [join(root, "node_modules", program), ...flags, tarball];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return status === 0 ? [] : [`${stdout}${stderr}`];
}

try {
  const pack = ["pack", "--workspaces", "--ignore-scripts", "--json", "--pack-destination", folder];
  const json = execFileSync(npm, pack, { cwd: root, encoding: "utf8", shell: process.platform === "win32" });
  for (const { name, filename, files } of Object.values(JSON.parse(json))) {
    const directory = join(root, "packages", name.replace("antiphon-", ""));
    const faults = [
      ...faultsIn(
        directory,
        files.map((/** @type {{ path: string }} */ { path }) => path),
      ),
      ...publishWarnings(directory),
      ...linters.flatMap((linter) => lint(linter, join(folder, filename))),
    ];
    console.log(`${name}: ${faults.length === 0 ? "in order" : ["not in order", ...faults].join("\n  ")}`);
    if (faults.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

// Packs every package as npm would publish it, and lints the tarballs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "antiphon-pack-"));
const linters = [
  ["publint/src/cli.js", "run", "--strict"],
  ["@arethetypeswrong/cli/dist/index.js", "--profile", "esm-only"],
];

/** Whether a linter finds a tarball in order; says what it found where not. */
function passes(/** @type {string[]} */ [program = "", ...flags], /** @type {string} */ tarball) {
  const args = [join(root, "node_modules", program), ...flags, tarball];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) console.error(`${stdout}${stderr}`);
  return status === 0;
}

try {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--workspaces", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: root });
  for (const name of readdirSync(folder)) {
    const isFine = linters.map((linter) => passes(linter, join(folder, name))).every(Boolean);
    console.log(`${name}: ${isFine ? "in order" : "not in order"}`);
    if (!isFine) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

// Builds every package afresh, each after those that it imports. A stale file in `dist` would be published.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const inDependencyOrder = ["antiphon", "cli"];
const root = new URL("../", import.meta.url);
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));

for (const name of inDependencyOrder) {
  rmSync(new URL(`packages/${name}/dist`, root), { recursive: true, force: true });
  const project = fileURLToPath(new URL(`packages/${name}/tsconfig.build.json`, root));
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

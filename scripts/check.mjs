// Everything that can be told without running the library, all at once: format, lint, types, what nobody uses, and the shape of the code.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const shape = ["layers", "budgets", "arms", "lockfile"].map((name) => `test/${name}.test.ts`);
const checks = ["oxfmt --check", "oxlint", "tsc", "knip", `vitest run ${shape.join(" ")}`];
const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}` };

/** Runs a check; says what it found where that is anything. */
async function passes(/** @type {string} */ command) {
  const started = performance.now();
  const child = spawn(command, { cwd: root, env, shell: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const code = await new Promise((resolve) => child.once("error", () => resolve(1)).once("close", resolve));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? "✓" : "✗"} ${command} (${seconds} s)${code === 0 ? "" : `\n${said}`}`);
  return code === 0;
}

const results = await Promise.all(checks.map(passes));
if (!results.every(Boolean)) process.exitCode = 1;

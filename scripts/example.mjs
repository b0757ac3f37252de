// Runs an example on the built library: npm run example -- hello
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const path = (/** @type {string} */ file) => fileURLToPath(new URL(file, root));
const run = (/** @type {string[]} */ ...args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;

const names = readdirSync(path("examples")).flatMap((file) => (file.endsWith(".ts") ? [file.slice(0, -3)] : []));
const name = process.argv[2] ?? "";

if (names.includes(name)) {
  process.exitCode =
    run(path("node_modules/typescript/bin/tsc"), "-p", path("examples")) || run(path(`examples/dist/${name}.js`));
} else {
  console.error(`There is no example "${name}". There are: ${names.join(", ")}.`);
  process.exitCode = 2;
}

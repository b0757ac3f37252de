import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtPackage } from "./support/built.ts";
import { filesBelow, root } from "./support/sources.ts";

const heading = "\n// Prints:\n";
const examples = filesBelow("examples", ".ts")
  .filter((path) => !path.includes("/dist/"))
  .map((path) => path.slice("examples/".length, -".ts".length));
const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });

beforeAll(() => {
  builtPackage("antiphon");
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", "examples");
});

/** What an example prints stands at its end, a comment a line; `…` stands for what differs from run to run. */
test.each(examples)("examples/%s.ts prints what it says", (name) => {
  const path = join(root, "examples", `${name}.ts`);
  const source = readFileSync(path, "utf8");
  const [code = "", told] = source.split(heading);
  const printed = run(join(root, "examples/dist", `${name}.js`)).trimEnd();
  if (process.env["UPDATE_DOCS"]) {
    const lines = printed.split("\n").map((line) => `//   ${line}`.trimEnd());
    if (told === undefined || !fits(printed, told)) writeFileSync(path, `${code.trimEnd()}\n${heading}${lines.join("\n")}\n`);
    return;
  }
  expect(told, "there is no comment that begins with `// Prints:`").toBeDefined();
  if (!fits(printed, told!)) expect(printed).toBe(expected(told!));
});

const expected = (told: string): string =>
  told
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ {0,3}/, ""))
    .join("\n");

const fits = (printed: string, told: string): boolean => {
  const pattern = expected(told)
    .split("…")
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`, "s").test(printed);
};

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtPackage } from "./support/built.ts";
import { filesBelow, root } from "./support/sources.ts";

// What each example prints on the offline model.
const expected: Readonly<Record<string, RegExp>> = {
  hello: /^.+\ncompleted, \d+ tokens\n$/s,
  stream: /\w.*\n\d+ items\n$/s,
  tools: /^weather \{"city":".+"\}\n.*4 °C and rain.*\n$/s,
  "typed-output": /^.+: -?[\d.]+ °C\n$/,
  middleware: /^completed after \d+ events\n.+\n$/s,
};

const examples = filesBelow("examples", ".ts")
  .filter((path) => !path.includes("/dist/"))
  .map((path) => path.slice("examples/".length, -".ts".length));
const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });

beforeAll(() => {
  builtPackage("antiphon");
  run(join(root, "node_modules/typescript/bin/tsc"), "-p", "examples");
});

test.each(examples)("examples/%s.ts does what it says", (name) => {
  expect(run(join(root, "examples/dist", `${name}.js`))).toMatch(expected[name] ?? /no expectation is written for this example/);
});

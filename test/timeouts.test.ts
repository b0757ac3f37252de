import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isScalar, keyAt, scalars, schema } from "../packages/cli/src/config/schema.ts";
import { timeouts, timeoutTable } from "../scripts/timeout-docs.ts";
import { root } from "./support/sources.ts";

const keysOf = (keys = ""): string[] => keys.split(", ").filter((key) => key !== "" && !key.startsWith("--"));

test("docs/timeouts.md has the timeouts of the code", () => {
  const file = join(root, "docs/timeouts.md");
  const page = readFileSync(file, "utf8");
  const updated = page.replace(
    /(<!-- begin timeouts -->)[^]*(<!-- end timeouts -->)/,
    (_, begin: string, end: string) => `${begin}\n\n${timeoutTable()}\n\n${end}`,
  );
  if (process.env["UPDATE_DOCS"]) writeFileSync(file, updated);
  expect(readFileSync(file, "utf8")).toBe(updated);
});

/** The table's keys as paths of a configuration file, each with its default in the unit of the file. */
const settable = timeouts.flatMap(({ gateway, commandLine, byDefault }) => [
  ...keysOf(gateway).map((key) => [`gateway.${key}`, byDefault] as const),
  ...keysOf(commandLine).map((key) => [key, typeof byDefault === "number" ? byDefault / 1000 : byDefault] as const),
]);

test.each(settable)("the configuration has %s, with the default of the code", (path, byDefault) => {
  const key = keyAt(path.split("."));
  if (!key || !isScalar(key)) return expect.fail(`there is no key ${path}`);
  expect(key.otherwise).toBe(String(byDefault));
});

test("every timeout of the configuration is in the table", () => {
  const named = [...scalars()].map(({ path }) => path.join("."));
  const isTimeout = (path: string): boolean => /timeout|heartbeat|lifetime|lease|poll|pause/.test(path);
  expect(named.filter(isTimeout).toSorted()).toEqual(
    settable
      .map(([path]) => path)
      .filter((path) => !path.includes("<name>"))
      .toSorted(),
  );
  expect(schema.mcp.keys.timeout).toBeDefined();
});

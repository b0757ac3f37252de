import { readFileSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { logs, type Logs } from "../../src/telemetry/logs/logs.ts";
import { prometheus } from "../../src/telemetry/metrics/metrics.ts";
import { requestFacts, runFacts } from "./facts.ts";

const file = new URL("../../../../docs/gateway-operations.md", import.meta.url);
const page = readFileSync(file, "utf8");

const code = (word: string): string => `\`${word}\``;

/** The rows of the first table after a text. */
const rowsAfter = (text: string): string[] => {
  const [, table = ""] = /\n\| --- [^\n]*\n((?:\|[^\n]*\n)*)/.exec(page.slice(page.indexOf(text))) ?? [];
  return table.trimEnd().split("\n");
};
const firstCells = (rows: readonly string[]): string[] => rows.map((row) => /`(\w+)`/.exec(row)?.[1] ?? row);

describe("the page for those who run the gateway", () => {
  test("has every metric as it is", async () => {
    const metrics = prometheus();
    const rows = metrics.registry.metrics().map(({ name, kind, labels = [], help }) => {
      const cells = [code(name), kind, labels.map(code).join(", ") || "–", help.replace(/\.$/, "")];
      return `| ${cells.join(" | ")} |`;
    });
    await metrics.close?.();
    const shown = rowsAfter("| metric | kind |");
    if (process.env["UPDATE_DOCS"])
      writeFileSync(
        file,
        page.replace(shown.join("\n"), () => rows.join("\n")),
      );
    else expect(shown).toEqual(rows);
  });

  test.each([
    ["`request`, when", (log: Logs) => log.request(requestFacts())],
    ["`response`, when", (log: Logs) => log.run(runFacts({ error: "TIMEOUT" }))],
  ])("has every field of a line: %s", async (beginning, tell) => {
    const to = new PassThrough();
    const log = logs({ to, format: "json" });
    tell(log);
    await log.close();
    const { time, level, message, ...fields } = JSON.parse(String(to.read())) as Record<string, unknown>;
    expect([time, level, message]).not.toContain(undefined);
    expect(firstCells(rowsAfter(beginning))).toEqual(Object.keys(fields));
  });
});

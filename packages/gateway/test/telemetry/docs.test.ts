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

/** The names in the first column of a table. A cell can have several. */
const namesIn = (rows: readonly string[]): string[] =>
  rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));

describe("docs/gateway-operations.md", () => {
  test("lists every metric with its labels, type and meaning", async () => {
    const metrics = prometheus();
    const rows = metrics.registry.metrics().map(({ name, kind, labels = [], help }) => {
      const series = labels.length > 0 ? `${name}{${labels.join(",")}}` : name;
      return `| ${code(series)} | ${kind} | ${help.replace(/\.$/, "")} |`;
    });
    await metrics.close?.();
    const shown = rowsAfter("| metric | type |");
    if (process.env["UPDATE_DOCS"])
      writeFileSync(
        file,
        page.replace(shown.join("\n"), () => rows.join("\n")),
      );
    else expect(shown).toEqual(rows);
  });

  test.each([
    ["### Request lines", (log: Logs) => log.request(requestFacts())],
    ["### Response lines", (log: Logs) => log.run(runFacts({ error: "TIMEOUT" }))],
  ])("lists every field of a log line: %s", async (heading, write) => {
    const to = new PassThrough();
    const log = logs({ to, format: "json" });
    write(log);
    await log.close();
    const { time, level, message, ...fields } = JSON.parse(String(to.read())) as Record<string, unknown>;
    expect([time, level, message]).not.toContain(undefined);
    expect(namesIn(rowsAfter(heading))).toEqual(Object.keys(fields));
  });
});

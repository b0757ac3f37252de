import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { problemsOf } from "../../src/config/check.ts";
import { isScalar, schema, variableOf, type Key, type Keys } from "../../src/config/schema.ts";

const file = new URL("../../../../docs/configuration.md", import.meta.url);
const isUpdating = Boolean(process.env["UPDATE_DOCS"]);

const kinds: Readonly<Record<Exclude<Key["kind"], "table" | "tables">, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "`true` or `false`",
  strings: "list of texts",
  pairs: "table of texts",
  open: "",
};

const kindOf = (key: Key): string => {
  if (key.kind === "table" || key.kind === "tables") return "";
  return key.kind === "string" && key.values ? key.values.map((value) => `\`${value}\``).join(", ") : kinds[key.kind];
};

const cells = (name: string, key: Key, variable: string): string => {
  const otherwise = key.otherwise ?? "";
  return `| \`${name}\` | ${kindOf(key)} | ${key.doc} | ${otherwise} | ${variable} |`;
};

const head = "| key | takes | what for | otherwise | variable |\n| --- | --- | --- | --- | --- |";

function rows(keys: Keys, path: readonly string[], hasVariables: boolean): string[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    if (key.kind === "table" || key.kind === "tables") return [];
    return [cells(name, key, hasVariables && isScalar(key) ? `\`${variableOf([...path, name])}\`` : "")];
  });
}

/** The tables of the page: one for the keys that stand alone, and one for each table. */
function reference(keys: Keys = schema, path: readonly string[] = [], isNamed = true): string[] {
  const inner = Object.entries(keys).flatMap(([name, key]) => {
    if (key.kind !== "table" && key.kind !== "tables") return [];
    const here = [...path, name];
    const title = `### \`[${here.join(".")}${key.kind === "tables" ? ".<name>" : ""}]\`: ${key.doc}`;
    const [own = "", ...below] = reference(key.keys, here, key.kind === "table");
    return [...(own === head ? [title] : [`${title}\n\n${own}`]), ...below];
  });
  return [[head, ...rows(keys, path, isNamed)].join("\n"), ...inner];
}

test("docs/configuration.md has every key as the schema has it", () => {
  const page = readFileSync(file, "utf8");
  const updated = page.replace(
    /(<!-- begin keys -->)[^]*(<!-- end keys -->)/,
    (_, begin: string, end: string) => `${begin}\n\n${reference().join("\n\n")}\n\n${end}`,
  );
  if (isUpdating) writeFileSync(file, updated);
  expect(isUpdating ? updated : page).toBe(updated);
  expect(updated).toContain("`ANTIPHON_CONTEXT_BUDGET`");
});

test("the files on the page are good ones", () => {
  const blocks = [...readFileSync(file, "utf8").matchAll(/^```toml\n([^]*?)^```$/gm)].map(([, toml = ""]) => toml);
  expect(blocks.length).toBeGreaterThan(0);
  for (const toml of blocks) expect(problemsOf(parse(toml), schema)).toEqual([]);
});

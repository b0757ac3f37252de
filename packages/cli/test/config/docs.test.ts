import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { problemsOf } from "../../src/config/check.ts";
import { schema, type Key, type Keys } from "../../src/config/schema.ts";

const file = new URL("../../../../docs/configuration.md", import.meta.url);
const isUpdating = Boolean(process.env["UPDATE_DOCS"]);

const kinds: Readonly<Record<Exclude<Key["kind"], "table" | "tables">, string>> = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  strings: "list of strings",
  pairs: "table of strings",
  open: "",
};

const kindOf = (key: Key): string => {
  if (key.kind === "table" || key.kind === "tables") return "";
  return key.kind === "string" && key.values ? key.values.map((value) => `\`${value}\``).join(", ") : kinds[key.kind];
};

const entry = (name: string, key: Key): string => {
  const otherwise = key.otherwise === undefined ? "" : `; default ${key.otherwise}`;
  const kind = kindOf(key);
  return `- \`${name}\`${kind && ` (${kind})`}: ${key.doc}${otherwise}`;
};

const rows = (keys: Keys): string[] =>
  Object.entries(keys).flatMap(([name, key]) => (key.kind === "table" || key.kind === "tables" ? [] : [entry(name, key)]));

/** The lists of the page: one for the top-level keys and one for each table. */
function reference(keys: Keys = schema, path: readonly string[] = []): string[] {
  const inner = Object.entries(keys).flatMap(([name, key]) => {
    if (key.kind !== "table" && key.kind !== "tables") return [];
    const here = [...path, name];
    const title = `### \`[${here.join(".")}${key.kind === "tables" ? ".<name>" : ""}]\`: ${key.doc}`;
    const [own = "", ...below] = reference(key.keys, here);
    return [...(own === "" ? [] : [`${title}\n\n${own}`]), ...below];
  });
  return [rows(keys).join("\n"), ...inner];
}

test("docs/configuration.md lists every key of the schema", () => {
  const page = readFileSync(file, "utf8");
  const updated = page.replace(
    /(<!-- begin keys -->)[^]*(<!-- end keys -->)/,
    (_, begin: string, end: string) => `${begin}\n\n${reference().join("\n\n")}\n\n${end}`,
  );
  if (isUpdating) writeFileSync(file, updated);
  expect(isUpdating ? updated : page).toBe(updated);
  expect(updated).toContain("- `context_budget` (integer): ");
});

test("the example files on the page are valid", () => {
  const blocks = [...readFileSync(file, "utf8").matchAll(/^```toml\n([^]*?)^```$/gm)].map(([, toml = ""]) => toml);
  expect(blocks.length).toBeGreaterThan(0);
  for (const toml of blocks) expect(problemsOf(parse(toml), schema)).toEqual([]);
});

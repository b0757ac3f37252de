import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { positionsOf } from "../../src/config/positions.ts";

const document = `# a comment with a = 1 in it
title = "x" # and one behind

[providers.openai]
api_key = 'a [b] = "c"'
text = """
not = "a key"
[nor.this]
"""
"base url" = """a\\""" b"""
headers = { "x.y" = "1", z = "2" }
list = [
  # one
  "a,b", 'c]',
  { deep = { er = [1, 2] }, b.c = 3 },
]

[[gateway.tools]]
name = 'a'
[gateway.tools.env]
A = 1
[[gateway.tools]]
name = 'b'
[gateway.tools.env]
A = 2026-01-01T00:00:00Z
[gateway.models."gpt*"]
use = "x"
`;

test.each([
  [["title"], 2],
  [["providers"], 4],
  [["providers", "openai", "api_key"], 5],
  [["providers", "openai", "text"], 6],
  [["providers", "openai", "base url"], 10],
  [["providers", "openai", "headers", "x.y"], 11],
  [["providers", "openai", "list", "2", "deep", "er"], 15],
  [["providers", "openai", "list", "2", "b", "c"], 15],
  [["gateway"], 18],
  [["gateway", "tools", "0", "name"], 19],
  [["gateway", "tools", "0", "env", "A"], 21],
  [["gateway", "tools", "1", "name"], 23],
  [["gateway", "tools", "1", "env", "A"], 25],
  [["gateway", "models", "gpt*", "use"], 27],
  [["not"], undefined],
  [["nor", "this"], undefined],
])("%j stands in line %j", (path, line) => {
  expect(positionsOf(document)(path)).toBe(line);
});

/** A value of any kind, written over one line or several. */
const value = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    "true",
    "1979-05-27",
    "'[x]'",
    '"a = \\"b\\" # c"',
    "'''\nx = 1\n'''",
    '"""\n[y]\nz = 2\n"""',
    "[ 1,\n 2 ]",
    "{ q = 1 }",
  ),
);
const name = fc.constantFrom("a", "b-c", "d_e", '"f.g"', "'h i'", "j.k", '"l \\" m"');
const blank = fc.constantFrom("", "# c = 1", "\n", "  ");

test("finds every key of any document where it was written", () => {
  const tables = fc.uniqueArray(fc.nat(20), { maxLength: 5 });
  const pairs = fc.uniqueArray(fc.tuple(name, value, blank), { selector: ([key]) => key, maxLength: 6 });
  fc.assert(
    fc.property(tables, fc.array(pairs, { minLength: 6, maxLength: 6 }), (names, bodies) => {
      const lines: string[] = [];
      const written: [string, number][] = [];
      for (const [index, table] of [undefined, ...names].entries()) {
        if (table !== undefined) lines.push(`[t${table}]`);
        for (const [key, text, before] of bodies[index]!) {
          lines.push(...before.split("\n"));
          written.push([table === undefined ? key : `t${table}.${key}`, lines.length + 1]);
          lines.push(...`${key} = ${text}`.split("\n"));
        }
      }
      const toml = lines.join("\n");
      parse(toml);
      const lineOf = positionsOf(toml);
      for (const [key, line] of written) expect(lineOf(pathIn(key)), `${key} in\n${toml}`).toBe(line);
    }),
  );
});

/** The path of a key, as the parser reads it. */
function pathIn(key: string): string[] {
  const path: string[] = [];
  for (let table: unknown = parse(`${key} = 1`); typeof table === "object" && table !== null;) {
    const [only] = Object.entries(table);
    path.push(only![0]);
    table = only![1];
  }
  return path;
}

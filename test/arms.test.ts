import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodesOf, parse, root, treeOf, type Node } from "./support/sources.ts";

const reducer = parse("packages/antiphon/src/core/reduce.ts");

/** The arms of the reducer's table: each event type with the place of its arm in the source. */
function armsOf(): { type: string; start: number; end: number }[] {
  const table = [...nodesOf(treeOf(reducer))].find(
    (node) => node.type === "VariableDeclarator" && (node["id"] as Node)["name"] === "arms",
  );
  if (!table) throw new Error("core/reduce.ts has no table named `arms`.");
  const { properties } = table["init"] as { properties: (Node & { key: Node })[] };
  return properties.map(({ key, start, end }) => ({ type: String(key["value"] ?? key["name"]), start, end }));
}

const arms = armsOf();

describe("the reducer's table", () => {
  let folder = "";
  let errors = "";

  // One compilation of a whole copy and of one copy per arm, that arm deleted.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "antiphon-arms-"));
    const core = join(root, "packages/antiphon/src/core/");
    const text = (source: string): string =>
      source.replaceAll(/from "(\..*?)"/g, (_, path: string) => `from "${new URL(path, pathToFileURL(core)).pathname}"`);
    writeFileSync(join(folder, "whole.ts"), text(reducer.text));
    arms.forEach(({ start, end }, index) =>
      writeFileSync(join(folder, `without-${index}.ts`), text(`${reducer.text.slice(0, start)}${reducer.text.slice(end + 1)}`)),
    );
    const config = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        pretty: false,
        types: [],
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
      },
      include: ["*.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    errors = compile(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("compiles as it is", () => {
    expect(errors.split("\n").filter((line) => line.startsWith("whole.ts"))).toEqual([]);
  });

  test.each(arms.map(({ type }, index) => [type, index] as const))("does not compile without an arm for %s", (type, index) => {
    const lines = errors.split("\n").filter((line) => line.startsWith(`without-${index}.ts`));
    expect(lines.join("\n")).toMatch(new RegExp(`Property '"?${type.replaceAll(".", "\\.")}"?' is missing`));
  });
});

function compile(folder: string): string {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [compiler, "-p", "."], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

const specification = join(root, "../shared/spec/openapi.json");

describe.skipIf(!existsSync(specification))("the specification (skipped where its OpenAPI file is not at hand)", () => {
  test("names no event that the table lacks", () => {
    const { components } = JSON.parse(readFileSync(specification, "utf8")) as {
      components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
    };
    const events = Object.values(components.schemas).flatMap(({ properties }) =>
      properties?.["sequence_number"] ? (properties["type"]?.enum ?? []) : [],
    );
    expect(events.length).toBeGreaterThan(20);
    expect(events.filter((type) => !arms.some((arm) => arm.type === type))).toEqual([]);
  });
});

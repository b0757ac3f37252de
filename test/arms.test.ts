import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arms, reducer } from "./support/reducer-arms.ts";
import { root } from "./support/sources.ts";

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

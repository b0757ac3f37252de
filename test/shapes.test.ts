import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sharedShapes, spreadsFirst } from "../scripts/shared-shapes.mjs";

const transformed = (code: string): string => (sharedShapes.renderChunk as (code: string) => string)(code);

describe("objects that begin with a spread", () => {
  test.each([
    ["({ ...a, b: 1 })", "({ ...{}, ...a, b: 1 })"],
    ["f({ ...a, ...b }, { ...{ ...c, d }, e })", "f({ ...{}, ...a, ...b }, { ...{}, ...{ ...{}, ...c, d }, e })"],
    ["({ ...a })", "({ ...a })"],
    ["({ b: 1, ...a })", "({ b: 1, ...a })"],
    ["({ ...{}, ...a, b: 1 })", "({ ...{}, ...a, b: 1 })"],
    ["const { a, ...b } = [...c, d];", "const { a, ...b } = [...c, d];"],
  ])("%s becomes %s", (code, built) => {
    expect(transformed(code)).toBe(built);
  });

  test.each(["antiphon", "gateway", "cli"])("are nowhere in what is built of %s", (name) => {
    const folder = new URL(`../packages/${name}/dist/`, import.meta.url);
    const files = readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith(".js"));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(spreadsFirst(readFileSync(new URL(String(file), folder), "utf8"))).toEqual([]);
  });

  test("share their shape, which is what the empty spread is for", () => {
    const built = transformed("const like = (a) => ({ ...a, n: 1 });");
    const made = `for (let i = 0; i < 100; i++) like({ a: i, b: 2 }); console.log(%HaveSameMap(like({ a: 1, b: 2 }), like({ a: 3, b: 4 })));`;
    const { stdout } = spawnSync(process.execPath, ["--allow-natives-syntax", "-e", built + made], { encoding: "utf8" });
    expect(stdout.trim()).toBe("true");
  });
});

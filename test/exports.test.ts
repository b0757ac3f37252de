import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { builtPackage, libraryManifest, runModule } from "./support/built.ts";
import { filesBelow, importsOf, parse, root } from "./support/sources.ts";

const folder = builtPackage("antiphon");
const { exports: map, imports } = libraryManifest();
const entries = Object.entries(map).flatMap(([path, target]) =>
  typeof target === "string" ? [] : [{ name: path.replace(/^\./, "antiphon"), target }],
);

const sorted = (names: Iterable<string>): string[] => [...names].toSorted();

describe.each(entries)("$name", ({ name, target }) => {
  test("has its types beside its code", () => {
    expect(Object.values(target).filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  });

  test("exports what its source exports", async () => {
    const source = (target["default"] ?? "").replace("./dist/", `${folder}/src/`).replace(/\.js$/, ".ts");
    const built: string[] = JSON.parse(runModule(`console.log(JSON.stringify(Object.keys(await import("${name}"))))`));
    expect(sorted(built)).toEqual(sorted(Object.keys((await import(source)) as object)));
    expect(built.length).toBeGreaterThan(0);
  });

  test("changes nothing by being imported", () => {
    const code = `
      const before = Reflect.ownKeys(globalThis).length;
      await import("${name}");
      const left = process.getActiveResourcesInfo().filter((resource) => !/^(Pipe|TTY|FS|CloseReq)/.test(resource));
      console.log(JSON.stringify({ globals: Reflect.ownKeys(globalThis).length - before, left }));`;
    expect(JSON.parse(runModule(code))).toEqual({ globals: 0, left: [] });
  });
});

test("the root exports the names that a program begins with", async () => {
  const names = Object.keys(await import("antiphon"));
  expect(names).toEqual(expect.arrayContaining(["connect", "provider", "collect", "text", "functionCalls", "AntiphonError"]));
});

test("outside Node, the root reaches no built-in module and no package", () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { specifier, target } of importsOf(parse(path))) {
      const file = target ?? subpath(specifier);
      if (file) visit(file);
      else foreign.push(`${path}: ${specifier}`);
    }
  };
  visit(relative(root, join(folder, "dist/index.js")));
  expect(foreign).toEqual([]);
  expect(seen.size).toBeGreaterThan(3);
});

test("importing the root loads two files of limited size", () => {
  const read = new Set([relative(root, join(folder, "dist/index.js"))]);
  for (const path of read) {
    const { staticImports, staticExports } = parse(path).module;
    const named = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)].flatMap(
      ({ moduleRequest }) => moduleRequest ?? [],
    );
    for (const { value } of named) if (value.startsWith(".")) read.add(join(dirname(path), value));
  }
  // Every file and every 50 KB takes Node about a millisecond. Rarely used code has its own entry or is loaded on first use.
  const bytes = [...read].reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(320_000);
  expect(read.size).toBe(2);
});

/** Where a `#name` leads under the default condition. */
const subpath = (specifier: string): string | undefined => {
  const target = imports[specifier]?.["default"];
  return target && relative(root, join(folder, target));
};

test("every runtime but Node gets the same transport", () => {
  const { types: _, node, ...others } = imports["#transport"] ?? {};
  expect(new Set(Object.values(others)).size).toBe(1);
  expect(Object.values(others)).not.toContain(node);
});

test.each(["#transport", "#platform"])("both sides of %s export what is imported from them", async (name) => {
  const { node = "", default: other = "" } = imports[name] ?? {};
  const files = filesBelow("packages/antiphon/src", ".ts");
  const atOnce = files
    .flatMap((path) => parse(path).module.staticImports)
    .filter(({ moduleRequest }) => moduleRequest.value === name)
    .flatMap(({ entries }) => entries.flatMap(({ importName, isType }) => (isType ? [] : [importName.name])));
  const late = new RegExp(`\\{ ([\\w, ]+) \\} = await import\\("${name}"\\)`, "g");
  const later = files.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(late)].flatMap(([, names = ""]) => names.split(", ")),
  );
  const wanted = [...atOnce, ...later];
  expect(wanted.length).toBeGreaterThan(0);
  for (const file of [node, other])
    expect(Object.keys((await import(join(folder, file))) as object)).toEqual(expect.arrayContaining(wanted));
});

test("the gateway loads PostgreSQL's driver only for those who have such a database", () => {
  builtPackage("gateway");
  const code = `
    import { createRequire } from "node:module";
    const { startGateway } = await import("antiphon-gateway/node");
    await (await startGateway({ port: 0, store: "memory" })).close();
    const packages = Object.keys(createRequire(import.meta.url).cache).map((path) => path.match(/node_modules.((?:@[^/\\\\]+.)?[^/\\\\]+)/)?.[1]);
    console.log(JSON.stringify([...new Set(packages)]));`;
  const loaded: string[] = JSON.parse(runModule(code));
  expect(loaded).toContain("ws");
  expect(loaded).not.toContain("pg");
});

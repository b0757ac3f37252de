import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorsPage, readPrinted } from "../scripts/error-docs.ts";
import { lineOf, mistakes, tryMistakes, type Outcome } from "../scripts/mistakes.ts";
import { picture } from "../scripts/picture.mjs";
import { publicEntries, referencePage } from "../scripts/reference-docs.ts";
import { builtPackage } from "./support/built.ts";
import { blocksOf, pages, type Block } from "./support/markdown.ts";
import { root } from "./support/sources.ts";

// Pages speak to this test in their fences:
//   ```ts            type-checks against the built library
//   ```ts run        also runs; the ```text output that follows is what it prints
//   ```console       `$ antiphon …`, and what that prints
const isUpdating = Boolean(process.env["UPDATE_DOCS"]);
const blocks = pages.flatMap(blocksOf);
const programs = blocks.filter(({ language }) => language === "ts");
const consoles = blocks.filter(({ language, text }) => language === "console" && text.startsWith("$ antiphon"));

describe("code on the pages", () => {
  // Inside the repository, so that `antiphon` resolves as it does for users.
  const folder = mkdtempSync(join(root, "node_modules", ".antiphon-docs-"));
  const nameOf = (block: Block): string => `block-${programs.indexOf(block)}`;
  let errors = "";

  beforeAll(() => {
    builtPackage("antiphon");
    for (const block of programs) writeFileSync(join(folder, `${nameOf(block)}.ts`), `${block.text}\nexport {};\n`);
    const config = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { outDir: "out", declaration: false, pretty: false, typeRoots: [join(root, "node_modules/@types")] },
      files: programs.map((block) => `${nameOf(block)}.ts`),
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    errors = spawnSync(process.execPath, [compiler, "-p", "."], { cwd: folder, encoding: "utf8" }).stdout;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(programs.map((block) => [block.where, block] as const))("type-checks at %s", (_, block) => {
    expect(errors.split("\n").filter((line) => line.startsWith(`${nameOf(block)}.ts`))).toEqual([]);
  });

  const runnable = programs.filter(({ words }) => words.includes("run"));
  test.each(runnable.map((block) => [block.where, block] as const))("runs at %s", (_, block) => {
    // Programs may write to the temporary folder.
    const env = { ...process.env, TMPDIR: folder };
    const printed = execFileSync(process.execPath, [join(folder, "out", `${nameOf(block)}.js`)], { encoding: "utf8", env });
    const shown = blocks[blocks.indexOf(block) + 1];
    expect(shown?.words).toContain("output");
    expect(upToDate(shown!, printed)).toBe(printed);
  });
});

describe("commands on the pages", () => {
  test.each(consoles.map((block) => [block.where, block] as const))("print what %s says", (_, block) => {
    builtPackage("cli");
    const [command = ""] = block.text.split("\n");
    const program = `"${process.execPath}" "${join(root, "packages/cli/bin/antiphon.js")}"`;
    const { stdout } = spawnSync(command.replace("$ antiphon", program), { shell: true, encoding: "utf8", cwd: root });
    const real = `${command}\n${stdout}`;
    expect(upToDate(block, real)).toBe(real);
  });

  test("include the help of every command", () => {
    const shown = consoles.map(({ text }) => text.split("\n")[0]);
    expect(shown).toEqual(expect.arrayContaining(["--help", "run --help", "models --help"].map((args) => `$ antiphon ${args}`)));
  });
});

/** What a block says, after it was made to say what it should where pages are being updated. */
function upToDate(block: Block, real: string): string {
  if (!isUpdating) return block.text;
  const file = join(root, block.path);
  const [opening] = block.fence.split("\n");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(block.fence, () => `${opening}\n${real}\`\`\``),
  );
  return real;
}

describe("docs/errors.md", () => {
  let outcomes: Outcome[] = [];
  beforeAll(async () => {
    builtPackage("antiphon");
    outcomes = await tryMistakes();
  });

  test.each(mistakes.map((mistake) => [mistake.title, mistake] as const))(
    "an uncaught error prints its message, advice and line in less than 4 KB: %s",
    (title, mistake) => {
      const { exitCode, stderr } = outcomes.find((outcome) => outcome.title === title)!;
      const { message, code, line } = readPrinted(stderr);
      expect(exitCode).toBe(1);
      expect(message).not.toBe("");
      expect(code).not.toBe("");
      expect(line).toBe(String(lineOf(mistake)));
      expect(stderr).not.toMatch(/: undefined,?$/m);
      expect(Buffer.byteLength(stderr)).toBeLessThan(4096);
    },
  );

  test("lists the error codes and what Node prints for common mistakes", () => {
    const file = join(root, "docs/errors.md");
    const page = errorsPage(outcomes);
    if (isUpdating) writeFileSync(file, page);
    expect(readFileSync(file, "utf8")).toBe(page);
  });
});

test("docs/reference.md lists the public names of every entry", () => {
  const file = join(root, "docs/reference.md");
  if (isUpdating) writeFileSync(file, referencePage());
  expect(readFileSync(file, "utf8")).toBe(referencePage());
});

test("every public function, class and constant has a summary", () => {
  const values = publicEntries().flatMap(({ entry, names }) => names.map((name) => ({ entry, ...name })));
  const silent = values.filter(({ isType, summary }) => !isType && summary === "");
  expect(silent.map(({ entry, name, path }) => `${name} of ${entry} (${path})`)).toEqual([]);
});

test("docs/antiphon.svg is what scripts/picture.mjs draws", () => {
  const file = join(root, "docs/antiphon.svg");
  if (isUpdating) writeFileSync(file, picture);
  expect(readFileSync(file, "utf8")).toBe(picture);
});

/** Whether an index links to a page, from its own folder or from the one above. */
const isListed = (path: string, index: string): boolean =>
  index.includes(`(${basename(path)})`) || index.includes(`(${path.slice("docs/".length)})`);

test("docs/README.md lists every page", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8") + readFileSync(join(root, "docs/decisions/README.md"), "utf8");
  const unlisted = pages.filter((path) => path.startsWith("docs/") && !path.endsWith("README.md") && !isListed(path, index));
  expect(unlisted).toEqual([]);
});

test("no link on a page leads nowhere", () => {
  const broken = pages.flatMap((path) => {
    const page = readFileSync(join(root, path), "utf8").replaceAll(/^```.*?^```$/gms, "");
    return [...page.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].flatMap(([, target = ""]) =>
      existsSync(join(root, path, "..", target)) ? [] : [`${path}: ${target}`],
    );
  });
  expect(broken).toEqual([]);
});

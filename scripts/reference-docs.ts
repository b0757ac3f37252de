import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, root, type Node, type Source } from "../test/support/sources.ts";

/** A public name of an entry. */
export interface PublicName {
  name: string;
  /** Where it is declared, as a path from the root. */
  path: string;
  isType: boolean;
  /** How it is called: `fallback(models, options)`; for anything but a function, its name. */
  usage: string;
  /** The first sentence of its doc comment. */
  summary: string;
}

interface Declared {
  node: Node;
  /** Where the statement begins that the doc comment stands before. */
  start: number;
}

const sources = new Map<string, Source>();
const sourceOf = (path: string): Source => sources.get(path) ?? sources.set(path, parse(path)).get(path)!;

/** Returns every public name of an entry file, sorted by name. */
function publicNames(entry: string): PublicName[] {
  const names = new Map<string, PublicName>();
  const add = (name: string, path: string, local: string): void => {
    const found = find(path, local);
    if (found) names.set(name, describe(name, found.path, found.declared));
  };
  for (const { name, path, local } of exportsOf(entry)) add(name, path, local);
  return [...names.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

interface Exported {
  name: string;
  path: string;
  local: string;
}

/** What a file exports, with `export *` followed. `local` is the name in `path`. */
function exportsOf(path: string): Exported[] {
  const { module } = sourceOf(path);
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, exportName, localName }): Exported[] => {
      const target = moduleRequest && join(dirname(path), moduleRequest.value);
      const kind: string = importName.kind;
      if (target && kind === "AllButDefault") return exportsOf(target);
      const name = exportName.name ?? "";
      return [target ? { name, path: target, local: importName.name ?? name } : { name, path, local: localName.name ?? name }];
    }),
  );
}

/** Finds the declaration of a name, through re-exports and imports. */
function find(path: string, name: string): { path: string; declared: Declared } | undefined {
  const declared = declarations(sourceOf(path)).get(name);
  if (declared) return { path, declared };
  const elsewhere = exportsOf(path).find((one) => one.name === name && (one.path !== path || one.local !== name));
  if (elsewhere) return find(elsewhere.path, elsewhere.local);
  for (const { moduleRequest, entries } of sourceOf(path).module.staticImports) {
    const imported = entries.find(({ localName }) => localName.value === name);
    if (imported?.importName.name) return find(join(dirname(path), moduleRequest.value), imported.importName.name);
  }
  return undefined;
}

const childNode = (node: Node, field: string): Node | undefined => {
  const value = node[field];
  return typeof value === "object" && value !== null && "type" in value ? (value as Node) : undefined;
};
const childNodes = (node: Node, field: string): Node[] => {
  const value = node[field];
  return Array.isArray(value) ? (value as Node[]) : [];
};
const nameOf = (node: Node | undefined): string => (typeof node?.["name"] === "string" ? node["name"] : "");

/** The top-level declarations of a file by name. Of overloads, the first counts. */
function declarations({ program }: Source): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const statement of program.body as unknown as Node[]) {
    const node = statement.type === "ExportNamedDeclaration" ? childNode(statement, "declaration") : statement;
    if (!node) continue;
    const nodes = node.type === "VariableDeclaration" ? childNodes(node, "declarations") : [node];
    for (const each of nodes) {
      const name = nameOf(childNode(each, "id"));
      if (name && !found.has(name)) found.set(name, { node: each, start: statement.start });
    }
  }
  return found;
}

function describe(name: string, path: string, { node, start }: Declared): PublicName {
  const isType = node.type === "TSInterfaceDeclaration" || node.type === "TSTypeAliasDeclaration";
  const callable = node.type === "VariableDeclarator" ? childNode(node, "init") : node;
  const params = callable && /Function/.test(callable.type) ? childNodes(callable, "params") : undefined;
  const usage = params ? `${name}(${params.map(paramName).join(", ")})` : name;
  return { name, path, isType, usage, summary: summaryBefore(sourceOf(path).text, start) };
}

/** The name of a parameter; a destructured one is called `options`. */
function paramName(node: Node): string {
  if (node.type === "AssignmentPattern") return paramName(childNode(node, "left") ?? node);
  if (node.type === "RestElement") return `...${paramName(childNode(node, "argument") ?? node)}`;
  return nameOf(node) || "options";
}

/** The first sentence of the doc comment that ends right before an offset. */
function summaryBefore(text: string, offset: number): string {
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, offset))?.[1] ?? "";
  const plain = comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*(?!\*) ?/, ""))
    .join("\n")
    .split(/\n@|\n\s*\n/)[0]!
    .replaceAll(/\s+/g, " ")
    .trim();
  return /^.*?[.!?](?=\s+[A-Z`]|$)/.exec(plain)?.[0] ?? plain;
}

const packages = [
  { folder: "packages/antiphon", name: "antiphon" },
  { folder: "packages/gateway", name: "antiphon-gateway" },
];

/** Every entry of the published packages with its public names. */
export function publicEntries(): { entry: string; names: PublicName[] }[] {
  return packages.flatMap(({ folder, name }) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      exports: Record<string, string | { default: string }>;
    };
    return Object.entries(manifest.exports).flatMap(([path, target]) => {
      if (typeof target === "string") return [];
      const file = target.default.replace("./dist/", `${folder}/src/`).replace(/\.js$/, ".ts");
      return [{ entry: path.replace(/^\./, name), names: publicNames(file) }];
    });
  });
}

/** The page `docs/reference.md`. */
export function referencePage(): string {
  const sections = publicEntries().map(({ entry, names }) => {
    const values = names.filter(({ isType }) => !isType).map(({ usage, summary }) => wrap(`- \`${usage}\`: ${summary}`, "  "));
    const types = names.filter(({ isType }) => isType).map(({ name }) => `\`${name}\``);
    const list = types.length > 0 ? [wrap(`Types: ${types.join(", ")}.`, "")] : [];
    return [`## ${entry}`, ...(values.length > 0 ? [values.join("\n")] : []), ...list].join("\n\n");
  });
  return `${[intro, ...sections].join("\n\n")}\n`;
}

const maxColumns = 118;

/** Wraps a line at spaces outside of code. The lines after the first begin with `indent`. */
function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.match(/[^\s`]*(?:`[^`]*`[^\s`]*)+|\S+/g) ?? []) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= maxColumns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `${indent}${word}`);
  }
  return lines.join("\n");
}

const intro = `# Reference

Every public function, class and constant, by the entry that exports it, with the first sentence of its documentation.
Your editor shows the rest: parameters, types and examples. The types of an entry are listed at its end.

A test generates this page from the sources: \`UPDATE_DOCS=1 npx vitest run test/docs.test.ts\`.`;

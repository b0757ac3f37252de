import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, type EcmaScriptModule, type Program } from "oxc-parser";

/** The repository's root, with a slash at the end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The files below a folder whose names end so, as paths from the root. */
export function filesBelow(folder: string, ...endings: string[]): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path).replaceAll("\\", "/"))
    .filter((path) => endings.some((ending) => path.endsWith(ending)) && !path.includes("node_modules/"))
    .toSorted();
}

/** A parsed source file. */
export interface Source {
  path: string;
  text: string;
  program: Program;
  module: EcmaScriptModule;
}

/** Parses a file, or a text in its place; a syntax error fails the test that asked. */
export function parse(path: string, text = readFileSync(join(root, path), "utf8")): Source {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return { path, text, program, module };
}

/** A place where a file names another module. */
export interface Import {
  /** As written. */
  specifier: string;
  /** From the root, for a relative specifier. */
  target: string | undefined;
  /** Whether it vanishes when types are stripped. */
  typeOnly: boolean;
}

const literal = (text: string): string => /^(["'`])([^$]*)\1$/.exec(text)?.[2] ?? `(${text})`;

/** Every module that a file names: imports, re-exports and dynamic imports. */
export function importsOf({ path, text, module }: Source): Import[] {
  const at = (specifier: string, typeOnly: boolean): Import => ({
    specifier,
    target: specifier.startsWith(".") ? join(dirname(path), specifier).replaceAll("\\", "/") : undefined,
    typeOnly,
  });
  const stripped = (entries: { isType: boolean }[]): boolean => entries.length > 0 && entries.every((entry) => entry.isType);
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) => at(moduleRequest.value, stripped(entries))),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest ? [at(moduleRequest.value, isType)] : [])),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => at(literal(text.slice(start, end)), false)),
  ];
}

/** A node of a syntax tree, as far as a walk needs to know it. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value;

/** The children of a node, in source order of their fields. */
export const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

/** Every node of a tree, parents first. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** The root node of a file. */
export const treeOf = ({ program }: Source): Node => ({ ...program });

/** The line that an offset is on, counted from one. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesBelow, importsOf, nodesOf, parse, root, treeOf, type Import, type Node, type Source } from "./support/sources.ts";

const library = "packages/antiphon";

// What each folder may import, itself aside. A folder that is not here has no place in the library yet.
const below: Readonly<Record<string, readonly string[]>> = {
  model: [],
  core: ["model"],
  codecs: ["model", "core"],
  transport: ["model", "core", "codecs"],
  testing: ["model", "core", "codecs", "conversation", "transport/sse", "transport (types)"],
  providers: ["model", "core", "codecs", "transport", "testing/offline"],
  middleware: ["model", "core"],
  tools: ["model", "core"],
  mcp: ["model", "core", "tools"],
  conversation: ["model", "core"],
  hosted: ["model", "core", "tools", "transport"],
  embeddings: ["model", "core", "codecs", "transport", "providers"],
  media: ["model", "core", "hosted", "providers", "agent"],
  agent: ["model", "core", "tools", "conversation", "hosted", "transport", "providers"],
  node: ["model", "core", "codecs", "transport", "testing", "conversation", "agent (types)"],
};

const sources = filesBelow(`${library}/src`, ".ts").map((path) => parse(path));
const place = (path: string): string => path.slice(`${library}/src/`.length);
const layerOf = (path: string): string => (place(path).includes("/") ? place(path).split("/")[0]! : "");

/** Why an import is not allowed, if it is not. */
function breach(source: Source, { specifier, target, typeOnly }: Import): string | undefined {
  const layer = layerOf(source.path);
  if (!target) return undefined;
  const other = layerOf(target);
  const allowed = layer === "" || layer === other || (below[layer] ?? []).some((rule) => fits(rule, place(target), typeOnly));
  return allowed ? undefined : `${place(source.path)} imports ${specifier}`;
}

function fits(rule: string, target: string, typeOnly: boolean): boolean {
  const [folder, only] = rule.split(" ");
  return target.startsWith(`${folder}/`) || target.startsWith(`${folder}.`) ? only === undefined || typeOnly : false;
}

/** The package that a specifier names, whichever of its entries. */
const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

describe("the layers of the library", () => {
  test("every folder has a place in the order", () => {
    const folders = new Set(sources.map(({ path }) => layerOf(path)).filter(Boolean));
    expect([...folders].filter((folder) => !Object.hasOwn(below, folder))).toEqual([]);
  });

  test("a file imports from lower layers only", () => {
    expect(sources.flatMap((source) => importsOf(source).flatMap((one) => breach(source, one) ?? []))).toEqual([]);
  });

  test("only node/ touches Node's built-in modules", () => {
    const touching = sources.filter((source) => importsOf(source).some(({ specifier }) => specifier.startsWith("node:")));
    expect(touching.map(({ path }) => place(path)).filter((path) => !path.startsWith("node/"))).toEqual([]);
  });

  test("nothing names Node's globals outside node/, where a browser has none", () => {
    const nodeOnly = new Set(["process", "Buffer", "require", "__dirname", "setImmediate"]);
    const named = sources
      .filter(({ path }) => layerOf(path) !== "node")
      .flatMap((source) =>
        identifiersIn(source).flatMap((name) => (nodeOnly.has(name) ? [`${place(source.path)}: ${name}`] : [])),
      );
    expect(named).toEqual([]);
  });

  test("a package that is imported is a declared dependency", () => {
    const manifest: { dependencies?: object; peerDependencies?: object; imports: object } = JSON.parse(
      readFileSync(join(root, library, "package.json"), "utf8"),
    );
    const { dependencies = {}, peerDependencies = {}, imports } = manifest;
    const declared = new Set([dependencies, peerDependencies, imports].flatMap((names) => Object.keys(names)));
    const bare = sources.flatMap((source) =>
      importsOf(source).flatMap(({ specifier, target }) => (target || specifier.startsWith("node:") ? [] : [specifier])),
    );
    expect(bare.filter((specifier) => !declared.has(packageOf(specifier)))).toEqual([]);
  });
});

/** `Date.parse` and `Date.UTC` compute; they read no clock. */
const isDateArithmetic = ({ type, object, property }: Node): boolean =>
  type === "MemberExpression" &&
  (object as Node)["name"] === "Date" &&
  ["parse", "UTC"].includes(String((property as Node)["name"]));

/** The free names of a file: identifiers that are neither a property's name nor a key. */
function identifiersIn(source: Source): string[] {
  const names: string[] = [];
  const properties = new Set<unknown>();
  for (const node of nodesOf(treeOf(source))) {
    if (node.type === "MemberExpression" && !node["computed"]) properties.add(node["property"]);
    if (isDateArithmetic(node)) properties.add(node["object"]);
    if ((node.type === "Property" || node.type.endsWith("Signature") || node.type.endsWith("Definition")) && !node["computed"])
      properties.add(node["key"]);
    if (node.type === "Identifier" && !properties.has(node)) names.push(String(node["name"]));
  }
  return names;
}

describe("determinism", () => {
  const pure = sources.filter(({ path }) => ["model", "core", "codecs"].includes(layerOf(path)));

  // Reviewed exceptions, with their reasons.
  const allowed: Readonly<Record<string, string>> = {
    "core/retry-after.ts: Date": "a server may name the moment to come back, which is only a wait when compared with now",
  };

  test("codecs and what is below them read no clock and make no randomness", () => {
    const banned = new Set(["Date", "performance", "crypto", "setTimeout", "setInterval", "queueMicrotask"]);
    const used = pure.flatMap((source) =>
      identifiersIn(source).flatMap((name) => (banned.has(name) ? [`${place(source.path)}: ${name}`] : [])),
    );
    const random = pure.filter(({ text }) => text.includes("Math.random")).map(({ path }) => `${place(path)}: Math.random`);
    expect([...used, ...random].filter((use) => !Object.hasOwn(allowed, use))).toEqual([]);
    expect(Object.keys(allowed).filter((use) => !used.includes(use))).toEqual([]);
  });

  test("codecs are synchronous", () => {
    const waiting = pure
      .filter(({ path }) => layerOf(path) === "codecs")
      .filter((source) => [...nodesOf(treeOf(source))].some(({ type, async }) => type === "AwaitExpression" || async === true));
    expect(waiting.map(({ path }) => place(path))).toEqual([]);
  });
});

import { nodesOf, parse, treeOf, type Node } from "./sources.ts";

/** The source of the reducer. */
export const reducer = parse("packages/antiphon/src/core/reduce.ts");

function armsOf(): { type: string; start: number; end: number }[] {
  const table = [...nodesOf(treeOf(reducer))].find(
    (node) => node.type === "VariableDeclarator" && (node["id"] as Node)["name"] === "arms",
  );
  if (!table) throw new Error("core/reduce.ts has no table named `arms`.");
  const { properties } = table["init"] as { properties: (Node & { key: Node })[] };
  return properties.map(({ key, start, end }) => ({ type: String(key["value"] ?? key["name"]), start, end }));
}

/** The event types in the reducer's table, each with the range of its entry in the source. */
export const arms = armsOf();

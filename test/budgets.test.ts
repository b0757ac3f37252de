import { expect, test } from "vitest";
import { childrenOf, filesBelow, lineAt, parse, treeOf, type Node, type Source } from "./support/sources.ts";

const budget = { fileLines: 400, testLines: 600, functionLines: 60, nesting: 4 };

// Reviewed exceptions: a file that is over budget, and why that is better than splitting it. One that is no longer needed fails.
const exceptions: Readonly<Record<string, string>> = {};

const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
const branches: ReadonlySet<string> = new Set([
  "IfStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
]);

interface Excess {
  path: string;
  line: number;
  what: string;
}

function longFile({ path, text }: Source, limit = budget.fileLines): Excess[] {
  const lines = text.trimEnd().split("\n").length;
  return lines > limit ? [{ path, line: 1, what: `a file of ${lines} lines` }] : [];
}

function heavyFunctions(source: Source): Excess[] {
  const { path, text } = source;
  const found: Excess[] = [];
  const visit = (node: Node, depth: number, isElseIf = false): void => {
    const line = lineAt(text, node.start);
    const length = lineAt(text, node.end) - line + 1;
    if (isFunction(node) && length > budget.functionLines) found.push({ path, line, what: `a function of ${length} lines` });
    const inner = branches.has(node.type) && !isElseIf ? depth + 1 : depth;
    if (inner > budget.nesting && inner > depth) found.push({ path, line, what: `nesting ${inner}` });
    for (const child of childrenOf(node))
      visit(child, inner, node.type === "IfStatement" && child === node["alternate"] && child.type === "IfStatement");
  };
  visit(treeOf(source), 0);
  return found;
}

const code = [
  ...filesBelow("packages", ".ts", ".js", ".mjs").filter((path) => /^packages\/[\w-]+\/(src|bin)\//.test(path)),
  ...filesBelow("examples", ".ts").filter((path) => !path.includes("/dist/")),
  ...filesBelow("scripts", ".ts", ".mjs"),
];
const tests = [...filesBelow("packages", ".ts"), ...filesBelow("test", ".ts")].filter((path) => /(^|\/)test\//.test(path));

const excesses = [
  ...code.flatMap((path) => [...longFile(parse(path)), ...heavyFunctions(parse(path))]),
  // A `describe` is a function of any length, and a table of cases a file of some.
  ...tests.flatMap((path) => longFile(parse(path), budget.testLines)),
];

test("files, functions and nesting stay within their budgets", () => {
  const unforgiven = excesses.filter(({ path }) => !Object.hasOwn(exceptions, path));
  expect(unforgiven.map(({ path, line, what }) => `${path}:${line}: ${what}`)).toEqual([]);
});

test("every exception is still needed", () => {
  const needed = new Set(excesses.map(({ path }) => path));
  expect(Object.keys(exceptions).filter((path) => !needed.has(path))).toEqual([]);
});

test("the measure sees long files, long functions and deep nesting", () => {
  const text = `function f() {\n${"  if (a) {\n".repeat(5)}${"x();\n".repeat(60)}${"}".repeat(5)}\n}\n${"// \n".repeat(400)}f();\n`;
  const source = parse("sample.ts", text);
  expect([...longFile(source), ...heavyFunctions(source)].map(({ what }) => what)).toEqual([
    "a file of 469 lines",
    "a function of 68 lines",
    "nesting 5",
  ]);
});

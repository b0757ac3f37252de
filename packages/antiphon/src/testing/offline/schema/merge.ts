import { isObject, type JsonObject } from "../../../model/guards.ts";
import { listOf, patternsFor, same } from "./fits.ts";
import { resolve } from "./resolve.ts";
import { withTold } from "./told.ts";

/** A schema without `$ref` and `allOf` at its top, and the references that were followed to get there. */
export interface Flat {
  /** `undefined` where nothing can be valid. */
  schema: JsonObject | undefined;
  refs: string[];
}

/** Puts what a schema says by reference and by `allOf` into one object of keywords. */
export function flatten(schema: unknown, root: JsonObject, depth = 0): Flat {
  if (schema === false || depth > 32) return { schema: undefined, refs: [] };
  if (!isObject(schema)) return { schema: {}, refs: [] };
  const { $ref, allOf, ...own } = withTold(schema);
  const parts = [...($ref === undefined ? [] : [resolve($ref, root)]), ...listOf(allOf)];
  const refs = typeof $ref === "string" ? [$ref] : [];
  let merged: JsonObject | undefined = own;
  for (const part of parts) {
    const flat = flatten(part, root, depth + 1);
    refs.push(...flat.refs);
    merged = merged && flat.schema && mergeTwo(flat.schema, merged);
  }
  return { schema: merged, refs };
}

const impossible = Symbol("impossible");
type Rule = (a: unknown, b: unknown) => unknown;

const larger: Rule = (a, b) => Math.max(Number(a), Number(b));
const smaller: Rule = (a, b) => Math.min(Number(a), Number(b));
const both: Rule = (a, b) => (a === false || b === false ? false : same(a, b) ? a : { allOf: [a, b] });
// A value must fit one branch of each list, so the branches of both are paired.
const pairs: Rule = (a, b) => listOf(a).flatMap((one) => listOf(b).map((two) => ({ allOf: [one, two] })));
const eachBoth: Rule = (a, b) => {
  if (!isObject(a) || !isObject(b)) return a;
  const shared = Object.keys(b).filter((name) => Object.hasOwn(a, name));
  return { ...a, ...b, ...Object.fromEntries(shared.map((name) => [name, both(a[name], b[name])])) };
};
const orImpossible = (list: unknown[]): unknown => (list.length > 0 ? list : impossible);

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", (a, b) => orImpossible(sharedTypes([a].flat(), [b].flat()))],
  ["enum", (a, b) => orImpossible(listOf(a).filter((member) => listOf(b).some((other) => same(member, other))))],
  ["const", (a, b) => (same(a, b) ? a : impossible)],
  ["required", (a, b) => [...new Set([...listOf(a), ...listOf(b)])]],
  ["properties", eachBoth],
  ["patternProperties", eachBoth],
  ["additionalProperties", both],
  ["propertyNames", both],
  ["items", both],
  ["anyOf", pairs],
  ["oneOf", pairs],
  ["minimum", larger],
  ["exclusiveMinimum", larger],
  ["minLength", larger],
  ["minItems", larger],
  ["minProperties", larger],
  ["maximum", smaller],
  ["exclusiveMaximum", smaller],
  ["maxLength", smaller],
  ["maxItems", smaller],
  ["maxProperties", smaller],
  ["multipleOf", (a, b) => leastCommonMultiple(Number(a), Number(b))],
  ["uniqueItems", (a, b) => a === true || b === true],
  ["not", (a, b) => ({ anyOf: [a, b] })],
]);

/** One schema that asks for what both ask; where a keyword has no rule, the second one's stands. */
export function mergeTwo(first: JsonObject, second: JsonObject): JsonObject | undefined {
  const a = withoutForbidden(first, second);
  const b = withoutForbidden(second, first);
  const merged: JsonObject = { ...a, ...b };
  for (const keyword of Object.keys(b).filter((name) => Object.hasOwn(a, name))) {
    const rule = rules.get(keyword);
    const value = rule ? rule(a[keyword], b[keyword]) : b[keyword];
    if (value === impossible) return undefined;
    merged[keyword] = value;
  }
  return merged;
}

// `additionalProperties` sees only the properties that stand beside it: what the other schema adds is forbidden or bound by it.
function withoutForbidden(schema: JsonObject, judge: JsonObject): JsonObject {
  const limit = judge["additionalProperties"];
  if (limit === undefined || limit === true || !isObject(schema["properties"])) return schema;
  const known = isObject(judge["properties"]) ? judge["properties"] : {};
  const properties = Object.entries(schema["properties"]).map(([name, inner]) =>
    Object.hasOwn(known, name) || patternsFor(judge, name).length > 0 ? [name, inner] : [name, both(inner, limit)],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

function sharedTypes(a: unknown[], b: unknown[]): unknown[] {
  const has = (list: unknown[], type: unknown): boolean => list.includes(type) || (type === "integer" && list.includes("number"));
  return [...new Set([...a.filter((type) => has(b, type)), ...b.filter((type) => has(a, type))])];
}

function leastCommonMultiple(a: number, b: number): number {
  for (let times = 1; times <= 10_000; times += 1) if (Number.isInteger((a * times) / b)) return a * times;
  return a;
}

import { isObject, type JsonObject } from "../../../model/guards.ts";
import { formatOf } from "./formats.ts";
import { matches } from "./pattern.ts";
import { resolve } from "./resolve.ts";

type Check = (limit: unknown, value: unknown, schema: JsonObject, root: JsonObject) => boolean;

/** Whether a value is valid under a schema, by the keywords that `fillSchema` knows; others are taken as met. */
export function fits(schema: unknown, value: unknown, root: JsonObject): boolean {
  if (!isObject(schema)) return schema !== false;
  return Object.entries(schema).every(
    ([keyword, limit]) => limit === undefined || (checks.get(keyword)?.(limit, value, schema, root) ?? true),
  );
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export const same = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b);

/** JSON text with sorted keys: equal values give equal texts. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? "undefined";

/** A schema list, or nothing where the keyword holds something else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
};
const isOfType = (type: unknown, value: unknown): boolean =>
  typeof type === "string" && Object.hasOwn(types, type) && types[type]!(value);

const onNumber =
  (test: (value: number, limit: number) => boolean): Check =>
  (limit, value) =>
    typeof value !== "number" || typeof limit !== "number" || test(value, limit);
const onLength =
  (test: (length: number, limit: number) => boolean): Check =>
  (limit, value) =>
    typeof value !== "string" || typeof limit !== "number" || test(Array.from(value).length, limit);
const onArray =
  (test: (value: unknown[], limit: unknown, schema: JsonObject, root: JsonObject) => boolean): Check =>
  (limit, value, schema, root) =>
    !Array.isArray(value) || test(value, limit, schema, root);
const onObject =
  (test: (value: JsonObject, limit: unknown, schema: JsonObject, root: JsonObject) => boolean): Check =>
  (limit, value, schema, root) =>
    !isObject(value) || test(value, limit, schema, root);

const matching = (limit: unknown, value: unknown, root: JsonObject): number =>
  listOf(limit).filter((branch) => fits(branch, value, root)).length;

/** The schemas in `patternProperties` whose pattern a name matches. */
export const patternsFor = (schema: JsonObject, name: string): unknown[] =>
  Object.entries(isObject(schema["patternProperties"]) ? schema["patternProperties"] : {})
    .filter(([pattern]) => matches(pattern, name))
    .map(([, inner]) => inner);

const isExtra = (schema: JsonObject, name: string): boolean =>
  !(isObject(schema["properties"]) && Object.hasOwn(schema["properties"], name)) && patternsFor(schema, name).length === 0;

const extras: Check = onObject((value, limit, schema, root) =>
  Object.entries(value).every(([name, inner]) => !isExtra(schema, name) || fits(limit, inner, root)),
);

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["type", (limit, value) => (Array.isArray(limit) ? limit.some((type) => isOfType(type, value)) : isOfType(limit, value))],
  ["const", (limit, value) => same(limit, value)],
  ["enum", (limit, value) => listOf(limit).some((member) => same(member, value))],
  ["$ref", (limit, value, _, root) => fits(resolve(limit, root), value, root)],
  ["allOf", (limit, value, _, root) => matching(limit, value, root) === listOf(limit).length],
  ["anyOf", (limit, value, _, root) => matching(limit, value, root) > 0],
  ["oneOf", (limit, value, _, root) => matching(limit, value, root) === 1],
  ["not", (limit, value, _, root) => !fits(limit, value, root)],
  ["minLength", onLength((length, limit) => length >= limit)],
  ["maxLength", onLength((length, limit) => length <= limit)],
  ["pattern", (limit, value) => typeof value !== "string" || typeof limit !== "string" || (matches(limit, value) ?? true)],
  ["format", (limit, value) => typeof value !== "string" || (formatOf(limit)?.test.test(value) ?? true)],
  ["minimum", onNumber((value, limit) => value >= limit)],
  ["maximum", onNumber((value, limit) => value <= limit)],
  ["exclusiveMinimum", onNumber((value, limit) => value > limit)],
  ["exclusiveMaximum", onNumber((value, limit) => value < limit)],
  ["multipleOf", onNumber((value, limit) => Number.isInteger(value / limit))],
  ["minItems", onArray((value, limit) => value.length >= Number(limit))],
  ["maxItems", onArray((value, limit) => value.length <= Number(limit))],
  ["uniqueItems", onArray((value, limit) => limit !== true || new Set(value.map(canonical)).size === value.length)],
  [
    "prefixItems",
    onArray((value, limit, _, root) => listOf(limit).every((inner, at) => at >= value.length || fits(inner, value[at], root))),
  ],
  [
    "items",
    onArray((value, limit, schema, root) =>
      value.slice(listOf(schema["prefixItems"]).length).every((inner) => fits(limit, inner, root)),
    ),
  ],
  ["required", onObject((value, limit) => listOf(limit).every((name) => typeof name !== "string" || Object.hasOwn(value, name)))],
  ["minProperties", onObject((value, limit) => Object.keys(value).length >= Number(limit))],
  ["maxProperties", onObject((value, limit) => Object.keys(value).length <= Number(limit))],
  ["propertyNames", onObject((value, limit, _, root) => Object.keys(value).every((name) => fits(limit, name, root)))],
  [
    "properties",
    onObject(
      (value, limit, _, root) =>
        !isObject(limit) ||
        Object.entries(limit).every(([name, inner]) => !Object.hasOwn(value, name) || fits(inner, value[name], root)),
    ),
  ],
  [
    "patternProperties",
    onObject((value, _, schema, root) =>
      Object.entries(value).every(([name, inner]) => patternsFor(schema, name).every((limit) => fits(limit, inner, root))),
    ),
  ],
  ["additionalProperties", extras],
]);

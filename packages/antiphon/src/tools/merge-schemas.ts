import { isObject, type JsonObject } from "../model/guards.ts";
import { fitsAnything, listParts, sameJson, schemaMap, strings, typesOf, type JsonType } from "./json-schema.ts";

/** Schemas that hold together, as one; or why there is none. `never`: no value fits all of them. */
export type Merged = { schema: JsonObject } | { reason: string; never: boolean };

/** Two values of a keyword as the one that says both; undefined where there is none. */
type MergeKeyword = (a: unknown, b: unknown) => unknown;

const never = Symbol("no value matches both");

const larger: MergeKeyword = (a, b) => Math.max(Number(a), Number(b));
const smaller: MergeKeyword = (a, b) => Math.min(Number(a), Number(b));
const first: MergeKeyword = (a) => a;
const either: MergeKeyword = (a, b) => a === true || b === true;
const both: MergeKeyword = (a, b) => (sameJson(a, b) ? a : { allOf: [a, b] });
const sentences: MergeKeyword = (a, b) => (a === b ? a : `${a} ${b}`);
const equal: MergeKeyword = (a, b) => (sameJson(a, b) ? a : undefined);

/** Integers are numbers, too. */
function commonTypes(a: readonly JsonType[], b: readonly JsonType[]): JsonType[] {
  const fits = (type: JsonType, others: readonly JsonType[]): boolean =>
    others.includes(type) || (type === "integer" && others.includes("number"));
  return [...new Set([...a.filter((type) => fits(type, b)), ...b.filter((type) => fits(type, a))])];
}

const commonChoices: MergeKeyword = (a, b) => {
  const others = Array.isArray(b) ? b : [];
  const common = (Array.isArray(a) ? a : []).filter((choice) => others.some((other) => sameJson(choice, other)));
  return common.length > 0 ? common : never;
};

const commonMultiple: MergeKeyword = (a, b) => {
  const [low, high] = [Number(a), Number(b)].sort((one, other) => one - other) as [number, number];
  return Number.isInteger(high / low) ? high : undefined;
};

function mergeProperties(a: unknown, b: unknown): JsonObject {
  const [one, other] = [schemaMap(a), schemaMap(b)];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const merged = names.map((name) => {
    if (!Object.hasOwn(one, name)) return [name, other[name]] as const;
    return [name, Object.hasOwn(other, name) ? both(one[name], other[name]) : one[name]] as const;
  });
  return Object.fromEntries(merged);
}

/** How keywords that two schemas both have become one. `type` and objects' closedness are seen to apart from these. */
const keywordMerges: Readonly<Record<string, MergeKeyword>> = {
  properties: mergeProperties,
  required: (a, b) => [...new Set([...strings(a), ...strings(b)])],
  items: both,
  enum: commonChoices,
  const: (a, b) => (sameJson(a, b) ? a : never),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  multipleOf: commonMultiple,
  uniqueItems: either,
  description: sentences,
  title: first,
  default: first,
  examples: first,
  $comment: first,
  $schema: first,
  $id: first,
  $defs: first,
  definitions: first,
};

/** Leaves out of a schema the properties that a closed one beside it does not have. */
function keepKnown(schema: JsonObject, closed: JsonObject): JsonObject {
  if (closed["additionalProperties"] !== false || !isObject(schema["properties"])) return schema;
  const known = schemaMap(closed["properties"]);
  const entries = Object.entries(schema["properties"]).filter(([name]) => Object.hasOwn(known, name));
  return { ...schema, properties: Object.fromEntries(entries) };
}

function mergeClosedness(a: unknown, b: unknown): unknown {
  if (a === false || b === false) return false;
  return a ?? b;
}

const hasEntries = ({ items, prefixItems }: JsonObject): boolean => items !== undefined || prefixItems !== undefined;
const hasPlaces = (schema: JsonObject): boolean => listParts(schema).first.length > 0;

const describesOthers = ({ additionalProperties }: JsonObject): boolean =>
  !fitsAnything(additionalProperties) && additionalProperties !== false;

/** A schema with `const` said as a choice of one, so that it can meet an `enum`. */
function asChoice(schema: JsonObject): JsonObject {
  if (schema["const"] === undefined || schema["enum"] !== undefined) return schema;
  const { const: constant, ...rest } = schema;
  return { ...rest, enum: [constant] };
}

function mergeTwo(one: JsonObject, other: JsonObject): Merged {
  if ((hasPlaces(one) && hasEntries(other)) || (hasPlaces(other) && hasEntries(one)))
    return { reason: "it merges tuples", never: false };
  if (describesOthers(one) || describesOthers(other))
    return { reason: "one of its parts describes properties that it does not name", never: false };
  const isMixed = (one["const"] ?? other["const"]) !== undefined && (one["enum"] ?? other["enum"]) !== undefined;
  const [a, b] = isMixed ? [asChoice(one), asChoice(other)] : [one, other];
  const merged: JsonObject = { ...keepKnown(a, b) };
  for (const [keyword, value] of Object.entries(keepKnown(b, a))) {
    const mine = merged[keyword];
    if (keyword === "type" || keyword === "nullable" || keyword === "additionalProperties") continue;
    if (mine === undefined) merged[keyword] = value;
    else {
      const merge = Object.hasOwn(keywordMerges, keyword) ? keywordMerges[keyword]! : equal;
      const common = merge(mine, value);
      if (common === never) return { reason: "no value matches all of its parts", never: true };
      if (common === undefined) return { reason: `its parts differ in \`${keyword}\``, never: false };
      merged[keyword] = common;
    }
  }
  return withTypes(merged, a, b);
}

function withTypes(merged: JsonObject, a: JsonObject, b: JsonObject): Merged {
  const closedness = mergeClosedness(a["additionalProperties"], b["additionalProperties"]);
  const { nullable: _, type: __, additionalProperties: ___, ...rest } = merged;
  const [one, other] = [typesOf(a), typesOf(b)];
  const types = one && other ? commonTypes(one, other) : (one ?? other);
  if (types?.length === 0) return { reason: "no value matches all of its parts", never: true };
  return {
    schema: {
      ...(types && { type: types.length === 1 ? types[0] : types }),
      ...rest,
      ...(closedness !== undefined && { additionalProperties: closedness }),
    },
  };
}

/** Schemas that hold together, as one schema. Properties and entries that several describe are left as `allOf` for later. */
export const mergeSchemas = (schemas: readonly JsonObject[]): Merged =>
  schemas.reduce<Merged>((merged, schema) => ("schema" in merged ? mergeTwo(merged.schema, schema) : merged), { schema: {} });

import fc, { type Arbitrary, type LetrecTypedTie } from "fast-check";
import type { JsonSchema } from "../../src/model/index.ts";

const words = fc.constantFrom("red", "green", "blue", "a b", "", "ä", "null", "0");
const names = fc.constantFrom("city", "days", "unit", "kind", "tags", "a/b", "~x", "constructor", "value");
const nothing = fc.constant({});

const describes = fc.oneof({ weight: 3, arbitrary: nothing }, fc.record({ description: words }), fc.record({ title: words }));

const string: Arbitrary<JsonSchema> = fc
  .tuple(fc.constant({ type: "string" }), describes, fc.oneof(nothing, nothing, fc.constant({ pattern: "^[a-z]{1,3}$" })))
  .map(([...parts]) => Object.assign({}, ...parts) as JsonSchema);

const number: Arbitrary<JsonSchema> = fc
  .record({
    type: fc.constantFrom("number", "integer"),
    low: fc.option(fc.integer({ min: -9, max: 0 }), { nil: undefined }),
    high: fc.option(fc.integer({ min: 5, max: 9 }), { nil: undefined }),
    step: fc.option(fc.constantFrom(1, 2), { nil: undefined, freq: 4 }),
  })
  .map(({ type, low, high, step }) => ({
    type,
    ...(low !== undefined && { minimum: low }),
    ...(high !== undefined && { exclusiveMaximum: high }),
    ...(step !== undefined && { multipleOf: step }),
  }));

const scalarValue = fc.oneof(words, fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.constant(null));
const choice: Arbitrary<JsonSchema> = fc.oneof(
  fc.uniqueArray(scalarValue, { minLength: 1, maxLength: 4 }).map((choices) => ({ enum: choices })),
  fc.uniqueArray(words, { minLength: 1, maxLength: 3 }).map((choices) => ({ type: "string", enum: choices })),
  scalarValue.map((value) => ({ const: value })),
);

const types = fc.uniqueArray(fc.constantFrom("string", "number", "boolean", "null"), { minLength: 1, maxLength: 3 });
const scalar: Arbitrary<JsonSchema> = fc.oneof(
  string,
  number,
  choice,
  fc.constant({ type: "boolean" }),
  types.map((type) => ({ type })),
  fc.constant({ type: "string", nullable: true }),
  fc.constantFrom<JsonSchema>(
    { type: "string", default: "red" },
    { enum: ["red", 1], default: 1 },
    { type: ["integer", "null"], default: 3 },
  ),
);

const reference: Arbitrary<JsonSchema> = fc
  .tuple(fc.constantFrom("#/$defs/leaf", "#/$defs/tree", "#/$defs/pair", "#/$defs/alias"), describes)
  .map(([$ref, described]) => ({ $ref, ...described }));

/** Objects with distinct marks, or values of distinct types: no value fits two of them. */
const disjoint = (inner: Arbitrary<JsonSchema>): Arbitrary<JsonSchema[]> =>
  fc.oneof(
    fc.constant<JsonSchema[]>([{ type: "string" }, { type: "number" }, { type: "null" }]),
    fc.tuple(inner, inner).map((parts) =>
      parts.map((part, at) => ({
        type: "object",
        properties: { mark: { const: `mark ${at}` }, part },
        required: at === 0 ? ["mark"] : ["mark", "part"],
      })),
    ),
  );

interface Tie {
  schema: JsonSchema;
  object: JsonSchema;
}

/** Schemas that have a strict form that means the same, with definitions that lead back to themselves. */
const { schema: anySchema, object: anyObject } = fc.letrec<Tie>((tie: LetrecTypedTie<Tie>) => {
  const inner = tie("schema");
  const object = fc
    .record({
      properties: fc.dictionary(names, inner, { minKeys: 1, maxKeys: 4 }),
      flags: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      isClosed: fc.boolean(),
      described: describes,
    })
    .map(({ properties, flags, isClosed, described }) => ({
      type: "object",
      properties,
      required: Object.keys(properties).filter((_, at) => flags[at]),
      ...(isClosed && { additionalProperties: false }),
      ...described,
    }));
  const list = fc.oneof(
    fc
      .tuple(inner, fc.nat(1), fc.nat(2))
      .map(([items, minItems, more]) => ({ type: "array", items, minItems, maxItems: minItems + more })),
    inner.map((items) => ({ type: "array", items })),
    inner.map((entry) => ({ type: "array", prefixItems: [entry, entry], items: false, minItems: 2 })),
  );
  const merged = fc.oneof(
    fc.tuple(inner, inner).map(([one, other]) => ({
      allOf: [{ type: "object", properties: { one }, required: ["one"] }, { properties: { other, one: {} } }],
    })),
    fc.tuple(inner, inner).map(([one, other]) => ({
      type: "object",
      properties: { one },
      anyOf: [{ properties: { other }, required: ["other"] }, { properties: { extra: { type: "string" } } }],
    })),
  );
  return {
    schema: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      { weight: 4, arbitrary: scalar },
      { weight: 2, arbitrary: tie("object") },
      { weight: 1, arbitrary: list },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([one, other]) => ({ anyOf: [one, other] })) },
      { weight: 1, arbitrary: disjoint(inner).map((oneOf) => ({ oneOf })) },
      { weight: 1, arbitrary: merged },
      { weight: 1, arbitrary: reference },
    ),
    object,
  };
});

const definitions = (leaf: JsonSchema, pair: JsonSchema): JsonSchema => ({
  leaf,
  pair,
  alias: { $ref: "#/$defs/leaf" },
  tree: {
    type: "object",
    properties: {
      name: { type: "string" },
      left: { $ref: "#/$defs/tree", description: "The left side." },
      children: { type: "array", items: { $ref: "#/$defs/tree" }, maxItems: 2 },
    },
    required: ["name"],
  },
});

/** Schemas with an object at the root, of the subset that strict form is made for. */
export const strictableSchemas: Arbitrary<JsonSchema> = fc
  .tuple(anyObject, scalar, anyObject)
  .map(([root, leaf, pair]) => ({ ...root, $defs: definitions(leaf, pair) }))
  // A definition that holds itself on every way has no value.
  .filter((schema) => !JSON.stringify(schema["$defs"]["pair"]).includes("#/$defs/pair"));

/** Schemas with anything at the root. */
export const rootedSchemas: Arbitrary<JsonSchema> = fc
  .tuple(anySchema, scalar)
  .map(([root, leaf]) => ({ ...root, $defs: definitions(leaf, { type: "array", items: { type: "number" } }) }));

/** A schema as text: an object with a `then` of its own would be taken for a promise. */
const parse = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;

/** Bounds and rules that a strict form can only tell, or that rule it out. */
export const wildKeywords: Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  { minProperties: 2 },
  { maxProperties: 1 },
  { not: { required: ["city"] } },
  parse('{ "if": { "required": ["city"] }, "then": { "required": ["days"] }, "else": { "maxProperties": 2 } }'),
  { dependentRequired: { city: ["days"] } },
  { dependentSchemas: { city: { required: ["unit"] } } },
  { patternProperties: { "^[a-c]": { type: "string" } } },
  { additionalProperties: { type: "number" } },
  { propertyNames: { pattern: "^[a-z]+$" } },
  { anyOf: [{ required: ["city"] }, { required: ["days"] }] },
  { oneOf: [{ required: ["city"] }, { required: ["days"] }] },
  {
    properties: { city: { type: "array", uniqueItems: true, contains: { type: "number" }, minContains: 1, maxContains: 2 } },
  },
  {
    properties: {
      city: { type: "string", minLength: 2, maxLength: 3 },
      days: { type: "array", prefixItems: [{ type: "string" }] },
    },
  },
);

/** A schema with one of them. */
export const wildSchemas: Arbitrary<JsonSchema> = fc
  .tuple(strictableSchemas, wildKeywords)
  .map(([schema, extra]) => ({ ...schema, ...extra }));

type Resolve = (reference: string) => JsonSchema;

/** Values that fit a schema in strict form. Deep down, the shortest branch is taken. */
export function strictValues(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Arbitrary<unknown> {
  const resolve: Resolve = (reference) =>
    reference === "#" ? root : ((root["$defs"] as JsonSchema)[reference.slice("#/$defs/".length)] as JsonSchema);
  if (typeof schema["$ref"] === "string") return strictValues(resolve(schema["$ref"]), root, depth + 1);
  if (Array.isArray(schema["anyOf"])) return unionValues(schema["anyOf"] as JsonSchema[], root, depth);
  if (schema["const"] !== undefined) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  const { type } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => strictValues({ ...schema, type: one }, root, depth)));
  return valuesByType[type as string]!(schema, root, depth);
}

function unionValues(branches: readonly JsonSchema[], root: JsonSchema, depth: number): Arbitrary<unknown> {
  const ends = branches.filter(({ type }) => typeof type === "string" && type !== "object" && type !== "array");
  const possible = depth > 4 && ends.length > 0 ? ends : branches;
  return fc.oneof(...possible.map((branch) => strictValues(branch, root, depth + 1)));
}

const valuesByType: Readonly<Record<string, (schema: JsonSchema, root: JsonSchema, depth: number) => Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  string: ({ pattern }) => (typeof pattern === "string" ? fc.stringMatching(new RegExp(pattern)) : words),
  number: (schema) => numbers(schema),
  integer: (schema) => numbers(schema),
  array: (schema, root, depth) => {
    const least = Number(schema["minItems"] ?? 0);
    const most = depth > 4 ? least : Number(schema["maxItems"] ?? least + 2);
    if (most === 0) return fc.constant([]);
    return fc.array(strictValues(schema["items"] as JsonSchema, root, depth + 1), { minLength: least, maxLength: most });
  },
  object: (schema, root, depth) => {
    const properties = Object.entries(schema["properties"] as Record<string, JsonSchema>);
    return fc.record(Object.fromEntries(properties.map(([name, inner]) => [name, strictValues(inner, root, depth + 1)])));
  },
};

function numbers({ minimum, exclusiveMaximum, multipleOf }: JsonSchema): Arbitrary<number> {
  const step = Number(multipleOf ?? 1);
  const low = Math.ceil(Number(minimum ?? -9) / step);
  const high = Math.ceil(Number(exclusiveMaximum ?? 9) / step) - 1;
  return fc.integer({ min: low, max: high }).map((value) => value * step);
}

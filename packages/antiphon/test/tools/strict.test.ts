import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { strictRules } from "../../src/tools/strict-rules.ts";
import { strictForm, toStrict } from "../../src/tools/strict.ts";
import { unwrapRoot, wrapRoot } from "../../src/tools/wrap-root.ts";
import { strictFaults } from "./strict-rules.ts";

const object = (properties: JsonSchema, required: string[] = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** The strict form of a schema that stands as the required property `it`. */
function strictOf(it: unknown, beside: JsonSchema = {}): unknown {
  const form = toStrict({ ...object({ it }), ...beside });
  expect(form.changes.filter(({ rule }) => rule === "not-strict")).toEqual([]);
  expect(strictFaults(form.schema)).toEqual([]);
  return (form.schema["properties"] as JsonSchema)["it"];
}

const rulesOf = (schema: JsonSchema): string[] => toStrict(schema).changes.map(({ path, rule }) => `${path} ${rule}`);

describe("objects", () => {
  test("have every property required, are closed, and say null for what is left out", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city"],
    };
    const form = toStrict(schema);
    expect(form.strict).toBe(true);
    expect(form.schema).toEqual(object({ city: { type: "string" }, days: { type: ["integer", "null"] } }));
    expect(rulesOf(schema)).toEqual([" closed", "/properties/days optional-to-nullable"]);
    expect(form.changes[1]!.reason).toBe(strictRules["optional-to-nullable"]);
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ["a string", { type: "string", description: "A city." }, { type: ["string", "null"], description: "A city." }],
    ["a choice", { type: "string", enum: ["c", "f"] }, { type: ["string", "null"], enum: ["c", "f", null] }],
    ["a constant", { const: "c" }, { type: ["string", "null"], enum: ["c", null] }],
    [
      "a list",
      { type: "array", items: { type: "number" }, description: "Sizes." },
      {
        description: "Sizes.",
        anyOf: [{ type: "array", items: { type: "number" } }, { type: "null" }],
      },
    ],
    [
      "an object",
      { ...object({ a: { type: "string" } }), description: "One." },
      {
        description: "One.",
        anyOf: [object({ a: { type: "string" } }), { type: "null" }],
      },
    ],
    [
      "a union",
      { anyOf: [{ type: "string" }, { type: "number" }] },
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    ],
    ["what takes null anyway", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["what takes null by OpenAPI", { type: "string", nullable: true }, { type: ["string", "null"] }],
  ])("an optional property that is %s", (_, schema, expected) => {
    const form = toStrict({ type: "object", properties: { it: schema } });
    expect(form.schema).toEqual(object({ it: expected }));
    expect(strictFaults(form.schema)).toEqual([]);
  });

  test("what is inside of others is converted too", () => {
    const inner: JsonSchema = { type: "object", properties: { a: { type: "string" } } };
    const strict = object({ a: { type: ["string", "null"] } });
    expect(strictOf({ type: "array", items: inner })).toEqual({ type: "array", items: strict });
    expect(strictOf({ anyOf: [inner, { type: "null" }] })).toEqual({ anyOf: [strict, { type: "null" }] });
    expect(strictOf(object({ deep: inner }))).toEqual(object({ deep: strict }));
  });

  test("a property that must never be there is left out", () => {
    expect(strictOf({ type: "object", properties: { a: { type: "string" }, b: false }, required: ["a"] })).toEqual(
      object({ a: { type: "string" } }),
    );
  });
});

describe("values", () => {
  test.each<[string, unknown, unknown]>([
    ["a choice without a type", { enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
    [
      "a choice of several types",
      { enum: ["a", 1, null] },
      {
        anyOf: [{ type: "string", enum: ["a"] }, { type: "number", enum: [1] }, { type: "null" }],
      },
    ],
    ["choices that the rest rules out", { type: "integer", enum: [1, 2.5, 9], maximum: 5 }, { type: "integer", enum: [1] }],
    ["the same choice twice", { enum: ["a", "a"] }, { type: "string", enum: ["a"] }],
    ["a constant", { const: 1 }, { type: "number", const: 1 }],
    ["the constant null", { const: null }, { type: "null" }],
    [
      "several types",
      { type: ["string", "integer", "null"], description: "Id.", minimum: 1, pattern: "^x" },
      {
        description: "Id.",
        anyOf: [{ type: "string", pattern: "^x" }, { type: "integer", minimum: 1 }, { type: "null" }],
      },
    ],
    ["no type, but a keyword that tells it", { minimum: 3 }, { type: "number", minimum: 3 }],
    [
      "bounds that strict schemas take",
      { type: "number", minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      { type: "number", minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
    ],
    [
      "bounds of older drafts",
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { type: "number", exclusiveMinimum: 1, maximum: 9 },
    ],
    [
      "bounds that every integer keeps",
      { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: "integer" },
    ],
    ["formats that strict schemas take", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
    [
      "other formats",
      { type: "string", format: "uri", description: "A link." },
      { type: "string", description: 'A link. (format: "uri")' },
    ],
    ["lengths", { type: "string", minLength: 1, maxLength: 9 }, { type: "string", description: "(minLength: 1, maxLength: 9)" }],
    ["patterns that look around", { type: "string", pattern: "^(?!a)" }, { type: "string", description: '(pattern: "^(?!a)")' }],
    ["keywords of other types", { type: "string", minimum: 5, items: { type: "string" } }, { type: "string" }],
    ["keywords of nobody", { type: "string", "x-order": 1, title: "T" }, { type: "string", title: "T" }],
    [
      "examples",
      { type: "string", examples: ["a"], default: "b" },
      { type: "string", description: '(examples: ["a"], default: "b")' },
    ],
  ])("%s", (_, schema, expected) => {
    expect(strictOf(schema)).toEqual(expected);
  });
});

describe("lists", () => {
  test.each<[string, unknown, unknown]>([
    [
      "keep their bounds",
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
      {
        type: "array",
        description: "(uniqueItems: true)",
        minItems: 1,
        maxItems: 3,
        items: { type: "string" },
      },
    ],
    [
      "alike in every place need no places",
      { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
      {
        type: "array",
        minItems: 2,
        maxItems: 2,
        items: { type: "number" },
      },
    ],
    [
      "of older drafts are read, too",
      { type: "array", items: [{ type: "number" }, { type: "number" }], additionalItems: { type: "number" } },
      {
        type: "array",
        items: { type: "number" },
      },
    ],
    [
      "that differ by place tell so",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      {
        type: "array",
        description: '(prefixItems: [{"type":"string"},{"type":"number"}])',
        maxItems: 2,
        items: { anyOf: [{ type: "string" }, { type: "number" }] },
      },
    ],
  ])("that %s", (_, schema, expected) => {
    expect(strictOf(schema)).toEqual(expected);
  });
});

describe("unions", () => {
  const a = object({ kind: { const: "a" } });
  const strictA = object({ kind: { type: "string", const: "a" } });

  test.each<[string, unknown, unknown]>([
    ["oneOf becomes anyOf", { oneOf: [a, { type: "string" }] }, { anyOf: [strictA, { type: "string" }] }],
    ["a union of one is that one", { anyOf: [a], description: "It." }, { ...strictA, description: "It." }],
    [
      "what stands beside goes into each branch",
      {
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        anyOf: [
          { properties: { x: { type: "number" } }, required: ["x"] },
          { properties: { y: { type: "number" } }, required: ["y"] },
        ],
      },
      {
        anyOf: [
          object({ id: { type: "string" }, x: { type: "number" } }),
          object({ id: { type: "string" }, y: { type: "number" } }),
        ],
      },
    ],
    [
      "a branch that what stands beside rules out is left out",
      { type: "string", anyOf: [{ type: "number" }, { enum: ["a"] }] },
      { type: "string", enum: ["a"] },
    ],
    [
      "which properties go together is told",
      { ...object({ x: { type: "string" } }, []), anyOf: [{ required: ["x"] }, { required: [] }] },
      {
        ...object({ x: { type: ["string", "null"] } }),
        description: '(anyOf: [{"required":["x"]},{"required":[]}])',
      },
    ],
  ])("%s", (_, schema, expected) => {
    expect(strictOf(schema)).toEqual(expected);
  });
});

describe("allOf", () => {
  test.each<[string, unknown, unknown]>([
    ["of one", { allOf: [{ type: "string" }], description: "It." }, { type: "string", description: "It." }],
    [
      "of objects",
      { allOf: [object({ a: { type: "string" } }), { properties: { a: { enum: ["x", 1] } } }] },
      object({ a: { type: "string", enum: ["x"] } }),
    ],
    [
      "of bounds",
      { allOf: [{ type: "number", minimum: 1, maximum: 9 }, { type: "integer", minimum: 3, multipleOf: 2 }, { multipleOf: 4 }] },
      { type: "integer", minimum: 3, maximum: 9, multipleOf: 4 },
    ],
    [
      "beside other keywords",
      {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        allOf: [{ properties: { b: { type: "number" } }, required: ["b"] }],
      },
      object({ a: { type: "string" }, b: { type: "number" } }),
    ],
    [
      "where one part is closed",
      { allOf: [object({ a: { type: "string" } }), { properties: { b: { type: "number" } } }] },
      object({ a: { type: "string" } }),
    ],
    ["with constants", { allOf: [{ const: "a" }, { enum: ["a", "b"] }] }, { type: "string", enum: ["a"] }],
    ["with null by OpenAPI", { nullable: true, allOf: [{ type: "string" }] }, { type: ["string", "null"] }],
  ])("%s is merged", (_, schema, expected) => {
    expect(strictOf(schema)).toEqual(expected);
  });

  test("of references is merged from what they refer to", () => {
    const schema = { allOf: [{ $ref: "#/$defs/base" }, { properties: { b: { type: "number" } }, required: ["b"] }] };
    const base = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(strictOf(schema, { $defs: { base } })).toEqual(object({ a: { type: "string" }, b: { type: "number" } }));
  });
});

describe("references", () => {
  const city: JsonSchema = { type: "object", properties: { name: { type: "string" } }, description: "A city." };
  const strictCity = { ...object({ name: { type: ["string", "null"] } }), description: "A city." };

  test("keep their definitions, which are converted once", () => {
    const form = toStrict({
      ...object({ from: { $ref: "#/definitions/City" }, to: { $ref: "#/definitions/City" } }),
      definitions: { City: city },
    });
    expect(form.schema).toEqual({
      ...object({ from: { $ref: "#/$defs/City" }, to: { $ref: "#/$defs/City" } }),
      $defs: { City: strictCity },
    });
    expect(strictFaults(form.schema)).toEqual([]);
  });

  test("that say more are written out, or say it beside the null", () => {
    const properties = {
      from: { $ref: "#/$defs/City", description: "Where from." },
      to: { $ref: "#/$defs/City", description: "Where to." },
    };
    const form = toStrict({ ...object(properties, ["from"]), $defs: { City: city } });
    expect(form.schema).toEqual({
      ...object({
        from: { ...strictCity, description: "Where from." },
        to: { description: "Where to.", anyOf: [{ $ref: "#/$defs/City" }, { type: "null" }] },
      }),
      $defs: { City: strictCity },
    });
  });

  test("may lead back to themselves", () => {
    const node: JsonSchema = {
      type: "object",
      properties: { next: { $ref: "#/$defs/node" }, other: { $ref: "#/$defs/node", description: "Needed." } },
      required: ["other"],
    };
    const form = toStrict({ $ref: "#/$defs/node", $defs: { node } });
    expect(strictFaults(form.schema)).toEqual([]);
    const strict = object({ next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] }, other: { $ref: "#/$defs/node" } });
    expect((form.schema["$defs"] as JsonSchema)["node"]).toEqual(strict);
    expect(toStrict({ type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } }).schema).toEqual(
      object({ kids: { anyOf: [{ type: "array", items: { $ref: "#" } }, { type: "null" }] } }),
    );
  });

  test("may lead anywhere in the schema", () => {
    const schema = object({
      a: { type: "string", enum: ["x"] },
      "b/c": { $ref: "#/properties/a" },
      d: { $ref: "#/properties/b~1c" },
    });
    const form = toStrict(schema);
    expect(strictFaults(form.schema)).toEqual([]);
    expect(form.schema["properties"]).toMatchObject({ "b/c": { $ref: "#/$defs/a" }, d: { $ref: "#/$defs/a" } });
  });
});

describe("schemas that cannot be strict stay as they are and say why", () => {
  const wide = (count: number): JsonSchema =>
    object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string" }])));
  const deep = (levels: number): JsonSchema =>
    levels === 1 ? object({ a: { type: "string" } }) : object({ a: deep(levels - 1) });
  const choices = (count: number, length = 5): JsonSchema =>
    object({ a: { enum: Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, "x")) } });

  test.each<[string, JsonSchema, string, string]>([
    [
      "an open map",
      object({ it: { type: "object", additionalProperties: { type: "string" } } }),
      "/properties/it",
      "allows properties that it does not name",
    ],
    ["an object without properties", object({ it: { type: "object" } }), "/properties/it", "names no properties"],
    [
      "patternProperties",
      object({ it: { type: "object", patternProperties: { "^x": {} } } }),
      "/properties/it",
      "not support `patternProperties`",
    ],
    ["not", object({ it: { type: "string", not: { const: "a" } } }), "/properties/it", "not support `not`"],
    ["if", { ...object({ it: { type: "string" } }), if: {}, else: {} }, "", "not support `if`"],
    ["anything", object({ it: {} }), "/properties/it", "allows anything"],
    ["a description alone", object({ it: { description: "What you like." } }), "/properties/it", "allows anything"],
    ["a list of anything", object({ it: { type: "array" } }), "/properties/it", "does not describe its entries"],
    ["a root that is a list", { type: "array", items: { type: "string" } }, "", "root is not an object"],
    ["a root that is a union", { anyOf: [object({}), { type: "null" }] }, "", "root is not an object"],
    [
      "a reference elsewhere",
      object({ it: { $ref: "https://a.example/b" } }),
      "/properties/it",
      '"https://a.example/b" is external',
    ],
    [
      "references in a circle",
      { ...object({ it: { $ref: "#/$defs/a" } }), $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      "/properties/it",
      "circular",
    ],
    [
      "an allOf that nothing fits",
      object({ it: { allOf: [{ type: "string" }, { type: "number" }] } }),
      "/properties/it",
      "no value matches all of its parts",
    ],
    [
      "an allOf that cannot be merged",
      object({ it: { allOf: [{ pattern: "a" }, { pattern: "b" }] } }),
      "/properties/it",
      "differ in `pattern`",
    ],
    [
      "an allOf with a map",
      object({ it: { allOf: [object({ a: { type: "number" } }), { additionalProperties: { type: "string" } }] } }),
      "/properties/it",
      "describes properties that it does not name",
    ],
    ["choices of objects", object({ it: { enum: [{ a: 1 }] } }), "/properties/it", "objects or lists"],
    [
      "an unknown required property",
      object({ it: { type: "string" } }, ["it", "that"]),
      "",
      "requires `that` but does not describe it",
    ],
    ["too many properties", wide(5_001), "", "5001 properties"],
    [
      "too many levels",
      deep(11),
      "/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a/properties/a",
      "deeper than 10 levels",
    ],
    ["too many choices", choices(1_001), "", "1001 enum values"],
    ["too many characters in one enum", choices(251, 60), "", "more than 15000 characters"],
    ["too many characters", choices(250, 500), "", "characters in names and values"],
  ])("%s", (_, schema, path, reason) => {
    const form = toStrict(schema);
    expect(form.strict).toBe(false);
    expect(form.schema).toBe(schema);
    const change = form.changes.find((each) => each.path === path);
    expect(change?.rule).toBe("not-strict");
    expect(change?.reason).toContain(reason);
  });

  test("what is just within the limits is strict", () => {
    for (const schema of [wide(5_000), deep(10), choices(1_000), choices(250, 479)]) {
      const form = toStrict(schema);
      expect(form.changes.filter(({ rule }) => rule === "not-strict")).toEqual([]);
      expect(strictFaults(form.schema)).toEqual([]);
    }
  });

  test("all reasons are told, not only the first", () => {
    expect(rulesOf(object({ a: {}, b: { type: "array" } }))).toEqual(["/properties/a not-strict", "/properties/b not-strict"]);
  });

  test("merging what leads back to itself comes to an end", () => {
    const node = (name: string): JsonSchema => ({
      type: "object",
      properties: { [name]: { type: "string" }, next: { $ref: `#/$defs/${name}` } },
    });
    const form = toStrict({
      ...object({ it: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }] } }),
      $defs: { a: node("a"), b: node("b") },
    });
    expect(form.strict).toBe(false);
  });
});

test("the page on tools lists every rule", () => {
  const page = readFileSync(new URL("../../../../docs/tools.md", import.meta.url), "utf8");
  expect(page.match(/(?<=^\| `)[a-z-]+(?=` \|.*\|.*\|.*\|$)/gm)).toEqual(Object.keys(strictRules));
});

describe("the root", () => {
  const union: JsonSchema = {
    anyOf: [{ type: "string" }, { $ref: "#/$defs/n" }, { type: "array", items: { $ref: "#" } }],
    $defs: { n: { type: "number" } },
  };

  test("is wrapped with its references, and unwrapped", () => {
    expect(wrapRoot(union)).toEqual({
      type: "object",
      properties: {
        value: { anyOf: [{ type: "string" }, { $ref: "#/$defs/n" }, { type: "array", items: { $ref: "#/properties/value" } }] },
      },
      required: ["value"],
      additionalProperties: false,
      $defs: { n: { type: "number" } },
    });
    expect(unwrapRoot({ value: 5 })).toBe(5);
    expect(unwrapRoot(5)).toBe(5);
    expect(unwrapRoot({ value: 5, other: 6 })).toEqual({ value: 5, other: 6 });
  });

  test.each<[string, JsonSchema, unknown]>([
    ["a union", union, ["a", [1]]],
    ["a list", { type: "array", items: { type: "object", properties: { a: { type: "string" } } } }, [{ a: "x" }]],
    ["a choice", { enum: ["yes", "no"] }, "yes"],
    ["a number", { type: "number" }, 5],
    ["a marked union", { oneOf: [object({ kind: { const: "a" } }), object({ kind: { const: "b" } })] }, { kind: "b" }],
  ])("that is %s has a strict form all the same", (_, schema, value) => {
    const form = strictForm(schema);
    expect(form.strict).toBe(true);
    expect(strictFaults(form.schema)).toEqual([]);
    expect(form.changes[0]?.rule).toBe("root-wrapped");
    expect(form.restore({ value })).toEqual(value);
    expect(form.restore(value)).toEqual(value);
  });

  test("of what is not strict is an object that names its properties", () => {
    expect(strictForm({ type: "object" })).toMatchObject({ strict: false, schema: { type: "object", properties: {} } });
    const open: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
    expect(strictForm({ $ref: "#/$defs/open", $defs: { open } }).schema).toMatchObject({ ...open, properties: {} });
    expect(strictForm({ anyOf: [open, { type: "null" }] })).toMatchObject({
      strict: false,
      schema: { properties: { value: { anyOf: [open, { type: "null" }] } } },
    });
  });

  test("stays as it is where strictness is not wanted", () => {
    const schema: JsonSchema = { type: "object", properties: { a: { type: "string" } } };
    expect(strictForm(schema, { strict: false })).toMatchObject({ strict: false, schema, changes: [{ rule: "not-strict" }] });
    expect(strictForm(schema, { strict: false }).restore({ a: null })).toEqual({});
    expect(strictForm({ type: "array", items: {} }, { strict: false }).schema).toMatchObject({
      properties: { value: { type: "array" } },
    });
  });
});

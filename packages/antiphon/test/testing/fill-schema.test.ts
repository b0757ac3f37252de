import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restoreArguments } from "../../src/tools/restore.ts";
import { toStrict } from "../../src/tools/strict.ts";
import { fillSchema } from "../../src/testing/offline/fill-schema.ts";
import { fillPattern } from "../../src/testing/offline/schema/pattern.ts";
import { faults } from "./json-schema.ts";

type Schema = Record<string, unknown>;

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const withoutUndefined = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

const string = fc
  .record({ minLength: optional(fc.nat(30)), extra: optional(fc.nat(20)) })
  .map(({ minLength, extra }) =>
    withoutUndefined({ type: "string", minLength, maxLength: extra === undefined ? undefined : (minLength ?? 0) + extra }),
  );
const format = fc
  .constantFrom("date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname")
  .map((name): Schema => ({ type: "string", format: name }));
const pattern = fc
  .constantFrom(
    "^[a-z]{3,5}$",
    "^\\d{3}-\\d{4}$",
    "^(?:red|green|blue)\\+?$",
    "^[A-Z][a-z]+(?: [A-Z][a-z]+)*$",
    "x",
    "^#[0-9a-fA-F]{6}$",
    "^.{4,}$",
  )
  .map((source): Schema => ({ type: "string", pattern: source }));
const number = fc
  .record({
    type: fc.constantFrom("integer", "number"),
    low: optional(fc.integer({ min: -1000, max: 1000 })),
    width: optional(fc.integer({ min: 10, max: 5000 })),
    exclusive: fc.boolean(),
    multipleOf: optional(fc.constantFrom(1, 2, 5, 0.5, 0.1)),
  })
  .map(({ type, low, width, exclusive, multipleOf }) => {
    const high = width === undefined ? undefined : (low ?? 0) + width;
    const bounds = exclusive ? { exclusiveMinimum: low, exclusiveMaximum: high } : { minimum: low, maximum: high };
    return withoutUndefined({ type, ...bounds, multipleOf });
  });
const narrow = fc
  .record({ low: fc.integer({ min: -50, max: 50 }), width: fc.constantFrom(0.25, 0.5, 1) })
  .map(({ low, width }): Schema => ({ type: "number", exclusiveMinimum: low, exclusiveMaximum: low + width }));
const constant = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const fixed = fc.oneof(
  constant.map((value): Schema => ({ const: value })),
  fc.uniqueArray(constant, { minLength: 1, maxLength: 4 }).map((members): Schema => ({ enum: members })),
);
const plain = fc.constantFrom<Schema>(
  { type: "boolean" },
  { type: "null" },
  { type: ["string", "null"] },
  { type: ["null", "integer"] },
  {},
);
const leaf: fc.Arbitrary<Schema> = fc.oneof(string, format, pattern, number, narrow, fixed, plain);

const propertyName = fc.oneof(
  fc.constantFrom("city", "name", "count", "email", "date", "text", "a/b"),
  fc.string({ minLength: 1, maxLength: 8 }),
);

const objectOf = (inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> =>
  fc
    .record({
      entries: fc.uniqueArray(fc.tuple(propertyName, inner, fc.boolean()), { maxLength: 4, selector: ([name]) => name }),
      additionalProperties: optional(fc.oneof(fc.boolean(), inner)),
    })
    .map(({ entries, additionalProperties }) =>
      withoutUndefined({
        type: "object",
        properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema])),
        required: entries.filter(([, , needed]) => needed).map(([name]) => name),
        additionalProperties,
      }),
    );
const arrayOf = (inner: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> =>
  fc.oneof(
    fc
      .record({ items: inner, minItems: fc.nat(3), more: optional(fc.nat(3)) })
      .map(({ items, minItems, more }) =>
        withoutUndefined({ type: "array", items, minItems, maxItems: more === undefined ? undefined : minItems + more }),
      ),
    fc
      .record({
        items: fc.oneof(format, fc.constantFrom<Schema>({ type: "string" }, { type: "integer" }, { enum: [1, 2, 3, 4, 5] })),
        minItems: fc.nat(4),
      })
      .map((schema): Schema => ({ type: "array", uniqueItems: true, ...schema })),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map((prefixItems): Schema => ({ type: "array", prefixItems, items: false })),
  );

const schemas = fc.letrec<{ any: Schema }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    objectOf(tie("any")),
    arrayOf(tie("any")),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((anyOf): Schema => ({ anyOf })),
    objectOf(tie("any")).map((object): Schema => ({ allOf: [object, { minProperties: 0 }] })),
    fc.tuple(string, number, objectOf(tie("any"))).map(([a, b, c]): Schema => ({ oneOf: [a, b, c, { type: "null" }] })),
  ),
}));

const prompts = fc.oneof(
  fc.constantFrom(
    "",
    "Weather in Oslo and Rome?",
    'My name is Ada, and I say "hello" 3 times',
    "add 2 and 40",
    "see https://example.com/x by 2026-04-24",
  ),
  fc.string(),
);

describe("what a strict form tells in descriptions", () => {
  it.each<[string, Schema]>([
    ["a format", { type: "string", format: "uri" }],
    ["a length", { type: "string", minLength: 40, maxLength: 50, description: "A name (note: in full)." }],
    ["one of several", { type: "string", default: "a, b: c", minLength: 3 }],
    ["a pattern that looks around", { type: "string", pattern: "^(?!x), y: [a-z]{3}$" }],
    ["difference", { type: "array", items: { type: "integer" }, minItems: 5, uniqueItems: true }],
  ])("is kept to: %s", (_, it) => {
    const schema = { type: "object", properties: { it }, required: ["it"], additionalProperties: false };
    const { schema: strict, plan, ...form } = toStrict(schema);
    expect(form.strict).toBe(true);
    expect(faults(schema, restoreArguments(fillSchema(strict, "Hello"), plan))).toEqual([]);
  });

  it("is told from words that only look like it", () => {
    const schema = { type: "string", description: "The text (minLength: many, and so on)" };
    expect(fillSchema(schema, "Hello")).toEqual(fillSchema({ type: "string" }, "Hello"));
  });
});

describe("fillSchema", () => {
  it("gives a value that is valid under any schema it knows", () => {
    fc.assert(
      fc.property(schemas.any, prompts, (schema, prompt) => {
        expect(faults(schema, fillSchema(schema, prompt))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("gives the same value for the same schema and text", () => {
    fc.assert(
      fc.property(schemas.any, prompts, (schema, prompt) => {
        expect(fillSchema(schema, prompt)).toEqual(fillSchema(schema, prompt));
      }),
      { numRuns: 200 },
    );
  });

  it("follows references, and ends where they go in circles", () => {
    const node = {
      type: "object",
      properties: {
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
        next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
      },
      required: ["value", "children", "next"],
      additionalProperties: false,
    };
    const schema = { $ref: "#/$defs/node", $defs: { node } };
    expect(faults(schema, fillSchema(schema, "a tree"))).toEqual([]);
    const self = { type: "object", properties: { parent: { $ref: "#" }, name: { type: "string" } }, required: ["name"] };
    expect(faults(self, fillSchema(self, "a tree"))).toEqual([]);
  });

  it("keeps to what allOf, a reference and its neighbours ask together", () => {
    const schema = {
      $defs: { base: { type: "object", properties: { id: { type: "integer", minimum: 3 } }, required: ["id"] } },
      allOf: [{ $ref: "#/$defs/base" }, { properties: { id: { maximum: 4 }, tag: { enum: ["x", "y"] } }, required: ["tag"] }],
      properties: { id: { multipleOf: 2 } },
    };
    const value = fillSchema(schema, "");
    expect(value).toEqual({ id: 4, tag: "x" });
  });

  it("leaves out what a closed neighbour in allOf forbids", () => {
    const closed = { properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
    const schema = { type: "object", allOf: [closed, { properties: { b: { type: "string" } } }] };
    expect(Object.keys(fillSchema(schema, "") as object)).toEqual(["a"]);
  });

  it("chooses a oneOf branch that no other branch accepts", () => {
    const schema = {
      oneOf: [
        { type: "integer", minimum: 0 },
        { type: "number", minimum: 5 },
      ],
    };
    expect(faults(schema, fillSchema(schema, "50"))).toEqual([]);
  });

  it("fills records, with names that propertyNames and patternProperties allow", () => {
    const record = {
      type: "object",
      propertyNames: { pattern: "^k_[a-z]+$" },
      additionalProperties: { type: "number" },
      minProperties: 3,
    };
    expect(faults(record, fillSchema(record, ""))).toEqual([]);
    const patterned = {
      type: "object",
      patternProperties: { "^x-": { type: "integer" } },
      additionalProperties: false,
      minProperties: 2,
    };
    expect(faults(patterned, fillSchema(patterned, ""))).toEqual([]);
  });

  it("takes places, numbers, quotations and enum members from the text", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["celsius", "fahrenheit"] },
        a: { type: "number" },
        b: { type: "number" },
        title: { type: "string" },
        website: { type: "string", format: "uri" },
        day: { type: "string", format: "date" },
      },
    };
    const text = 'Weather in San Francisco in fahrenheit from 2 to 3.5, called "Fog", see https://example.com/fog on 2026-04-24';
    expect(fillSchema(schema, text)).toEqual({
      city: "San Francisco",
      unit: "fahrenheit",
      a: 2,
      b: 3.5,
      title: "Fog",
      website: "https://example.com/fog",
      day: "2026-04-24",
    });
  });

  it("never lets the text break the schema", () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", maxLength: 2 }, count: { type: "integer", minimum: 10 } },
      required: ["city", "count"],
    };
    expect(faults(schema, fillSchema(schema, "3 days in Oslo"))).toEqual([]);
  });

  it("treats a property of the name __proto__ as any other", () => {
    const schema = JSON.parse('{ "type": "object", "properties": { "__proto__": { "const": 1 } }, "required": ["__proto__"] }');
    expect(Object.entries(fillSchema(schema, "") as object)).toEqual([["__proto__", 1]]);
  });

  it("uses a default or an example before it makes something up", () => {
    expect(fillSchema({ type: "string", default: "metric" }, "")).toBe("metric");
    expect(fillSchema({ type: "integer", examples: ["no", 7] }, "")).toBe(7);
  });

  it("gives null where nothing can be valid", () => {
    expect(fillSchema(false, "")).toBeNull();
    expect(fillSchema({ allOf: [{ type: "string" }, { type: "integer" }] }, "")).toBeNull();
  });
});

describe("fillPattern", () => {
  const cases = [
    "^[a-f0-9]{8}$",
    "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
    "^\\p{L}+$",
    "^[^aeiou]{2}$",
    "^a(?=b)b$",
    "^\\w+@\\w+\\.(com|org)$",
    "\\bword\\b",
    "^\\u0041\\x42$",
  ];
  it.each(cases)("matches %s", (source) => {
    expect(fillPattern(source)).toMatch(new RegExp(source, "u"));
  });

  it("keeps to a length", () => {
    const text = fillPattern("^[a-z]+$", 0, 12, 12);
    expect(text).toMatch(/^[a-z]{12}$/);
  });

  it("gives different texts for different variants", () => {
    const texts = new Set(Array.from({ length: 20 }, (_, variant) => fillPattern("^[a-z]{2}$", variant)));
    expect(texts.size).toBe(20);
  });

  it("gives nothing where a pattern is beyond it", () => {
    expect(fillPattern("^(a)\\1$")).toBeUndefined();
    expect(fillPattern("(")).toBeUndefined();
  });
});

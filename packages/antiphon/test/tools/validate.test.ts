import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { safePattern } from "../../src/tools/safe-pattern.ts";
import { toStrict } from "../../src/tools/strict.ts";
import { stringFormats } from "../../src/tools/string-formats.ts";
import { validate } from "../../src/tools/validate.ts";
import { runs } from "../support/runs.ts";
import { few, fitsByAjv } from "./ajv-oracle.ts";
import { strictableSchemas, strictValues, wildKeywords } from "./schema-arbitraries.ts";

const lines = (schema: JsonSchema, value: unknown): string[] =>
  validate(schema, value).map(({ path, message }) => `${path}: ${message}`);

const person: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    age: { type: "integer", minimum: 0 },
    unit: { enum: ["c", "f"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    "a/b": { type: "boolean" },
  },
  required: ["name"],
  additionalProperties: false,
};

describe("messages that a model can act on", () => {
  test.each<[string, JsonSchema, unknown, string[]]>([
    ["a wrong type", person, { name: 5 }, ["/name: must be a string, got 5"]],
    ["what is missing", person, {}, ["/name: is required"]],
    [
      "what is too much",
      person,
      { name: "Ann", nom: 1 },
      ["/nom: is not a property of this object; its properties are name, age, unit, tags, a/b"],
    ],
    ["a choice", person, { name: "Ann", unit: "k" }, ['/unit: must be one of "c", "f", got "k"']],
    ["a place in a list", person, { name: "Ann", tags: ["x", 5] }, ["/tags/1: must be a string, got 5"]],
    [
      "all at once",
      person,
      { name: "A", age: -1.5, tags: [1, 2, 3] },
      [
        '/name: must have at least 2 characters, got "A"',
        "/age: must be a whole number, got -1.5",
        "/tags: must have at most 2 entries, got [1,2,3]",
        "/tags/0: must be a string, got 1",
        "/tags/1: must be a string, got 2",
        "/tags/2: must be a string, got 3",
      ],
    ],
    ["a name with a slash", person, { name: "Ann", "a/b": 1 }, ["/a~1b: must be true or false, got 1"]],
    ["the root", person, [], [": must be an object, got []"]],
    ["types of a union", { anyOf: [{ type: "string" }, { type: "null" }] }, 5, [": must be a string or null, got 5"]],
    [
      "the branch that was meant",
      {
        anyOf: [
          { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
          { type: "object", properties: { kind: { const: "b" }, size: { type: "number" } }, required: ["kind", "size"] },
        ],
      },
      { kind: "b", size: "5" },
      ['/size: must be a number, got "5"'],
    ],
    [
      "too many branches",
      { oneOf: [{ type: "number" }, { type: "integer" }] },
      5,
      [": must match exactly one of the alternatives, but matches 2"],
    ],
    ["what is ruled out", { not: { type: "string" } }, "x", [": must not match the schema in `not`"]],
    ["a reference", { $ref: "#/$defs/city", $defs: { city: { type: "string" } } }, 1, [": must be a string, got 1"]],
    ["a format", { type: "string", format: "date" }, "2026-02-30", [': must be a valid date, got "2026-02-30"']],
    ["bounds of older drafts", { type: "number", minimum: 5, exclusiveMinimum: true }, 5, [": must be more than 5, got 5"]],
    [
      "lists of older drafts",
      { items: [{ type: "string" }], additionalItems: { type: "number" } },
      ["a", "b"],
      ['/1: must be a number, got "b"'],
    ],
    ["a pair of properties", { dependentRequired: { from: ["to"] } }, { from: 1 }, ["/to: is required"]],
    ["long values, cut", { type: "number" }, "x".repeat(500), [`: must be a number, got "${"x".repeat(59)}…`]],
  ])("tell %s", (_, schema, value, expected) => {
    expect(lines(schema, value)).toEqual(expected);
  });

  test("are none where all is well", () => {
    expect(validate(person, { name: "Ann", age: 3, unit: "c", tags: [], "a/b": true })).toEqual([]);
    expect(validate({ type: "string", nullable: true }, null)).toEqual([]);
    expect(validate({ const: { a: [1] } }, { a: [1] })).toEqual([]);
    expect(validate({ multipleOf: 0.1 }, 0.3)).toEqual([]);
    expect(validate({ maxLength: 1 }, "😀")).toEqual([]);
    expect(validate({ $ref: "https://elsewhere.example/schema" }, 5)).toEqual([]);
    expect(lines({ required: ["toString"] }, {})).toEqual(["/toString: is required"]);
  });
});

/** Anything, but no numbers so large or so small that Ajv misjudges what they are multiples of. */
const others = fc.oneof(
  fc.string(),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.5, true, null, [], {}, ["a"], { city: 1 }),
);

/** A value with one thing changed: mostly wrong, sometimes still right. */
const spoilt = (values: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), others).map(([value, at, other]) => {
    const text = JSON.stringify(value);
    const places = [...text.matchAll(/"(?:[^"\\]|\\.)*":?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/g)].filter(
      ([found]) => !found.endsWith(":"),
    );
    const place = places[at % Math.max(places.length, 1)];
    if (!place) return other;
    return JSON.parse(text.slice(0, place.index) + JSON.stringify(other) + text.slice(place.index + place[0].length)) as unknown;
  });

test("finds the same values right and wrong as Ajv does", () => {
  const seen = { right: 0, wrong: 0 };
  const law = fc.property(strictableSchemas, fc.oneof(fc.constant({}), wildKeywords), fc.gen(), (base, extra, gen) => {
    const schema = { ...base, ...extra };
    const { schema: strict, strict: isStrict, plan } = toStrict(base);
    const own = isStrict ? strictValues(strict) : others;
    const candidates = [gen(() => own.map(plan.restore)), gen(() => spoilt(own)), gen(() => spoilt(own.map(plan.restore)))];
    for (const value of candidates) {
      const expected = fitsByAjv(schema, value);
      expect({ value, fits: validate(schema, value).length === 0 }).toEqual({ value, fits: expected });
      seen[expected ? "right" : "wrong"] += 1;
    }
  });
  fc.assert(law, few(runs(60, 5_000)));
  expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(20);
});

describe("what could take for ever", () => {
  test("a schema that only leads to itself is given up", () => {
    const schema: JsonSchema = { allOf: [{ $ref: "#" }] };
    expect(validate(schema, 1).map(({ message }) => message)).toEqual(["is too deep or too complex to be validated"]);
  });

  test("a tangle of alternatives is given up", () => {
    const branch = (name: string): JsonSchema => ({
      type: "object",
      properties: { next: { $ref: "#" }, [name]: { type: "string" } },
    });
    const schema: JsonSchema = { anyOf: [branch("a"), branch("b"), { type: "null" }] };
    let value: unknown = 5;
    for (let depth = 0; depth < 40; depth += 1) value = { next: value };
    expect(validate(schema, value).length).toBeGreaterThan(0);
  });

  test.each([
    ["(a+)+$", 30],
    ["(a|aa)+$", 50],
    ["^(a?){40}a{40}$", 30],
    ["(.*)(.*)(.*)(.*)(.*)x", 2_000],
    [`${"a?".repeat(30)}${"a".repeat(30)}`, 25],
  ])("the pattern %s does not hang", (pattern, length) => {
    // A longer text passes untested; on a shorter one, the test itself is short.
    expect(safePattern(pattern)?.(`${"a".repeat(length)}!`)).toBe(true);
  });

  test("plain patterns are tested on long texts too", () => {
    expect(safePattern("^[a-z]+$")?.(`${"a".repeat(50_000)}!`)).toBe(false);
    expect(safePattern("^\\d{4}-\\d{2}$")?.("2026-1")).toBe(false);
    expect(safePattern("^(?:[a-z]{2}-)?[A-Z]+$")?.("en-us")).toBe(false);
    expect(safePattern("(")).toBeUndefined();
    expect(safePattern("^\\-$")?.("-")).toBe(true);
  });
});

const formatCases: Record<keyof typeof stringFormats, [right: string[], wrong: string[]]> = {
  date: [
    ["2026-02-28", "2024-02-29"],
    ["2026-02-29", "2026-13-01", "26-01-01"],
  ],
  "date-time": [
    ["2026-02-28T10:00:00Z", "2026-02-28T10:00:00.123+02:00"],
    ["2026-02-28", "2026-02-30T10:00:00Z", "2026-02-28T25:00:00Z"],
  ],
  time: [
    ["10:00:00", "23:59:60Z"],
    ["10:00", "24:00:00"],
  ],
  duration: [
    ["P1D", "PT1H30M", "P1Y2M3DT4H5M6S", "P2W"],
    ["P", "PT", "1D", "P1H"],
  ],
  email: [["ann@example.org"], ["ann", "ann@", "a b@example.org"]],
  hostname: [
    ["example.org", "localhost"],
    ["-a.org", "a..b", "a_b.org"],
  ],
  ipv4: [
    ["127.0.0.1", "255.255.255.255"],
    ["256.0.0.1", "1.2.3"],
  ],
  ipv6: [
    ["::1", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "::"],
    ["1:2:3", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9"],
  ],
  uuid: [["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000"]],
  uri: [
    ["https://example.org/a?b#c", "urn:isbn:1"],
    ["example.org", "http://a b"],
  ],
};

test.each(Object.entries(formatCases))("the format %s", (format, [right, wrong]) => {
  expect(right.filter((text) => !stringFormats[format]!(text))).toEqual([]);
  expect(wrong.filter((text) => stringFormats[format]!(text))).toEqual([]);
});

test("every format that is checked has cases", () => {
  expect(Object.keys(formatCases)).toEqual(Object.keys(stringFormats));
});

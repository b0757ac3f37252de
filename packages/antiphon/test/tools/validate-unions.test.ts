import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { compileSchema, validate } from "../../src/tools/validate.ts";
import { runs } from "../support/runs.ts";
import { few, fitsByAjv } from "./ajv-oracle.ts";

const lines = (schema: JsonSchema, value: unknown): string[] =>
  validate(schema, value).map(({ path, message }) => `${path}: ${message}`);

const circle: JsonSchema = {
  type: "object",
  properties: { kind: { const: "circle" }, radius: { type: "number", minimum: 0 } },
  required: ["kind", "radius"],
};
const note: JsonSchema = {
  type: "object",
  properties: { kind: { enum: ["note", null] }, text: { type: "string" }, tone: { enum: ["calm", "loud"] } },
  required: ["text", "tone"],
};
const link: JsonSchema = { type: "object", properties: { kind: { const: "link" }, id: { type: "string" } }, required: ["id"] };
const custom: JsonSchema = { type: "object", properties: { kind: { type: "string", pattern: "^x-" } }, required: ["kind"] };
const shapes: JsonSchema = { anyOf: [circle, { $ref: "#/$defs/note" }, link, custom], $defs: { note } };

describe("a union whose branches have different constants in one property", () => {
  test.each<[string, unknown, string[]]>([
    ["the branch that the value names", { kind: "circle", radius: "5" }, ['/radius: must be a number, got "5"']],
    ["the branch that a reference leads to", { kind: "note", text: 5, tone: "calm" }, ["/text: must be a string, got 5"]],
    ["an unknown name", { kind: "cirle" }, ['/kind: must be one of "circle", "note", "link", got "cirle"']],
    ["a name of another type", { kind: 5 }, ['/kind: must be one of "circle", "note", "link", got 5']],
    [
      "the branch whose required properties are present, without a name",
      { text: "x", tone: "odd" },
      ['/tone: must be one of "calm", "loud", got "odd"'],
    ],
    ["the same for null", { kind: null, text: "x", tone: "odd" }, ['/tone: must be one of "calm", "loud", got "odd"']],
    ["the branch that misses the fewest properties, without a name", { size: 1 }, ["/id: is required"]],
    ["no object", 5, [": must be an object, got 5"]],
  ])("explains %s", (_, value, expected) => {
    expect(lines(shapes, value)).toEqual(expected);
  });

  test("accepts a value that fits a branch without constants", () => {
    expect(lines(shapes, { kind: "x-anything" })).toEqual([]);
    expect(lines({ oneOf: [circle, link] }, { kind: "link", id: "a" })).toEqual([]);
  });

  test("requires the property if every branch does", () => {
    expect(lines({ oneOf: [circle, { ...link, required: ["kind"] }] }, { id: "a" })).toEqual(["/kind: is required"]);
  });

  test("lists the accepted values of a problem as data", () => {
    expect(validate(shapes, { kind: "cirle" })).toMatchObject([{ path: "/kind", allowed: ["circle", "note", "link"] }]);
  });

  test("accepts the same values as Ajv", () => {
    const seen = { accepted: 0, rejected: 0 };
    const kinds = fc.constantFrom("circle", "note", "link", "x-y", "other", "", null, 5);
    const values = fc.record(
      {
        kind: kinds,
        radius: fc.constantFrom(1, -1, "1"),
        text: fc.constantFrom("a", 5),
        tone: fc.constantFrom("calm", "odd"),
        id: fc.string(),
      },
      { requiredKeys: [] },
    );
    const unions = [
      shapes,
      { oneOf: [circle, note, link] },
      { oneOf: [circle, custom, { required: ["id"] }] },
      { anyOf: [circle, { ...circle, properties: { kind: { const: "circle" } }, required: ["id"] }, link] },
    ];
    const law = fc.property(fc.constantFrom(...unions), values, (union, value) => {
      const expected = fitsByAjv(union, value);
      expect({ value, fits: validate(union, value).length === 0 }).toEqual({ value, fits: expected });
      seen[expected ? "accepted" : "rejected"] += 1;
    });
    fc.assert(law, few(runs(300, 5_000)));
    expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(20);
  });
});

describe("compileSchema", () => {
  test("resolves references in another document", () => {
    const problemsOf = compileSchema({ $ref: "#/shapes/note" }, { root: { shapes: { note } } });
    expect(problemsOf({ text: "x", tone: "calm" })).toEqual([]);
    expect(problemsOf({ text: "x" })).toMatchObject([
      { path: "/tone", message: "is required", described: ["kind", "text", "tone"] },
    ]);
  });

  test("finds a problem behind as many values as `maxChecks` allows", () => {
    const list = [...Array.from({ length: 150_000 }, () => 1), "x"];
    const schema: JsonSchema = { type: "array", items: { type: "number" } };
    expect(compileSchema(schema, { maxChecks: 200_000 })(list)).toMatchObject([{ path: "/150000" }]);
    expect(compileSchema(schema, { maxChecks: 1_000 })(list)).toMatchObject([
      { message: "is too deep or too complex to be validated" },
    ]);
  });
});

describe("a message about a large value", () => {
  test("shows its start", () => {
    const letters = { a: "x".repeat(1_000_000), b: 1 };
    expect(lines({ type: "string" }, letters)).toEqual([`: must be a string, got {"a":"${"x".repeat(54)}…`]);
    expect(
      lines(
        { type: "string" },
        Array.from({ length: 100_000 }, () => [[1]]),
      ),
    ).toEqual([`: must be a string, got ${"[[[1]],".slice(0, 1)}${"[[1]],".repeat(10).slice(0, 59)}…`]);
  });

  test("reads no more of it than the message shows", () => {
    let reads = 0;
    const watched = new Proxy([] as unknown[], {
      get: (target, name, receiver) => {
        reads += 1;
        return name === "length" ? 1_000_000 : Reflect.get(target, name, receiver);
      },
    });
    validate({ type: "string" }, watched);
    expect(reads).toBeLessThan(1_000);
  });
});

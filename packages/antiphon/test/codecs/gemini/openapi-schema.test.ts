import { describe, expect, test } from "vitest";
import { geminiCodec } from "../../../src/codecs/gemini/index.ts";
import { fromOpenApi, toOpenApi } from "../../../src/codecs/gemini/openapi-schema.ts";
import type { JsonSchema } from "../../../src/model/index.ts";
import { ctxFor } from "./support.ts";

describe("T13 a JSON Schema in the wire's older words", () => {
  test.each<[string, JsonSchema, JsonSchema, string[]]>([
    [
      "puts references in place",
      { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" } } },
      { type: "object", properties: { a: { type: "string" } } },
      [],
    ],
    [
      "keeps what stands beside a reference",
      {
        properties: { a: { $ref: "#/definitions/A", description: "Mine." } },
        definitions: { A: { type: "string", description: "Its." } },
      },
      { properties: { a: { type: "string", description: "Mine." } } },
      [],
    ],
    [
      "resolves escaped references",
      { properties: { a: { $ref: "#/$defs/a~1b" } }, $defs: { "a/b": { type: "integer" } } },
      { properties: { a: { type: "integer" } } },
      [],
    ],
    [
      "gives up on references to elsewhere",
      { properties: { a: { $ref: "https://x.example" } } },
      { properties: { a: { type: "object" } } },
      ["$ref"],
    ],
    [
      "drops what says nothing to a model",
      { $schema: "x", $id: "y", type: "object", additionalProperties: false, properties: { a: { type: "string" } } },
      { type: "object", properties: { a: { type: "string" } } },
      [],
    ],
    ["makes a constant an enum of one", { const: "x" }, { type: "string", enum: ["x"] }, []],
    [
      "says constants and enums that are no strings in words",
      { type: "integer", enum: [1, 2] },
      { type: "integer", description: "enum: [1,2]" },
      ["enum"],
    ],
    ["makes a type that may be null nullable", { type: ["string", "null"] }, { type: "string", nullable: true }, []],
    [
      "spreads several types",
      { type: ["string", "integer", "null"] },
      { anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
      [],
    ],
    [
      "makes a union with null nullable",
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { type: "string", nullable: true },
      [],
    ],
    [
      "keeps anyOf and renames oneOf",
      { oneOf: [{ type: "string" }, { type: "object", properties: { a: { const: "b" } } }] },
      { anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "string", enum: ["b"] } } }] },
      [],
    ],
    [
      "merges allOf",
      {
        allOf: [{ $ref: "#/$defs/A" }, { properties: { b: { type: "string" } }, required: ["b"] }],
        description: "Both.",
        $defs: { A: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
      },
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        required: ["a", "b"],
        description: "Both.",
      },
      [],
    ],
    ["drops null from an enum", { enum: ["a", null] }, { type: "string", enum: ["a"], nullable: true }, []],
    ["keeps the formats that it knows", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }, []],
    [
      "says other formats and keywords in words",
      { type: "string", description: "An address.", format: "email", not: {} },
      { type: "string", description: 'An address.\nformat: "email"\nnot: {}' },
      ["format", "not"],
    ],
    [
      "keeps bounds and numbers as numbers",
      { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
      { type: "integer", minimum: 1, maximum: 9, description: "multipleOf: 2" },
      ["multipleOf"],
    ],
    [
      "converts lists and tuples",
      { type: "array", items: { type: ["number", "null"] }, minItems: 1 },
      { type: "array", items: { type: "number", nullable: true }, minItems: 1 },
      [],
    ],
    [
      "makes a tuple a list of any of its kinds",
      { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      ["prefixItems"],
    ],
    ["takes true for anything", { properties: { a: true } }, { properties: { a: {} } }, []],
  ])("%s", (_, schema, expected, reworded) => {
    expect(toOpenApi(schema)).toEqual({ schema: expected, reworded });
  });

  test("cuts a schema that holds itself, and says so", () => {
    const tree = {
      $ref: "#/$defs/Node",
      $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" }, name: { type: "string" } } } },
    };
    expect(toOpenApi(tree)).toEqual({
      schema: { type: "object", properties: { next: { type: "object" }, name: { type: "string" } } },
      reworded: ["$ref"],
    });
  });

  test("does not grow beyond bounds where schemas refer to each other", () => {
    const names = Array.from({ length: 12 }, (_, index) => `T${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const { schema, reworded } = toOpenApi({ type: "object", properties, $defs });
    expect(JSON.stringify(schema).length).toBeLessThan(300_000);
    expect(reworded).toEqual(["$ref"]);
  });

  test("takes a reference that is not escaped properly for a name", () => {
    expect(toOpenApi({ properties: { a: { $ref: "#/$defs/100%" } }, $defs: { "100%": { type: "string" } } }).schema).toEqual({
      properties: { a: { type: "string" } },
    });
  });

  test("does not change the schema that it was given", () => {
    const schema = { allOf: [{ properties: { a: { type: ["string", "null"] } } }], properties: { b: { const: 1 } } };
    const before = structuredClone(schema);
    toOpenApi(schema);
    expect(schema).toEqual(before);
  });
});

describe("in a dialect without JSON Schema", () => {
  const codec = geminiCodec({ schemas: "openapi" });

  test("functions and typed output are declared in the older words, with losses where words were missing", () => {
    const { body, losses } = codec.encodeRequest(
      ctxFor({
        tools: [
          { type: "web_search" },
          { type: "function", name: "f", parameters: { type: "object", properties: { a: { type: "string", format: "uuid" } } } },
          { type: "function", name: "g" },
        ],
        text: { format: { type: "json_schema", name: "n", schema: { type: "object", properties: { a: { const: 1 } } } } },
      }),
    );
    expect(body).toMatchObject({
      tools: [
        {},
        {
          functionDeclarations: [
            { name: "f", parameters: { type: "object", properties: { a: { type: "string", description: 'format: "uuid"' } } } },
            { name: "g" },
          ],
        },
      ],
      generationConfig: { responseSchema: { title: "n", type: "object" } },
    });
    expect(JSON.stringify(body)).not.toContain("JsonSchema");
    expect(losses.map(({ path }) => path)).toEqual(["tools[1].parameters", "text.format.schema"]);
  });
});

describe("the older words as JSON Schema", () => {
  test("types are lower case, also as numbers, and nullable is a type", () => {
    expect(
      fromOpenApi({
        type: "OBJECT",
        properties: { a: { type: "STRING", nullable: true }, b: { type: 5, items: { type: 3 } } },
        propertyOrdering: ["a", "b"],
      }),
    ).toEqual({
      type: "object",
      properties: { a: { type: ["string", "null"] }, b: { type: "array", items: { type: "integer" } } },
      propertyOrdering: ["a", "b"],
    });
    expect(fromOpenApi({ type: ["string", "null"], enum: ["on", "off"] })).toEqual({
      type: ["string", "null"],
      enum: ["on", "off"],
    });
    expect(fromOpenApi({ type: ["STRING", "NUMBER"], nullable: true })).toEqual({ type: ["string", "number", "null"] });
    expect(fromOpenApi({ anyOf: [{ type: "STRING" }, { type: "NUMBER" }], nullable: true })).toEqual({
      anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }],
    });
  });
});

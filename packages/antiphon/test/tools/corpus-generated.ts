import type { JsonSchema } from "../../src/model/index.ts";

/** Values of every kind that a property may have. */
const kinds: Readonly<Record<string, JsonSchema>> = {
  text: { type: "string" },
  "short text": { type: "string", minLength: 1, maxLength: 80 },
  code: { type: "string", pattern: "^[A-Z]{2}-\\d+$" },
  "guarded code": { type: "string", pattern: "^(?!XX)[A-Z]{2}" },
  day: { type: "string", format: "date" },
  link: { type: "string", format: "uri", description: "A link." },
  number: { type: "number" },
  "bounded number": { type: "number", minimum: 0, exclusiveMaximum: 1, multipleOf: 0.01 },
  count: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
  "large integer": { type: "integer", format: "int64", default: 10 },
  flag: { type: "boolean", default: false },
  nothing: { type: "null" },
  choice: { type: "string", enum: ["a", "b"], default: "a" },
  "bare choice": { enum: ["a", 1, true, null] },
  constant: { const: "fixed" },
  "text or null": { type: ["string", "null"] },
  "several types": { type: ["string", "number", "boolean"], description: "An id." },
  "OpenAPI null": { type: "integer", nullable: true },
  texts: { type: "array", items: { type: "string" } },
  "some numbers": { type: "array", items: { type: "number" }, minItems: 1, maxItems: 3, uniqueItems: true },
  matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
  pair: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2, maxItems: 2 },
  "mixed pair": { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
  "old pair": { type: "array", items: [{ type: "string" }, { type: "string" }], additionalItems: false },
  object: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] },
  "closed object": { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
  "untyped object": { properties: { a: { type: "string" } } },
  union: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  "exclusive union": {
    oneOf: [
      { type: "number", description: "Seconds." },
      { type: "string", enum: ["soon"] },
    ],
  },
  marked: {
    oneOf: [
      { type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
      { type: "object", properties: { kind: { const: "b" }, size: { type: "number" } }, required: ["kind"] },
    ],
    discriminator: { propertyName: "kind" },
  },
  merged: {
    allOf: [
      { type: "object", properties: { a: { type: "string" } } },
      { properties: { b: { type: "number" } }, required: ["b"] },
    ],
  },
  reference: { $ref: "#/$defs/City" },
  "noted reference": { $ref: "#/$defs/City", description: "Where to." },
  "wrapped reference": { allOf: [{ $ref: "#/$defs/City" }], description: "Where to." },
  recursion: { $ref: "#/$defs/Tree" },
  "open map": { type: "object", additionalProperties: { type: "string" } },
  anything: {},
};

/** Places where a value may stand. */
const places: Readonly<Record<string, (kind: JsonSchema) => JsonSchema>> = {
  required: (kind) => ({ type: "object", properties: { it: kind }, required: ["it"] }),
  optional: (kind) => ({ type: "object", properties: { it: kind } }),
  "in a list": (kind) => ({ type: "object", properties: { them: { type: "array", items: kind } }, required: ["them"] }),
  "in an optional list": (kind) => ({
    type: "object",
    properties: { them: { type: "array", items: kind, description: "All." } },
  }),
  "in an object": (kind) => ({
    type: "object",
    properties: { one: { type: "object", properties: { it: kind }, additionalProperties: false } },
  }),
  "in a union": (kind) => ({ type: "object", properties: { it: { anyOf: [kind, { type: "null" }] } }, required: ["it"] }),
  "in a definition": (kind) => ({ type: "object", properties: { it: { $ref: "#/$defs/It" } }, $defs: { It: kind } }),
  "in a merge": (kind) => ({
    allOf: [{ type: "object", properties: { it: kind }, required: ["it"] }, { properties: { more: { type: "string" } } }],
  }),
};

const definitions = {
  City: {
    type: "object",
    properties: { name: { type: "string" }, zip: { type: "string", default: "" } },
    required: ["name"],
    description: "A city.",
  },
  Tree: {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
    required: ["name"],
  },
};

/** Every kind in every place. */
export const generated: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(kinds).flatMap(([kind, schema]) =>
    Object.entries(places).map(([place, put]) => {
      const whole = put(schema);
      return [
        `${kind}, ${place}`,
        { ...whole, $defs: { ...definitions, ...(whole["$defs"] as JsonSchema | undefined) } },
      ] as const;
    }),
  ),
);

/** The kinds that no strict schema can hold. */
export const looseKinds = ["open map", "anything"];

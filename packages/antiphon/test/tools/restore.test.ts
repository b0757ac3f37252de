import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/model/index.ts";
import { restoreArguments } from "../../src/tools/restore.ts";
import { toStrict } from "../../src/tools/strict.ts";

describe("what comes back", () => {
  const restored = (schema: JsonSchema, value: unknown): unknown => restoreArguments(value, toStrict(schema).plan);
  const optional = (it: JsonSchema): JsonSchema => ({ type: "object", properties: { it } });

  const filled = { type: "object", properties: { one: { enum: ["red", 1], default: 1 } }, required: ["one"] };
  const filledOrEmpty = { anyOf: [filled, { type: "object", properties: { one: { type: "boolean" } } }] };

  test.each<[string, JsonSchema, unknown, unknown]>([
    ["loses the null that stands for nothing", optional({ type: "string" }), { it: null }, {}],
    ["keeps the null that the schema allows", optional({ type: ["string", "null"] }), { it: null }, { it: null }],
    ["keeps a null that is required", { ...optional({ type: "null" }), required: ["it"] }, { it: null }, { it: null }],
    ["gets defaults for null", optional({ type: "integer", default: 3 }), { it: null }, { it: 3 }],
    ["gets defaults for what is missing", optional({ type: "integer", default: 3 }), {}, { it: 3 }],
    ["keeps a null before a default", optional({ type: ["integer", "null"], default: 3 }), { it: null }, { it: null }],
    [
      "is restored in lists",
      { type: "object", properties: { list: { type: "array", items: optional({ type: "string" }) } } },
      { list: [{ it: null }, { it: "a" }] },
      { list: [{}, { it: "a" }] },
    ],
    [
      "is restored by place",
      { type: "object", properties: { list: { type: "array", prefixItems: [optional({ type: "string" }), { type: "null" }] } } },
      { list: [{ it: null }, null] },
      { list: [{}, null] },
    ],
    [
      "is restored in the branch that it was written for",
      {
        type: "object",
        properties: {
          it: {
            anyOf: [
              { type: "object", properties: { kind: { const: "a" }, x: { type: ["string", "null"] } }, required: ["kind"] },
              { type: "object", properties: { kind: { const: "b" }, x: { type: "string" } }, required: ["kind"] },
            ],
          },
        },
      },
      { it: { kind: "b", x: null } },
      { it: { kind: "b" } },
    ],
    [
      "goes to the branch that takes it as it is, not to one that would fill it up",
      { type: "object", properties: { it: filledOrEmpty }, required: ["it"] },
      { it: { one: null } },
      { it: {} },
    ],
    [
      "is filled up where no branch takes it as it is",
      { type: "object", properties: { it: { anyOf: [filled, { type: "object", required: ["two"] }] } }, required: ["it"] },
      { it: {} },
      { it: { one: 1 } },
    ],
    [
      "loses a null that another branch would let pass",
      { type: "object", properties: { it: { anyOf: [optional({ type: "string" }), { type: "object" }] } }, required: ["it"] },
      { it: { it: null } },
      { it: {} },
    ],
    [
      "is restored in open maps",
      { type: "object", additionalProperties: optional({ type: "string" }) },
      { a: { it: null } },
      { a: {} },
    ],
    ["may be wrong, and stays so", optional({ type: "string" }), ["no", "object"], ["no", "object"]],
    ["keeps what nobody knows", optional({ type: "string" }), { other: null }, { other: null }],
  ])("%s", (_, schema, value, expected) => {
    expect(restored(schema, value)).toEqual(expected);
    expect(restored(schema, expected), "restored twice").toEqual(expected);
  });

  test("is the same object where nothing is to do, and never one that was given", () => {
    const schema = {
      type: "object",
      properties: { it: { type: "string" }, list: { type: "array", items: optional({ type: "string" }) } },
    };
    const plain = { it: "a", list: [{ it: "b" }] };
    expect(restored(schema, plain)).toBe(plain);
    const written = { it: null };
    expect(restored(schema, written)).toEqual({});
    expect(written).toEqual({ it: null });
  });

  test("is read afresh when an object comes again with something else in it", () => {
    const { plan } = toStrict({
      type: "object",
      properties: { it: { anyOf: [optional({ type: "string" }), { type: "number" }] } },
    });
    const written: { it: { it: string | null } } = { it: { it: "a" } };
    expect(restoreArguments(written, plan)).toEqual({ it: { it: "a" } });
    written.it.it = null;
    expect(restoreArguments(written, plan)).toEqual({ it: {} });
  });

  test("has defaults of its own each time", () => {
    const { plan } = toStrict(optional({ type: "array", items: { type: "string" }, default: [] }));
    const [one, other] = [restoreArguments({}, plan), restoreArguments({}, plan)] as { it: string[] }[];
    expect(one!.it).not.toBe(other!.it);
  });

  test("does not touch prototypes", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"evil":true}}}}',
    ) as JsonSchema;
    const value = restored(schema, {});
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });

  test("comes to an end in deep unions of unions", () => {
    const branch = (name: string): JsonSchema => ({
      type: "object",
      properties: { [name]: { type: "string" }, next: { $ref: "#/$defs/any" } },
    });
    const { plan } = toStrict({
      type: "object",
      properties: { it: { $ref: "#/$defs/any" } },
      $defs: { any: { anyOf: [branch("a"), branch("b")] } },
    });
    let value: unknown = { a: null, next: null };
    for (let depth = 0; depth < 60; depth += 1) value = { b: null, next: value };
    expect(JSON.stringify(restoreArguments({ it: value }, plan))).not.toContain('"a":null');
  });
});

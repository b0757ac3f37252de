import { isObject, type JsonObject } from "../model/guards.ts";
import { canonical, jsonType, schemaList, type JsonType } from "./json-schema.ts";

const scalars: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);
const isNullSchema = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null";

/** A strict schema that also takes null. Scalars get it as a type, everything else as a branch of its own. */
export function addNull(schema: JsonObject): JsonObject {
  const { type, enum: choices, const: constant, anyOf } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return schema;
  if (Array.isArray(anyOf))
    return anyOf.some(isNullSchema) ? schema : { ...schema, anyOf: [...schemaList(anyOf), { type: "null" }] };
  if (!scalars.has(type)) return nullBranch(schema);
  const { const: _, ...rest } = schema;
  if (constant !== undefined) return { ...rest, type: [type, "null"], enum: [constant, null] };
  return { ...schema, type: [type, "null"], ...(Array.isArray(choices) && { enum: [...schemaList(choices), null] }) };
}

/** What is said of the schema is said of the whole, so that it is read whichever branch is taken. */
function nullBranch({ description, ...schema }: JsonObject): JsonObject {
  return { ...(description !== undefined && { description }), anyOf: [schema, { type: "null" }] };
}

/** A choice among scalars, null among them or not. One type holds all values; of several, each is a branch. */
export function choiceSchema(choices: readonly unknown[], isConstant: boolean, types: readonly JsonType[] = []): JsonObject {
  const typeOf = (value: unknown): JsonType => {
    const type = jsonType(value) ?? "null";
    return type === "integer" && !types.includes("integer") ? "number" : type;
  };
  const distinct = [...new Map(choices.map((choice) => [canonical(choice), choice])).values()];
  const found = [...new Set(distinct.map(typeOf))];
  const branches = found
    .filter((type) => type !== "null")
    .map((type): JsonObject => {
      const values = distinct.filter((value) => typeOf(value) === type);
      return isConstant ? { type, const: values[0] } : { type, enum: values };
    });
  const [only] = branches;
  if (!only) return { type: "null" };
  const choice = branches.length > 1 ? { anyOf: branches } : only;
  return found.includes("null") ? addNull(choice) : choice;
}

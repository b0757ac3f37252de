import { isObject, type JsonObject } from "../model/guards.ts";
import type { JsonSchema } from "../model/index.ts";

const key = "value";

/** References move with the schema, but for those to definitions, which stay at the root. */
function moved(reference: string): string {
  if (!/^#(\/|$)/.test(reference) || /^#\/(\$defs|definitions)\//.test(reference)) return reference;
  return `#/properties/${key}${reference.slice(1)}`;
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const isReference = name === "$ref" && typeof inner === "string";
    return [name, isReference ? moved(inner) : moveReferences(inner)] as const;
  });
  return Object.fromEntries(entries);
}

/** Any schema as the one property, `value`, of an object: what wires want at the root where a union, a list or a choice is meant. */
export function wrapRoot(schema: JsonSchema): JsonSchema {
  const { $schema: _, $defs, definitions, ...inner } = moveReferences(schema) as JsonObject;
  return {
    type: "object",
    properties: { [key]: inner },
    required: [key],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}

/** The value that was written under a wrapped schema; one that was written without the wrapper passes as it is. */
export const unwrapRoot = (value: unknown): unknown =>
  isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, key) ? value[key] : value;

/** A place in a wrapped schema as the place in the schema itself. */
export const unwrapPath = (path: string): string =>
  path.startsWith(`/properties/${key}`) ? path.slice(`/properties/${key}`.length) : path;

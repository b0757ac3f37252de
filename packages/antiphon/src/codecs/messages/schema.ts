import type { Loss } from "../../core/loss.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { JsonSchema } from "../../model/index.ts";

// Bounds that the wire's grammars cannot keep; the model reads them in the description instead.
const unbindable: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
]);

// An array may be said to have something in it, which is all of its bounds.
const isBindable = (keyword: string, value: unknown): boolean =>
  !unbindable.has(keyword) || (keyword === "minItems" && (value === 0 || value === 1));

/** Keywords whose value holds schemas by name, and those whose value is a list of schemas. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const lists: ReadonlySet<string> = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);

/**
 * A schema as the wire's grammars take it: objects are closed, one-of is any-of, and bounds that a grammar cannot keep are put
 * into words. What that changes is declared under the path of the schema.
 */
export function toBindable(schema: JsonSchema, path: string, losses: Loss[]): JsonSchema {
  const moved = new Set<string>();
  const bound = bind(schema, moved);
  if (moved.size > 0)
    losses.push({ path, reason: `The wire's schemas cannot say ${[...moved].sort().join(", ")}; the description does.` });
  return bound;
}

function bind(schema: JsonObject, moved: Set<string>): JsonObject {
  const bound: JsonObject = {};
  const words: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isBindable(keyword, value)) bound[keyword === "oneOf" ? "anyOf" : keyword] = bindValue(keyword, value, moved);
    else {
      moved.add(keyword);
      words.push(`${keyword}: ${JSON.stringify(value)}`);
    }
  }
  if (words.length > 0) bound["description"] = [schema["description"], `(${words.join(", ")})`].filter(Boolean).join(" ");
  if (isObject(bound["properties"]) && bound["additionalProperties"] !== false) {
    if (bound["additionalProperties"] !== undefined) moved.add("additionalProperties");
    bound["additionalProperties"] = false;
  }
  return bound;
}

function bindValue(keyword: string, value: unknown, moved: Set<string>): unknown {
  if (lists.has(keyword) && Array.isArray(value)) return value.map((inner) => (isObject(inner) ? bind(inner, moved) : inner));
  if (!isObject(value)) return value;
  if (keyword === "items") return bind(value, moved);
  if (!maps.has(keyword)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? bind(inner, moved) : inner]));
}

const unions = ["anyOf", "oneOf", "allOf"] as const;

/** A tool's schema with the root that the wire wants: an object, and no union. The branches of one are laid over each other. */
export function toObjectRoot(schema: JsonSchema, path: string, losses: Loss[]): JsonSchema {
  const branches = unions.flatMap((union) => (Array.isArray(schema[union]) ? schema[union].filter(isObject) : []));
  if (branches.length === 0) return schema["type"] === undefined ? { ...schema, type: "object" } : schema;
  losses.push({ path, reason: "The wire takes no union at the root of a schema; its branches were laid over each other." });
  const { anyOf: _, oneOf: __, allOf, ...rest } = schema;
  const all = [rest, ...branches];
  const properties = Object.assign({}, ...all.map((branch) => branch["properties"])) as JsonObject;
  const required = all.map((branch) => (Array.isArray(branch["required"]) ? (branch["required"] as string[]) : []));
  const always = allOf
    ? required.flat()
    : [...required[0]!, ...required[1]!.filter((name) => required.slice(2).every((names) => names.includes(name)))];
  return { ...rest, type: "object", properties, ...(always.length > 0 && { required: [...new Set(always)] }) };
}

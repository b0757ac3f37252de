import type { Loss } from "../../core/loss.ts";
import { inBackticks } from "../../core/options.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { JsonSchema } from "../../model/index.ts";

/** What the wire's grammars can keep. Everything else the model reads in the description. */
const bindable: ReadonlySet<string> = new Set([
  "$ref",
  "$defs",
  "definitions",
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "allOf",
  "title",
  "description",
]);

/** Keywords that bind nothing: told to the model in words, or to nobody. */
const told: ReadonlySet<string> = new Set(["default", "examples", "deprecated", "readOnly", "writeOnly"]);
const untold: ReadonlySet<string> = new Set(["$schema", "$id", "$comment"]);

const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

function isBindable(keyword: string, value: unknown): boolean {
  if (keyword === "minItems") return value === 0 || value === 1;
  return keyword === "format" ? formats.has(value) : bindable.has(keyword);
}

/** Keywords whose value holds schemas by name, and those whose value is a list of schemas. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const lists: ReadonlySet<string> = new Set(["anyOf", "allOf"]);

/**
 * A schema as the wire's grammars take it: objects are closed, one-of is any-of, and bounds that a grammar cannot keep are put
 * into words. What that changes is declared under the path of the schema.
 */
export function toBindable(schema: JsonSchema, path: string, losses: Loss[]): JsonSchema {
  const moved = new Set<string>();
  const bound = bind(schema, moved);
  if (moved.size > 0) {
    const reason = `The Messages API does not support ${inBackticks([...moved].sort())} in schemas; looser rules or descriptions replace them.`;
    losses.push({ path, reason });
  }
  return bound;
}

function bind(schema: JsonObject, moved: Set<string>): JsonObject {
  const bound: JsonObject = {};
  const words: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    const keyword = name === "oneOf" && schema["anyOf"] === undefined ? "anyOf" : name;
    if (keyword !== name) moved.add(name);
    if (isBindable(keyword, value)) bound[keyword] = bindValue(keyword, value, moved);
    else if (!untold.has(name)) {
      if (!told.has(name)) moved.add(name);
      words.push(`${name}: ${JSON.stringify(value)}`);
    }
  }
  if (words.length > 0) bound["description"] = [schema["description"], `(${words.join(", ")})`].filter(Boolean).join(" ");
  if (isObjectSchema(bound)) closeObject(bound, moved);
  return bound;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean => type === "object" || isObject(properties);

function closeObject(bound: JsonObject, moved: Set<string>): void {
  // A schema that says nothing of other properties hardly ever means to ask for them.
  if (bound["additionalProperties"] !== undefined && bound["additionalProperties"] !== false) moved.add("additionalProperties");
  bound["additionalProperties"] = false;
}

function bindValue(keyword: string, value: unknown, moved: Set<string>): unknown {
  if (lists.has(keyword) && Array.isArray(value)) return value.map((inner) => (isObject(inner) ? bind(inner, moved) : inner));
  if (!isObject(value)) return value;
  if (keyword === "items") return bind(value, moved);
  if (!maps.has(keyword)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? bind(inner, moved) : inner]));
}

const unions = ["anyOf", "oneOf", "allOf"] as const;

const requiredIn = (schema: JsonObject): string[] =>
  Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [];

/** The properties that a union asks for: those of any branch where all hold together, else those that every branch asks for. */
function requiredBy(branches: readonly JsonObject[], together: boolean): string[] {
  const asked = branches.map(requiredIn);
  return together ? asked.flat() : (asked[0] ?? []).filter((name) => asked.every((names) => names.includes(name)));
}

/** A tool's schema with the root that the wire wants: an object, and no union. The branches of one are laid over each other. */
export function toObjectRoot(schema: JsonSchema, path: string, losses: Loss[]): JsonSchema {
  const branches = unions.flatMap((union) => (Array.isArray(schema[union]) ? schema[union].filter(isObject) : []));
  if (branches.length === 0) return schema["type"] === undefined ? { ...schema, type: "object" } : schema;
  losses.push({ path, reason: "The Messages API does not support a union at the root of a schema; its branches were merged." });
  const { anyOf: _, oneOf: __, allOf, ...rest } = schema;
  const properties = Object.fromEntries([rest, ...branches].flatMap((branch) => Object.entries(branch["properties"] ?? {})));
  const required = [...new Set([...requiredIn(rest), ...requiredBy(branches, Array.isArray(allOf))])];
  return { ...rest, type: "object", properties, ...(required.length > 0 && { required }) };
}

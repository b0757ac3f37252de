import { AntiphonError } from "../core/error.ts";
import { isObject, own, type JsonObject } from "../model/guards.ts";

/** The types that JSON Schema knows. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** The type of a JSON value; a whole number is an `integer`. */
export function jsonType(value: unknown): JsonType | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "object" ? "object" : undefined;
}

const types: ReadonlySet<unknown> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

const isType = (name: unknown): name is JsonType => types.has(name);

/** The types that a schema's `type` names, with null where OpenAPI's `nullable` says so; undefined where it names none. */
export function typesOf(schema: JsonObject): JsonType[] | undefined {
  const { type, nullable } = schema;
  // Gemini's schemas shout.
  const named = (Array.isArray(type) ? type : [type])
    .map((name: unknown) => (typeof name === "string" ? name.toLowerCase() : name))
    .filter(isType);
  if (named.length === 0) return undefined;
  return nullable === true && !named.includes("null") ? [...named, "null"] : named;
}

/** The strings of a list, such as the names in `required`. */
export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];

/** The schemas of a list, such as `anyOf`. */
export const schemaList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The schemas by name of a keyword, such as `properties`. */
export const schemaMap = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** How a list is described: each place for itself, then the rest. Reads the older `items: […]` too. */
export function listParts(schema: JsonObject): { first: unknown[]; rest: unknown } {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return { first: items, rest: additionalItems };
  return { first: schemaList(prefixItems), rest: items };
}

/** Whether a schema says nothing, so that any value fits. */
export const fitsAnything = (schema: unknown): boolean =>
  schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0);

/** A step of a JSON pointer. */
export const pointerStep = (name: string | number): string =>
  typeof name === "number" ? `/${name}` : `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Sets a property whatever its name; plain assignment would take `__proto__` for the prototype. */
export function put(object: JsonObject, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** A JSON value as text in which equal values read the same. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/** Whether two JSON values are the same. */
export const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && canonical(a) === canonical(b));

const deepest = 1_000;

/** Throws where a schema is nested so deeply that the stack could run out over it; one that holds itself has no end at all. */
export function checkNesting(schema: unknown): void {
  let level = new Set([schema].filter(isContainer));
  for (let depth = 0; level.size > 0; depth += 1) {
    if (depth > deepest) throw new AntiphonError("INVALID_SCHEMA", tooDeep);
    // What stands in several places is looked at once a level: a schema may share its parts.
    level = new Set([...level].flatMap((value) => Object.values(value)).filter(isContainer));
  }
}

const tooDeep = `The schema is nested deeper than ${deepest} levels or contains itself.`;

/** Whether a value holds others: a list is an object with places for names. */
export const isContainer = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

function stepInto(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? own(value, name) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** What a local reference (`#/$defs/city`) points to; undefined for one that leads out of the schema or nowhere. */
function atPointer(root: unknown, reference: string): unknown {
  if (reference === "#" || reference === "#/") return root;
  if (!reference.startsWith("#/")) return undefined;
  const steps = reference.slice(2).split("/");
  return steps.reduce<unknown>((value, step) => stepInto(value, decoded(step).replaceAll("~1", "/").replaceAll("~0", "~")), root);
}

/** Where a chain of bare references ends. */
export interface Target {
  reference: string;
  schema: unknown;
}

/** Follows a reference, and those that its target is nothing but, to the end; undefined where that leads nowhere or in a circle. */
export function follow(root: unknown, reference: string): Target | undefined {
  const seen = new Set<string>();
  for (let at = reference; !seen.has(at);) {
    seen.add(at);
    const schema = atPointer(root, at);
    if (schema === undefined) return undefined;
    const next = isObject(schema) && Object.keys(schema).length === 1 ? schema["$ref"] : undefined;
    if (typeof next !== "string") return { reference: at, schema };
    at = next;
  }
  return undefined;
}

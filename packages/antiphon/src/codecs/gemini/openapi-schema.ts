import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { JsonSchema } from "../../model/index.ts";

/** A schema in the wire's older words, and the keywords that it has no words for. */
export interface OpenApiSchema {
  schema: JsonObject;
  /** What could only be said in a description, or not at all. */
  reworded: string[];
}

/** Keywords that mean the same on both sides. */
const kept: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "example",
  "nullable",
  "required",
  "propertyOrdering",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "minimum",
  "maximum",
  "pattern",
]);
/** Keywords that say nothing about the values, or nothing that a model would do otherwise. */
const silent: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "definitions",
  "examples",
  "additionalProperties",
  "strict",
]);
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/**
 * A JSON Schema in the subset of OpenAPI that older models take: references are put in place, `null` becomes `nullable`, `oneOf`
 * becomes `anyOf`, `allOf` is merged, and keywords without a word move to the description.
 */
export function toOpenApi(schema: JsonSchema): OpenApiSchema {
  const converter = new Converter(schema);
  return { schema: converter.convert(schema), reworded: [...converter.reworded] };
}

// Schemas that refer to each other grow beyond all bounds when references are put in place; no sensible tool needs this many.
const mostReferences = 500;

/** A keyword's own rule: it adds to the result. */
type Rule = (converter: Converter, out: JsonObject, value: unknown, schema: JsonObject) => void;

class Converter {
  readonly reworded = new Set<string>();
  readonly #root: JsonObject;
  /** References that are being put in place: one that is met again inside itself is cut. */
  readonly #open: string[] = [];
  #placed = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  convert(schema: unknown): JsonObject {
    if (!isObject(schema)) return {};
    if (typeof schema["$ref"] === "string") return this.#reference(schema["$ref"], schema);
    if (Array.isArray(schema["allOf"])) return this.convert(this.#merge(schema));
    const out: JsonObject = {};
    for (const [key, value] of Object.entries(schema)) {
      const rule = own(Converter.#rules, key);
      if (rule) rule(this, out, value, schema);
      else if (kept.has(key)) out[key] = value;
      else if (!silent.has(key)) this.#reword(out, key, value);
    }
    return out;
  }

  #reword(out: JsonObject, key: string, value: unknown): void {
    this.reworded.add(key);
    const sentence = `${key}: ${JSON.stringify(value)}`;
    out["description"] = typeof out["description"] === "string" ? `${out["description"]}\n${sentence}` : sentence;
  }

  #reference(ref: string, { $ref: _, ...beside }: JsonObject): JsonObject {
    const found = this.#resolve(ref);
    if (!found || this.#open.includes(ref) || this.#placed >= mostReferences) {
      this.reworded.add("$ref");
      return { type: "object", ...this.convert(beside) };
    }
    this.#placed += 1;
    this.#open.push(ref);
    const out = this.convert({ ...found, ...beside });
    this.#open.pop();
    return out;
  }

  #resolve(ref: string): JsonObject | undefined {
    if (!ref.startsWith("#")) return undefined;
    const steps = ref.slice(1).split("/").filter(Boolean).map(unescaped);
    const found = steps.reduce<unknown>((value, step) => (isObject(value) ? own(value, step) : undefined), this.#root);
    return isObject(found) ? found : undefined;
  }

  /** One schema from several that must all hold: properties and requirements add up, of the rest the last one counts. */
  #merge({ allOf, ...rest }: JsonObject): JsonObject {
    const branches = (allOf as unknown[]).filter(isObject).map((branch) => {
      const found =
        typeof branch["$ref"] === "string" && !this.#open.includes(branch["$ref"]) ? this.#resolve(branch["$ref"]) : undefined;
      return found ? { ...found, ...branch, $ref: undefined } : branch;
    });
    const merged: JsonObject = {};
    for (const branch of [...branches, rest]) {
      for (const [key, value] of Object.entries(branch)) {
        const before = merged[key];
        if (value === undefined) continue;
        if (isObject(before) && isObject(value)) merged[key] = { ...before, ...value };
        else if (key === "required" && Array.isArray(before) && Array.isArray(value))
          merged[key] = [...new Set([...before, ...value])];
        else merged[key] = value;
      }
    }
    return merged;
  }

  #type(out: JsonObject, value: unknown): void {
    const types = (Array.isArray(value) ? value : [value]).filter((type) => type !== "null");
    if (Array.isArray(value) && types.length < value.length) out["nullable"] = true;
    if (types.length === 1) out["type"] = types[0];
    else if (types.length > 1) out["anyOf"] = types.map((type) => ({ type }));
    else out["type"] = "null";
  }

  #anyOf(out: JsonObject, value: unknown): void {
    const branches = (Array.isArray(value) ? value : []).filter((branch) => !(isObject(branch) && branch["type"] === "null"));
    if (Array.isArray(value) && branches.length < value.length) out["nullable"] = true;
    const converted = branches.map((branch) => this.convert(branch));
    if (converted.length === 1) Object.assign(out, { ...converted[0], ...out });
    else if (converted.length > 1) out["anyOf"] = converted;
  }

  #enum(out: JsonObject, values: unknown): void {
    const list = Array.isArray(values) ? values : [values];
    const named = list.filter((value) => value !== null);
    if (named.length < list.length) out["nullable"] = true;
    // Only strings may be listed.
    if (!named.every((value) => typeof value === "string")) return this.#reword(out, "enum", named);
    out["type"] ??= "string";
    out["enum"] = named;
  }

  static readonly #rules: Readonly<Record<string, Rule>> = {
    type: (converter, out, value) => converter.#type(out, value),
    anyOf: (converter, out, value) => converter.#anyOf(out, value),
    oneOf: (converter, out, value) => converter.#anyOf(out, value),
    enum: (converter, out, value) => converter.#enum(out, value),
    const: (converter, out, value) => converter.#enum(out, [value]),
    properties: (converter, out, value) => {
      const entries = Object.entries(isObject(value) ? value : {});
      if (entries.length > 0)
        out["properties"] = Object.fromEntries(entries.map(([name, inner]) => [name, converter.convert(inner)]));
    },
    items: (converter, out, value) => {
      out["items"] = converter.convert(value);
    },
    prefixItems: (converter, out, value, schema) => {
      const branches = (Array.isArray(value) ? value : []).map((branch) => converter.convert(branch));
      converter.reworded.add("prefixItems");
      if (schema["items"] === undefined || schema["items"] === false)
        out["items"] = branches.length === 1 ? branches[0] : { anyOf: branches };
    },
    format: (converter, out, value, schema) => {
      if (own(formats, String(schema["type"]))?.includes(String(value))) out["format"] = value;
      else converter.#reword(out, "format", value);
    },
  };
}

/** A step of a reference without its escapes; one that is not escaped properly stands for itself. */
function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

// Clients that speak the wire's binary form in JSON write types as numbers.
const typeNames: readonly string[] = ["", "string", "number", "integer", "boolean", "array", "object", "null"];

const typeName = (type: unknown): string | undefined => (typeof type === "number" ? typeNames[type] : String(type).toLowerCase());

/** A schema in the wire's older words as JSON Schema. */
export function fromOpenApi(schema: JsonObject): JsonSchema {
  const out: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "type") out["type"] = Array.isArray(value) ? value.map(typeName) : typeName(value);
    else if (key === "properties" && isObject(value))
      out["properties"] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? fromOpenApi(inner) : inner]),
      );
    else if (key === "items" && isObject(value)) out["items"] = fromOpenApi(value);
    else if (key === "anyOf" && Array.isArray(value))
      out["anyOf"] = value.map((inner) => (isObject(inner) ? fromOpenApi(inner) : inner));
    else if (key !== "nullable") out[key] = value;
  }
  return schema["nullable"] === true ? nullable(out) : out;
}

function nullable(schema: JsonSchema): JsonSchema {
  if (typeof schema["type"] === "string") return { ...schema, type: [schema["type"], "null"] };
  if (Array.isArray(schema["type"])) return { ...schema, type: [...new Set([...schema["type"], "null"])] };
  return Array.isArray(schema["anyOf"]) ? { ...schema, anyOf: [...schema["anyOf"], { type: "null" }] } : schema;
}

import { isObject, type JsonObject } from "../model/guards.ts";
import {
  canonical,
  fitsAnything,
  follow,
  listParts,
  pointerStep,
  schemaList,
  schemaMap,
  strings,
  typesOf,
} from "./json-schema.ts";
import type { JsonType, Target } from "./json-schema.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { annotations, refusedKeywords, sortKeywords, tell, typeHints } from "./strict-keywords.ts";
import { mostLevels } from "./strict-limits.ts";
import { strictRules, type StrictRule } from "./strict-rules.ts";
import { addNull, choiceSchema } from "./strict-shapes.ts";
import type { SchemaChange } from "./tool.ts";
import type { SchemaScope } from "./validate.ts";

/** Schemas converted at most: merging what leads back to itself could go on for ever. */
const mostSchemas = 20_000;

interface Place {
  /** A JSON pointer into the original schema. */
  path: string;
  level: number;
}

const inside = ({ path, level }: Place, ...steps: (string | number)[]): Place => ({
  path: path + steps.map(pointerStep).join(""),
  level: level + 1,
});

const beside = ({ path, level }: Place, ...steps: (string | number)[]): Place => ({
  path: path + steps.map(pointerStep).join(""),
  level,
});

const onlyAnnotates = (schema: JsonObject): boolean => Object.keys(schema).every((keyword) => annotations.has(keyword));
const constraintsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !annotations.has(keyword)));
const annotationsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => annotations.has(keyword)));

/** Whether a branch of a union only asks for properties that the schema around it describes. */
const isCondition = (branch: unknown): boolean =>
  isObject(branch) && Object.keys(branch).every((keyword) => conditions.has(keyword) || annotations.has(keyword));
const conditions: ReadonlySet<string> = new Set(["required", "not", "dependentRequired", "minProperties", "maxProperties"]);

/** Converts a schema and all below it, and notes each change. What cannot be strict is noted too; its conversion is then of no use. */
export class StrictConverter {
  readonly changes: SchemaChange[] = [];
  readonly definitions: JsonObject = {};
  readonly #scope: SchemaScope;
  readonly #names = new Map<string, string>();
  /** References whose targets are being converted: what is inside them leads around in a circle. */
  readonly #open = new Set<string>(["#"]);
  #count = 0;

  constructor(scope: SchemaScope) {
    this.#scope = scope;
  }

  /** The root's strict form, which must be an object. */
  root(): JsonObject {
    const { root } = this.#scope;
    const place = { path: "", level: 0 };
    const target = isObject(root) && typeof root["$ref"] === "string" ? follow(root, root["$ref"]) : undefined;
    const start = isObject(root) && target ? this.#inlineRoot(root, target) : root;
    const converted = this.#convert(start, place);
    if (converted["type"] !== "object") this.refuse(place, "its root is not an object");
    return converted;
  }

  refuse({ path }: Pick<Place, "path">, reason: string): JsonObject {
    this.changes.push({ path, rule: "not-strict", reason: `The schema is sent unchanged: ${reason}.` });
    return {};
  }

  #note({ path }: Place, rule: StrictRule): void {
    this.changes.push({ path, rule, reason: strictRules[rule] });
  }

  #inlineRoot({ $ref, $defs: _, definitions: __, ...siblings }: JsonObject, { schema }: Target): JsonObject {
    this.#note({ path: "", level: 0 }, "ref-inlined");
    return isObject(schema) && onlyAnnotates(siblings) ? { ...schema, ...siblings } : { allOf: [siblings, { $ref }] };
  }

  #convert(schema: unknown, place: Place): JsonObject {
    this.#count += 1;
    if (this.#count > mostSchemas) return this.#count === mostSchemas + 1 ? this.refuse(place, "it is too large") : {};
    if (place.level > mostLevels) return this.refuse(place, `it is nested deeper than ${mostLevels} levels`);
    if (schema === false) return this.refuse(place, "no value matches it");
    if (!isObject(schema) || onlyAnnotates(schema)) return this.refuse(place, "it allows anything");
    const refused = refusedKeywords.find((keyword) => schema[keyword] !== undefined && !isEmptyMap(keyword, schema[keyword]));
    if (refused) return this.refuse(place, `strict mode does not support \`${refused}\``);
    return this.#shape(schema, place);
  }

  #shape(schema: JsonObject, place: Place): JsonObject {
    if (schema["nullable"] === true) {
      const { nullable: _, ...rest } = schema;
      this.#note(place, "nullable-to-null");
      return addNull(this.#convert(rest, place));
    }
    if (typeof schema["$ref"] === "string") return this.#reference(schema, schema["$ref"], place);
    if (Array.isArray(schema["allOf"])) return this.#all(schema, schema["allOf"], place);
    if (Array.isArray(schema["anyOf"]) || Array.isArray(schema["oneOf"])) return this.#union(schema, place);
    if (schema["const"] !== undefined || Array.isArray(schema["enum"])) return this.#choices(schema, place);
    return this.#typed(schema, place);
  }

  #reference({ $ref: _, ...siblings }: JsonObject, reference: string, place: Place): JsonObject {
    const target = follow(this.#scope.root, reference);
    if (!target) return this.refuse(place, `the reference "${reference}" is external, missing or circular`);
    const isBare = Object.keys(siblings).every((keyword) => annotations.has(keyword) && keyword.startsWith("$"));
    if (isBare) return this.#define(target);
    if (!onlyAnnotates(siblings)) return this.#convert({ allOf: [siblings, { $ref: reference }] }, place);
    if (this.#open.has(target.reference) || !isObject(target.schema)) {
      this.#note(place, "keyword-dropped");
      return this.#define(target);
    }
    this.#note(place, "ref-inlined");
    this.#open.add(target.reference);
    const converted = this.#convert({ ...target.schema, ...siblings }, place);
    this.#open.delete(target.reference);
    return converted;
  }

  /** A reference to a definition, which is converted when it is first met. */
  #define({ reference, schema }: Target): JsonObject {
    if (reference === "#") return { $ref: "#" };
    const known = this.#names.get(reference);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = this.#newName(reference.slice(reference.lastIndexOf("/") + 1).replaceAll(/[^\w.-]|^__/g, "_"));
    this.#names.set(reference, name);
    this.#open.add(reference);
    // Held from the start, so that the name stays taken while its own definition is built.
    this.definitions[name] = {};
    this.definitions[name] = this.#convert(schema, { path: reference.slice(1), level: 0 });
    this.#open.delete(reference);
    return { $ref: `#/$defs/${name}` };
  }

  #newName(wish: string): string {
    let name = wish;
    for (let count = 2; Object.hasOwn(this.definitions, name); count += 1) name = `${wish}_${count}`;
    return name;
  }

  #all({ allOf: _, ...rest }: JsonObject, members: readonly unknown[], place: Place): JsonObject {
    const [only] = members;
    if (members.includes(false)) return this.refuse(place, "no value matches it");
    if (members.length === 1 && isObject(only) && onlyAnnotates(rest)) return this.#convert({ ...only, ...rest }, place);
    const merged = mergeSchemas(this.#parts({ ...rest, allOf: members }, new Set()));
    if (!("schema" in merged)) return this.refuse(place, `its \`allOf\` cannot be merged because ${merged.reason}`);
    this.#note(place, "all-of-merged");
    return this.#convert(merged.schema, place);
  }

  /** All schemas that hold together with a schema: itself, its `allOf` and what it refers to. What it says of itself goes before theirs. */
  #parts(schema: JsonObject, seen: ReadonlySet<string>): JsonObject[] {
    const { $ref: reference, allOf, ...own } = schema;
    const isRef = typeof reference === "string" && !seen.has(reference);
    const target = isRef ? follow(this.#scope.root, reference)?.schema : undefined;
    const unresolved = isRef && !isObject(target) ? [{ $ref: reference }] : [];
    const members = [target, ...schemaList(allOf)].filter(isObject);
    const seenNow = isRef ? new Set(seen).add(reference) : seen;
    const others = members.flatMap((member) => this.#parts(member, seenNow));
    return [own, ...unresolved, ...others.map((part) => withoutAnnotations(part, own))];
  }

  #union(schema: JsonObject, place: Place): JsonObject {
    const { anyOf, oneOf, ...rest } = schema;
    if (anyOf !== undefined && oneOf !== undefined) return this.refuse(place, "it has both `anyOf` and `oneOf`");
    const keyword = anyOf === undefined ? "oneOf" : "anyOf";
    const branches = schemaList(anyOf ?? oneOf);
    if (!onlyAnnotates(rest) && branches.every(isCondition)) return this.#tellConditions(rest, keyword, branches, place);
    if (keyword === "oneOf") this.#note(place, "one-of-to-any-of");
    const possible = onlyAnnotates(rest) ? branches : this.#distribute(rest, branches, place);
    if (possible.length === 0) return this.refuse(place, "no value matches its alternatives");
    const [only] = possible;
    if (possible.length === 1 && isObject(only)) return this.#convert({ ...only, ...annotationsOf(rest) }, place);
    const converted = possible.map((branch, at) => this.#convert(branch, beside(place, keyword, at)));
    return { ...this.#describe(rest, place), anyOf: converted };
  }

  /** What is said beside a union holds for each of its branches. */
  #distribute(rest: JsonObject, branches: readonly unknown[], place: Place): JsonObject[] {
    this.#note(place, "siblings-to-branches");
    const shared = constraintsOf(rest);
    return branches.flatMap((branch, at) => {
      const merged = mergeSchemas([shared, ...(isObject(branch) ? this.#parts(branch, new Set()) : [])]);
      if ("schema" in merged) return [merged.schema];
      if (!merged.never)
        this.refuse(beside(place, "anyOf", at), `it cannot be merged with its sibling keywords because ${merged.reason}`);
      return [];
    });
  }

  #tellConditions(rest: JsonObject, keyword: string, branches: readonly unknown[], place: Place): JsonObject {
    this.#note(place, "keyword-to-description");
    return this.#convert({ ...rest, description: tell(rest["description"], { [keyword]: branches }) }, place);
  }

  #choices(schema: JsonObject, place: Place): JsonObject {
    const { enum: choices, const: constant, ...rest } = schema;
    const values = constant === undefined ? schemaList(choices) : [constant];
    const possible = values.filter((value) =>
      this.#scope.fits(constant === undefined ? rest : { ...rest, enum: choices }, value),
    );
    if (possible.length === 0) return this.refuse(place, "none of its values is valid");
    if (possible.some((value) => typeof value === "object" && value !== null))
      return this.refuse(place, "its values are objects or lists");
    return { ...choiceSchema(possible, constant !== undefined, typesOf(schema)), ...this.#describe(schema, place) };
  }

  #typed(schema: JsonObject, place: Place): JsonObject {
    const hint = typeHints.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
    const types = typesOf(schema) ?? (hint ? [hint[0]] : []);
    if (types.length === 0) return this.refuse(place, "it allows anything");
    const [only, ...more] = types.filter((type) => type !== "null");
    if (!only) return { type: "null", ...this.#describe(schema, place) };
    const converted = more.length > 0 ? this.#eachType([only, ...more], schema, place) : this.#ofType(only, schema, place);
    return types.includes("null") ? addNull(converted) : converted;
  }

  #eachType(types: readonly JsonType[], schema: JsonObject, place: Place): JsonObject {
    this.#note(place, "type-list-to-any-of");
    const shared = constraintsOf(schema);
    const branches = types.map((type) => this.#ofType(type, shared, place));
    return { ...this.#describe(annotationsOf(schema), place), anyOf: branches };
  }

  #ofType(type: JsonType, schema: JsonObject, place: Place): JsonObject {
    if (type === "object") return { type, ...this.#describe(schema, place, type), ...this.#object(schema, place) };
    if (type === "array") return this.#list(schema, place);
    return { type, ...this.#describe(withNumericExclusives(schema), place, type) };
  }

  #object(schema: JsonObject, place: Place): JsonObject {
    const { additionalProperties: others, unevaluatedProperties } = schema;
    const properties = Object.entries(schemaMap(schema["properties"])).filter(([, inner]) => inner !== false);
    const required = new Set(strings(schema["required"]));
    const isOpen = (others !== undefined && others !== false) || (unevaluatedProperties ?? false) !== false;
    if (isOpen) return this.refuse(place, "it allows properties that it does not name");
    if (properties.length === 0 && others !== false) return this.refuse(place, "it names no properties and therefore allows any");
    const known = new Set(properties.map(([name]) => name));
    const undescribed = [...required].find((name) => !known.has(name));
    if (undescribed !== undefined) return this.refuse(place, `it requires \`${undescribed}\` but does not describe it`);
    if (others !== false) this.#note(place, "closed");
    const converted = properties.map(
      ([name, inner]) => [name, this.#property(inner, required.has(name), inside(place, "properties", name))] as const,
    );
    return {
      properties: Object.fromEntries(converted),
      required: [...known],
      additionalProperties: false,
    };
  }

  #property(schema: unknown, isRequired: boolean, place: Place): JsonObject {
    if (isRequired) return this.#convert(schema, place);
    if (!this.#scope.fits(schema, null)) this.#note(place, "optional-to-nullable");
    if (!isObject(schema) || typeof schema["$ref"] !== "string") return addNull(this.#convert(schema, place));
    // Beside anyOf there is room for what a bare reference has none for.
    const { $ref, ...siblings } = schema;
    if (!onlyAnnotates(siblings)) return addNull(this.#convert(schema, place));
    return { ...addNull(this.#convert({ $ref }, place)), ...this.#describe(siblings, place) };
  }

  #list(schema: JsonObject, place: Place): JsonObject {
    const { first, rest } = listParts(schema);
    const tuple = first.length > 0 ? this.#tuple(schema, first, rest, place) : schema;
    const { items } = tuple;
    if (fitsAnything(items) || items === false) return this.refuse(place, "it does not describe its entries");
    return {
      type: "array",
      ...this.#describe(tuple, place, "array"),
      items: this.#convert(items, inside(place, "items")),
    };
  }

  /** A list that is described place by place. Exact where all places are the same, else looser: each place takes any of them. */
  #tuple(schema: JsonObject, first: readonly unknown[], rest: unknown, place: Place): JsonObject {
    const { prefixItems: _, additionalItems: __, items: ___, maxItems, ...others } = schema;
    const most = Math.min(typeof maxItems === "number" ? maxItems : Infinity, rest === false ? first.length : Infinity);
    const kinds = new Map(
      [...first.slice(0, most), ...(most > first.length ? [rest] : [])].map((kind) => [canonical(kind), kind]),
    );
    const bounded = { ...others, ...(most < Infinity && { maxItems: most }) };
    if (kinds.size === 1) {
      this.#note(place, "tuple-to-items");
      return { ...bounded, items: first[0] };
    }
    this.#note(place, "tuple-to-any-of");
    return {
      ...bounded,
      items: { anyOf: [...kinds.values()] },
      description: tell(schema["description"], { prefixItems: first }),
    };
  }

  /** Title, description and the keywords that stay; those that cannot are told in the description. */
  #describe(schema: JsonObject, place: Place, type?: JsonType): JsonObject {
    const { kept, told, dropped } = sortKeywords(schema, type);
    for (const keyword of Object.keys(told))
      this.#note(beside(place, keyword), keyword === "default" ? "default-on-return" : "keyword-to-description");
    for (const keyword of dropped) this.#note(beside(place, keyword), "keyword-dropped");
    const description = tell(schema["description"], told);
    return { ...(schema["title"] !== undefined && { title: schema["title"] }), ...(description && { description }), ...kept };
  }
}

/** An empty map of schemas asks for nothing, unlike an empty schema. */
const isEmptyMap = (keyword: string, value: unknown): boolean =>
  keyword !== "not" && keyword !== "if" && isObject(value) && Object.keys(value).length === 0;

function withoutAnnotations(part: JsonObject, by: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([keyword]) => !annotations.has(keyword) || by[keyword] === undefined));
}

/** In older drafts, `exclusiveMinimum: true` makes `minimum` exclusive. */
function withNumericExclusives(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  return {
    ...rest,
    ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum, exclusiveMinimum }),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum, exclusiveMaximum }),
  };
}

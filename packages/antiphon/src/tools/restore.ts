import { checkArgument } from "../core/options.ts";
import { isObject, own, type JsonObject } from "../model/guards.ts";
import { follow, isContainer, listParts, put, schemaList, schemaMap, strings } from "./json-schema.ts";
import type { SchemaScope } from "./validate.ts";

/** Turns a value that was written under a strict schema into what the original one means. Gives the same object where nothing is to do. */
type Restore = (value: unknown) => unknown;

/** The way back from a strict schema. */
export interface RestorePlan {
  readonly restore: Restore;
}

/** How the way back goes about it. */
export interface RestoreOptions {
  /** Whether `default`s are put in; true where left out. */
  defaults?: boolean;
}

interface PropertyRule {
  name: string;
  /** Null stands for "left out": the property is optional, and its schema has no null of its own. */
  dropsNull: boolean;
  default: unknown;
  restore: Restore | undefined;
}

/** Builds the way back once, as functions; parts of a schema with nothing to restore cost nothing later. */
class Planner {
  readonly #scope: SchemaScope;
  readonly #defaults: boolean;
  readonly #known = new Map<JsonObject, Restore | undefined>();
  /** Counts the values that were restored: what is remembered of one is of no use to the next, even if it is the same object. */
  #round = 0;

  constructor(scope: SchemaScope, defaults: boolean) {
    this.#scope = scope;
    this.#defaults = defaults;
  }

  /** The way back from the root. */
  root(): Restore {
    const restore = this.plan(this.#scope.root);
    return (value) => {
      this.#round += 1;
      return restore ? restore(value) : value;
    };
  }

  plan(schema: unknown): Restore | undefined {
    if (!isObject(schema)) return undefined;
    if (this.#known.has(schema)) return this.#known.get(schema);
    // Whether a schema that leads back to itself has work is not known yet; it finds out when it runs.
    this.#known.set(schema, (value) => this.#known.get(schema)?.(value) ?? value);
    const steps = [
      this.#reference(schema["$ref"]),
      this.#object(schema),
      this.#list(schema),
      ...schemaList(schema["allOf"]).map((member) => this.plan(member)),
      this.#union(schemaList(schema["anyOf"])),
      this.#union(schemaList(schema["oneOf"])),
    ].filter((step) => step !== undefined);
    const restore = steps.length > 1 ? (value: unknown) => steps.reduce((sofar, step) => step(sofar), value) : steps[0];
    this.#known.set(schema, restore);
    return restore;
  }

  #reference(reference: unknown): Restore | undefined {
    return typeof reference === "string" ? this.plan(follow(this.#scope.root, reference)?.schema) : undefined;
  }

  #object(schema: JsonObject): Restore | undefined {
    const required = new Set(strings(schema["required"]));
    const rules = Object.entries(schemaMap(schema["properties"]))
      .map(([name, inner]) => this.#property(name, inner, required.has(name)))
      .filter(({ dropsNull, default: value, restore }) => dropsNull || value !== undefined || restore);
    const { additionalProperties } = schema;
    const known = schemaMap(schema["properties"]);
    const others = this.plan(additionalProperties);
    if (rules.length === 0 && !others) return undefined;
    return (value) => {
      if (!isObject(value)) return value;
      const restored = restoreProperties(value, rules);
      return others ? restoreOthers(restored, known, others) : restored;
    };
  }

  #property(name: string, schema: unknown, isRequired: boolean): PropertyRule {
    const value = this.#defaults && isObject(schema) ? this.#default(schema) : undefined;
    const dropsNull = !isRequired && !this.#scope.fits(schema, null);
    return { name, dropsNull, default: value, restore: this.plan(schema) };
  }

  #default(schema: JsonObject): unknown {
    if (schema["default"] !== undefined || typeof schema["$ref"] !== "string") return schema["default"];
    const target = follow(this.#scope.root, schema["$ref"])?.schema;
    return isObject(target) ? target["default"] : undefined;
  }

  #list(schema: JsonObject): Restore | undefined {
    const { first, rest } = listParts(schema);
    const [places, others] = [first.map((entry) => this.plan(entry)), this.plan(rest)];
    if (!others && places.every((place) => place === undefined)) return undefined;
    return (value) => {
      if (!Array.isArray(value)) return value;
      const restored = value.map((entry, at) => (at < places.length ? places[at] : others)?.(entry) ?? entry);
      return restored.some((entry, at) => entry !== value[at]) ? restored : value;
    };
  }

  /** The first branch that a value fits once it is restored is the one that it was written for; see `#firstFit`. */
  #union(branches: readonly unknown[]): Restore | undefined {
    const ways = branches.map((schema) => ({ schema, restore: this.plan(schema) }));
    if (ways.every(({ restore }) => restore === undefined)) return undefined;
    // Nested unions come to the same value by many ways: exponentially many, were they not remembered.
    let known = new WeakMap<object, unknown>();
    let round = 0;
    return (value) => {
      if (typeof value !== "object" || value === null) return value;
      if (round !== this.#round) known = new WeakMap();
      round = this.#round;
      if (!known.has(value)) known.set(value, this.#firstFit(ways, value));
      return known.get(value);
    };
  }

  /** A branch that the value fits only once more is put in comes last: under a strict schema, nothing that it names is missing. */
  #firstFit(ways: readonly { schema: unknown; restore: Restore | undefined }[], value: object): unknown {
    let filled: unknown;
    for (const { schema, restore } of ways) {
      const restored = restore ? restore(value) : value;
      if (!this.#scope.fits(schema, restored)) continue;
      if (!hasGained(value, restored)) return restored;
      filled ??= restored;
    }
    return filled ?? value;
  }
}

/** Whether a restored value has properties that were missing before. Null that became a default is none of them. */
function hasGained(before: unknown, after: unknown): boolean {
  if (before === after || !isContainer(before) || !isContainer(after)) return false;
  return Object.entries(after).some(([name, value]) => !Object.hasOwn(before, name) || hasGained(before[name], value));
}

/** Copies an object only where a property changes. */
function restoreProperties(object: JsonObject, rules: readonly PropertyRule[]): JsonObject {
  let copy: JsonObject | undefined;
  for (const rule of rules) {
    const { name } = rule;
    const value = own(object, name);
    const restored = restoredProperty(value, rule);
    if (restored === value) continue;
    copy ??= { ...object };
    if (restored === undefined) delete copy[name];
    else put(copy, name, restored);
  }
  return copy ?? object;
}

function restoredProperty(value: unknown, { dropsNull, default: standard, restore }: PropertyRule): unknown {
  if (value === undefined || (value === null && dropsNull)) return standard === undefined ? undefined : structuredClone(standard);
  return restore ? restore(value) : value;
}

function restoreOthers(object: JsonObject, known: JsonObject, restore: Restore): JsonObject {
  const entries = Object.entries(object).map(
    ([name, value]) => [name, Object.hasOwn(known, name) ? value : restore(value)] as const,
  );
  return entries.some(([name, value]) => value !== object[name]) ? Object.fromEntries(entries) : object;
}

/** Plans the way back to what the root of a scope means, strict form or not: models write null for what they leave out either way. */
export function restorePlan(scope: SchemaScope, options: RestoreOptions): RestorePlan {
  return { restore: new Planner(scope, options.defaults ?? true).root() };
}

/**
 * Reverses the strict form in a model's arguments: removes nulls that mean "omitted" and applies defaults. A null
 * that the original allows stays.
 */
export function restoreArguments(value: unknown, plan: RestorePlan): unknown {
  const isPlan = isObject(plan) && typeof plan["restore"] === "function";
  checkArgument("restoreArguments", "the `plan` of `toStrict` as its second argument", isPlan, plan);
  return plan.restore(value);
}

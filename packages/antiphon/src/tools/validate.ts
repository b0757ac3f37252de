import { checkArgument } from "../core/options.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { JsonSchema } from "../model/index.ts";
import { follow, jsonType, typesOf } from "./json-schema.ts";
import { unionChecks } from "./validate-unions.ts";
import { choiceChecks, listChecks, numberChecks, objectChecks, stringChecks } from "./validate-values.ts";
import { fail, mustBe, newVisit, passes, type Check, type Problem } from "./validate-visit.ts";

const anything: Check = () => true;
const nothing: Check = (_, visit) => fail(visit, "must not be there");
const tooMuch = "is too deep or too tangled to be checked";

/** A schema and those within it, each compiled once and shared by all that ask about it. */
export class SchemaScope {
  readonly root: unknown;
  readonly #checks = new Map<unknown, Check>();

  constructor(root: unknown) {
    this.root = root;
  }

  /** The check of any schema whose references are those of the root. */
  readonly check = (schema: unknown): Check => {
    if (!isObject(schema)) return schema === false ? nothing : anything;
    const known = this.#checks.get(schema);
    if (known) return known;
    // A schema that leads back to itself finds this while it is being compiled.
    this.#checks.set(schema, (value, visit) => this.#checks.get(schema)!(value, visit));
    const check = this.#compile(schema);
    this.#checks.set(schema, check);
    return check;
  };

  /** Whether a value fits a schema. */
  fits(schema: unknown, value: unknown): boolean {
    try {
      return this.check(schema)(value, newVisit(false));
    } catch (error) {
      return isStackOverflow(error) ? false : rethrow(error);
    }
  }

  /** What is wrong with a value, nothing where it fits. */
  problems(schema: unknown, value: unknown): Problem[] {
    if (this.fits(schema, value)) return [];
    const visit = newVisit(true);
    try {
      this.check(schema)(value, visit);
    } catch (error) {
      return isStackOverflow(error) ? [{ path: "", message: tooMuch }] : rethrow(error);
    }
    return visit.problems ?? [];
  }

  #compile(schema: JsonObject): Check {
    const types = typesOf(schema);
    const common = [...this.#reference(schema["$ref"]), ...choiceChecks(schema), ...unionChecks(schema, this.check)];
    const number = numberChecks(schema);
    const byType: Readonly<Record<string, Check[]>> = {
      number,
      integer: number,
      string: stringChecks(schema),
      array: listChecks(schema, this.check),
      object: objectChecks(schema, this.check),
    };
    const allowed = types && new Set<string | undefined>(types.includes("number") ? [...types, "integer"] : types);
    return (value, visit) => {
      visit.left -= 1;
      if (visit.left < 0) return visit.left === -1 ? fail(visit, tooMuch) : false;
      const type = jsonType(value);
      if (value === null && schema["nullable"] === true) return true;
      if (allowed && !allowed.has(type)) return fail(visit, mustBe(types, value), types);
      const own = byType[type ?? "null"];
      const fits = passes(common, value, visit);
      if (!own || (!fits && !visit.problems)) return fits;
      return passes(own, value, visit) && fits;
    };
  }

  /** A reference that leads nowhere is no reason to refuse a value. */
  #reference(reference: unknown): Check[] {
    const target = typeof reference === "string" ? follow(this.root, reference) : undefined;
    return target ? [this.check(target.schema)] : [];
  }
}

const isStackOverflow = (error: unknown): boolean => error instanceof RangeError;

function rethrow(error: unknown): never {
  throw error;
}

/**
 * What is wrong with a value by a JSON Schema, in words that the one who wrote it can act on; nothing where it fits. Knows the
 * keywords of draft 2020-12 but `unevaluated*` and `$dynamicRef`, needs no `eval`, and cannot be made to hang.
 *
 * @example
 * validate({ properties: { city: { type: "string" } } }, { city: 5 }); // [{ path: "/city", message: "must be a string, got 5" }]
 */
export function validate(schema: JsonSchema, value: unknown): Problem[] {
  checkArgument("validate", "a JSON Schema", isObject(schema) || typeof schema === "boolean", schema);
  return new SchemaScope(schema).problems(schema, value);
}

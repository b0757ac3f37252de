import { anything as anyValue, checkArgument, checkOptions, limit, type Rules } from "../core/options.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { JsonSchema } from "../model/index.ts";
import { follow, jsonType, typesOf, type Target } from "./json-schema.ts";
import { unionChecks } from "./validate-unions.ts";
import { choiceChecks, listChecks, numberChecks, objectChecks, stringChecks } from "./validate-values.ts";
import { defaultLimits, fail, mustBe, newVisit, passes, type Check, type CheckLimits, type Problem } from "./validate-visit.ts";

const anything: Check = () => true;
const nothing: Check = (_, visit) => fail(visit, "must not be present");
const tooMuch = "is too deep or too complex to be validated";

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
    const target = this.#aliased(schema);
    if (target) return this.check(target.schema);
    const known = this.#checks.get(schema);
    if (known) return known;
    // A schema that leads back to itself finds this while it is being compiled.
    this.#checks.set(schema, (value, visit) => this.#checks.get(schema)!(value, visit));
    const check = this.#compile(schema);
    this.#checks.set(schema, check);
    return check;
  };

  /** Returns whether a value matches a schema. */
  fits(schema: unknown, value: unknown, limits: CheckLimits = defaultLimits): boolean {
    try {
      return this.check(schema)(value, newVisit(false, limits));
    } catch (error) {
      return isStackOverflow(error) ? false : rethrow(error);
    }
  }

  /** Returns the problems of a value; none if it matches. */
  problems(schema: unknown, value: unknown, limits: CheckLimits = defaultLimits): Problem[] {
    if (this.fits(schema, value, limits)) return [];
    const visit = newVisit(true, limits);
    try {
      this.check(schema)(value, visit);
    } catch (error) {
      return isStackOverflow(error) ? [{ path: "", message: tooMuch }] : rethrow(error);
    }
    return visit.problems ?? [];
  }

  #compile(schema: JsonObject): Check {
    const types = typesOf(schema);
    const common = [
      ...this.#reference(schema["$ref"]),
      ...choiceChecks(schema),
      ...unionChecks(schema, this.check, this.#resolve),
    ];
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
      if (allowed && !allowed.has(type)) return fail(visit, mustBe(types, value), { types });
      const own = byType[type ?? "null"];
      const fits = passes(common, value, visit);
      if (!own || (!fits && !visit.problems)) return fits;
      return passes(own, value, visit) && fits;
    };
  }

  /** Returns the target of a schema that is only a reference. */
  #aliased(schema: JsonObject): Target | undefined {
    const reference = schema["$ref"];
    return typeof reference === "string" && Object.keys(schema).length === 1 ? follow(this.root, reference) : undefined;
  }

  readonly #resolve = (schema: unknown): unknown => (isObject(schema) ? this.#aliased(schema)?.schema : undefined) ?? schema;

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
 * Validates a value against a JSON Schema. Returns the problems as sentences, or an empty list. Supports draft
 * 2020-12 except `unevaluated*` and `$dynamicRef`. Needs no `eval` and cannot hang.
 *
 * @example
 * validate({ properties: { city: { type: "string" } } }, { city: 5 }); // [{ path: "/city", message: "must be a string, got 5" }]
 */
export const validate = (schema: JsonSchema, value: unknown): Problem[] => compileSchema(schema)(value);

/** Options of `compileSchema`. */
export interface CompileOptions {
  /** The document that references (`#/…`) point into; the schema itself by default. */
  root?: unknown;
  /** How many schemas may be applied to one value, at most: 1,000,000 by default, and 100,000 to explain problems. */
  maxChecks?: number;
}

const compileRules: Rules<CompileOptions> = { root: anyValue, maxChecks: limit(1) };

/**
 * Compiles a JSON Schema into a function that validates values and returns what `validate` returns.
 *
 * @example
 * const problemsOf = compileSchema({ type: "array", items: { type: "number" } });
 * problemsOf([1, "2"]); // [{ path: "/1", message: 'must be a number, got "2"' }]
 */
export function compileSchema(schema: JsonSchema, options: CompileOptions = {}): (value: unknown) => Problem[] {
  checkOptions("compileSchema", options, compileRules);
  const { root = schema, maxChecks } = options;
  checkArgument("compileSchema", "a JSON Schema", isObject(schema) || typeof schema === "boolean", schema);
  const scope = new SchemaScope(root);
  const limits = maxChecks === undefined ? defaultLimits : { maxChecks, maxExplainingChecks: maxChecks };
  return (value) => scope.problems(schema, value, limits);
}

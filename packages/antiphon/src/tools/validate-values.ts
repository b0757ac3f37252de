import { own } from "../model/guards.ts";
import type { JsonObject } from "../model/guards.ts";
import { canonical, fitsAnything, listParts, sameJson, schemaMap, strings } from "./json-schema.ts";
import { safePattern } from "./safe-pattern.ts";
import { stringFormats } from "./string-formats.ts";
import { checkAt, fail, failAt, failChoice, shown, type Check } from "./validate-visit.ts";

type Compile = (schema: unknown) => Check;

/** A check of one keyword, for values of the one type that it speaks of. */
type KeywordCheck<Value, Bound> = (
  bound: Bound,
  schema: JsonObject,
) => { fits(value: Value): boolean; message: string } | undefined;

/** Length in characters, not in the halves that some are stored as. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Division of decimals in binary is a little off; what is meant is clear all the same. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 1e-12;
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const numberKeywords: Readonly<Record<string, KeywordCheck<number, number>>> = {
  minimum: (bound, { exclusiveMinimum }) =>
    exclusiveMinimum === true
      ? { fits: (value) => value > bound, message: `must be more than ${bound}` }
      : { fits: (value) => value >= bound, message: `must be at least ${bound}` },
  maximum: (bound, { exclusiveMaximum }) =>
    exclusiveMaximum === true
      ? { fits: (value) => value < bound, message: `must be less than ${bound}` }
      : { fits: (value) => value <= bound, message: `must be at most ${bound}` },
  exclusiveMinimum: (bound) => ({ fits: (value) => value > bound, message: `must be more than ${bound}` }),
  exclusiveMaximum: (bound) => ({ fits: (value) => value < bound, message: `must be less than ${bound}` }),
  multipleOf: (bound) => ({ fits: (value) => isMultiple(value, bound), message: `must be a multiple of ${bound}` }),
};

const lengthKeywords: Readonly<Record<string, KeywordCheck<string, number>>> = {
  minLength: (bound) => ({
    fits: (text) => text.length >= bound && characters(text) >= bound,
    message: `must have at least ${counted(bound, "character")}`,
  }),
  maxLength: (bound) => ({
    fits: (text) => text.length <= bound || characters(text) <= bound,
    message: `must have at most ${counted(bound, "character")}`,
  }),
};

const stringKeywords: Readonly<Record<string, KeywordCheck<string, string>>> = {
  pattern: (pattern) => {
    const fits = safePattern(pattern);
    return fits && { fits, message: `must match the pattern ${pattern}` };
  },
  format: (format) => {
    const fits = own(stringFormats, format);
    return fits && { fits, message: `must be a valid ${format}` };
  },
};

const listKeywords: Readonly<Record<string, KeywordCheck<unknown[], number>>> = {
  minItems: (bound) => ({
    fits: (list) => list.length >= bound,
    message: `must have at least ${counted(bound, "entry", "entries")}`,
  }),
  maxItems: (bound) => ({
    fits: (list) => list.length <= bound,
    message: `must have at most ${counted(bound, "entry", "entries")}`,
  }),
};

const sizeKeywords: Readonly<Record<string, KeywordCheck<JsonObject, number>>> = {
  minProperties: (bound) => ({
    fits: (object) => Object.keys(object).length >= bound,
    message: `must have at least ${counted(bound, "property", "properties")}`,
  }),
  maxProperties: (bound) => ({
    fits: (object) => Object.keys(object).length <= bound,
    message: `must have at most ${counted(bound, "property", "properties")}`,
  }),
};

/** The checks of a table, for the keywords that a schema has. Values of other types never get here. */
function fromTable<Value, Bound>(
  table: Readonly<Record<string, KeywordCheck<Value, Bound>>>,
  isBound: (value: unknown) => value is Bound,
  schema: JsonObject,
): Check[] {
  return Object.keys(table).flatMap((keyword) => {
    const bound = schema[keyword];
    const rule = isBound(bound) ? table[keyword]!(bound, schema) : undefined;
    // The caller runs these on values of the table's type alone.
    return rule
      ? [(value: unknown, visit) => rule.fits(value as Value) || fail(visit, `${rule.message}, got ${shown(value)}`)]
      : [];
  });
}

const isNumber = (value: unknown): value is number => typeof value === "number";
const isString = (value: unknown): value is string => typeof value === "string";

/** What a schema asks of numbers. */
export const numberChecks = (schema: JsonObject): Check[] => fromTable(numberKeywords, isNumber, schema);

/** What a schema asks of strings. */
export const stringChecks = (schema: JsonObject): Check[] => [
  ...fromTable(lengthKeywords, isNumber, schema),
  ...fromTable(stringKeywords, isString, schema),
];

/** `enum` and `const`. */
export function choiceChecks({ enum: choices, const: constant }: JsonObject): Check[] {
  const checks: Check[] = [];
  if (Array.isArray(choices)) {
    const plain = new Set(choices);
    const isChoice = (value: unknown): boolean =>
      plain.has(value) || (typeof value === "object" && choices.some((choice) => sameJson(choice, value)));
    checks.push((value, visit) => isChoice(value) || failChoice(visit, choices, value));
  }
  if (constant !== undefined) checks.push((value, visit) => sameJson(constant, value) || failChoice(visit, [constant], value));
  return checks;
}

/** What a schema asks of lists. */
export function listChecks(schema: JsonObject, compile: Compile): Check[] {
  const { first, rest } = listParts(schema);
  const checks = fromTable(listKeywords, isNumber, schema);
  if (first.length > 0 || !fitsAnything(rest)) checks.push(entriesCheck(first.map(compile), compile(rest)));
  if (schema["uniqueItems"] === true)
    checks.push((list, visit) => {
      const entries = list as unknown[];
      return new Set(entries.map(canonical)).size === entries.length || fail(visit, "must not contain the same entry twice");
    });
  if (schema["contains"] !== undefined) checks.push(containsCheck(schema, compile(schema["contains"])));
  return checks;
}

function entriesCheck(first: readonly Check[], rest: Check): Check {
  return (list, visit) => {
    let fits = true;
    const entries = list as unknown[];
    for (let at = 0; at < entries.length; at += 1) {
      if (checkAt(visit, at, entries[at], first[at] ?? rest)) continue;
      fits = false;
      if (!visit.problems) return false;
    }
    return fits;
  };
}

function containsCheck({ minContains, maxContains }: JsonObject, check: Check): Check {
  const least = isNumber(minContains) ? minContains : 1;
  const most = isNumber(maxContains) ? maxContains : Infinity;
  return (list, visit) => {
    const { problems } = visit;
    visit.problems = undefined;
    const count = (list as unknown[]).filter((entry) => check(entry, visit)).length;
    visit.problems = problems;
    return (count >= least && count <= most) || fail(visit, `contains ${count} entries that match \`contains\``);
  };
}

/** What a schema asks of objects. */
export function objectChecks(schema: JsonObject, compile: Compile): Check[] {
  const checks = fromTable(sizeKeywords, isNumber, schema);
  const required = strings(schema["required"]);
  const described = Object.keys(schemaMap(schema["properties"]));
  if (required.length > 0) checks.push(requiredCheck(required, described));
  if (["properties", "patternProperties", "additionalProperties"].some((keyword) => schema[keyword] !== undefined))
    checks.push(propertiesCheck(schema, compile));
  if (schema["propertyNames"] !== undefined) checks.push(namesCheck(compile(schema["propertyNames"])));
  for (const [name, wanted] of Object.entries(schemaMap(schema["dependentRequired"])))
    checks.push(ifPresent(name, requiredCheck(strings(wanted), described)));
  for (const [name, wanted] of Object.entries(schemaMap(schema["dependentSchemas"])))
    checks.push(ifPresent(name, compile(wanted)));
  return checks;
}

const ifPresent =
  (name: string, check: Check): Check =>
  (value, visit) =>
    !Object.hasOwn(value as JsonObject, name) || check(value, visit);

const requiredCheck =
  (names: readonly string[], described: readonly string[]): Check =>
  (value, visit) => {
    const missing = names.filter((name) => !Object.hasOwn(value as JsonObject, name));
    for (const name of missing) failAt(visit, name, "is required", { described });
    return missing.length === 0;
  };

const namesCheck =
  (check: Check): Check =>
  (value, visit) =>
    Object.keys(value as JsonObject).every((name) => checkAt(visit, name, name, check));

function propertiesCheck(schema: JsonObject, compile: Compile): Check {
  const known = new Map(Object.entries(schemaMap(schema["properties"])).map(([name, inner]) => [name, compile(inner)]));
  const patterns = Object.entries(schemaMap(schema["patternProperties"])).flatMap(([pattern, inner]) => {
    const fits = safePattern(pattern);
    return fits ? [{ fits, check: compile(inner) }] : [];
  });
  const { additionalProperties: others } = schema;
  const otherCheck = fitsAnything(others) ? undefined : compile(others);
  const names = known.size > 0 ? `; its properties are ${[...known.keys()].slice(0, 30).join(", ")}` : "";
  return (object, visit) => {
    let fits = true;
    for (const name of Object.keys(object as JsonObject)) {
      const value = (object as JsonObject)[name];
      const check = known.get(name);
      const matching = patterns.length > 0 ? patterns.filter((pattern) => pattern.fits(name)) : patterns;
      if (check) fits = checkAt(visit, name, value, check) && fits;
      for (const pattern of matching) fits = checkAt(visit, name, value, pattern.check) && fits;
      if (!check && matching.length === 0 && otherCheck) {
        const isAllowed =
          others === false
            ? failAt(visit, name, `is not a property of this object${names}`)
            : checkAt(visit, name, value, otherCheck);
        fits &&= isAllowed;
      }
      if (!fits && !visit.problems) return false;
    }
    return fits;
  };
}

import { isObject, own, type JsonObject } from "../model/guards.ts";
import type { JsonType } from "./json-schema.ts";

/** What becomes of a keyword in a strict schema. One that has no rule here is dropped. */
interface KeywordRule {
  /** The types that it speaks of; on values of others it says nothing. */
  types?: readonly JsonType[];
  /** Whether strict schemas take it with this value; where they do not, it is told in the description. */
  keeps?(value: unknown): boolean;
  /** Whether it says nothing with this value, and can be left out without a word. */
  isIdle?(value: unknown): boolean;
}

const isNumber = (value: unknown): boolean => typeof value === "number";
const isFalse = (value: unknown): boolean => value === false;
const isZero = (value: unknown): boolean => value === 0;

const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Looking around and back-references are beyond the grammars that strict schemas become. */
const isPlainPattern = (value: unknown): boolean => typeof value === "string" && !/\(\?<?[=!]|\\[1-9]|\\k</.test(value);

const numbers = { types: ["number", "integer"], keeps: isNumber } as const satisfies KeywordRule;
// What a JavaScript integer can be anyway; schema libraries write it out.
const lowest = { ...numbers, isIdle: (value: unknown) => value === Number.MIN_SAFE_INTEGER } satisfies KeywordRule;
const highest = { ...numbers, isIdle: (value: unknown) => value === Number.MAX_SAFE_INTEGER } satisfies KeywordRule;

const keywordRules: Readonly<Record<string, KeywordRule>> = {
  pattern: { types: ["string"], keeps: isPlainPattern },
  format: { types: ["string"], keeps: (value) => formats.has(value) },
  minLength: { types: ["string"], isIdle: isZero },
  maxLength: { types: ["string"] },
  contentEncoding: { types: ["string"] },
  contentMediaType: { types: ["string"] },
  contentSchema: { types: ["string"] },
  minimum: lowest,
  maximum: highest,
  exclusiveMinimum: { ...numbers, isIdle: isFalse },
  exclusiveMaximum: { ...numbers, isIdle: isFalse },
  multipleOf: numbers,
  minItems: { types: ["array"], keeps: isNumber },
  maxItems: { types: ["array"], keeps: isNumber },
  uniqueItems: { types: ["array"], isIdle: isFalse },
  contains: { types: ["array"] },
  minContains: { types: ["array"] },
  maxContains: { types: ["array"] },
  minProperties: { types: ["object"], isIdle: isZero },
  maxProperties: { types: ["object"] },
  propertyNames: { types: ["object"], isIdle: (value) => isObject(value) && Object.keys(value).join() === "type" },
  dependentRequired: { types: ["object"] },
  default: {},
  example: {},
  examples: {},
  deprecated: { isIdle: isFalse },
  readOnly: { isIdle: isFalse },
  writeOnly: { isIdle: isFalse },
};

/** Keywords that strict schemas cannot do without meaning something else. */
export const refusedKeywords: readonly string[] = [
  "not",
  "if",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "$dynamicRef",
  "$recursiveRef",
];

/** Keywords that the conversion itself deals with, and those that speak to tools rather than of values. */
const handled: ReadonlySet<string> = new Set([
  ...listed("$ref $defs definitions $schema $id $anchor $comment $dynamicAnchor $vocabulary"),
  ...listed("type nullable enum const title description anyOf oneOf allOf then else"),
  ...listed("properties required additionalProperties unevaluatedProperties"),
  ...listed("items prefixItems additionalItems unevaluatedItems"),
  ...refusedKeywords,
]);

/** Keywords that tell something of a schema but ask nothing of values. */
export const annotations: ReadonlySet<string> = new Set([
  ...listed("title description default example examples deprecated readOnly writeOnly"),
  ...listed("$schema $id $anchor $comment $defs definitions"),
]);

function listed(names: string): string[] {
  return names.split(" ");
}

/** Keywords that speak of one type only, and so tell the type of a schema that names none. */
export const typeHints: readonly (readonly [JsonType, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", ...hintsOf("object")]],
  ["array", ["items", "prefixItems", ...hintsOf("array")]],
  ["string", hintsOf("string")],
  ["number", hintsOf("number")],
];

function hintsOf(type: JsonType): string[] {
  return Object.keys(keywordRules).filter((keyword) => keywordRules[keyword]?.types?.includes(type));
}

/** The keywords of a schema, by what becomes of them. */
interface Sorted {
  kept: JsonObject;
  /** For the description. */
  told: JsonObject;
  dropped: string[];
}

/** Sorts the keywords that say something of values of a type; without a type, those that say something of any. */
export function sortKeywords(schema: JsonObject, type?: JsonType): Sorted {
  const sorted: Sorted = { kept: {}, told: {}, dropped: [] };
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || handled.has(keyword)) continue;
    const rule = own(keywordRules, keyword);
    if (!rule) sorted.dropped.push(keyword);
    else if (rule.isIdle?.(value) || (rule.types && (!type || !rule.types.includes(type)))) continue;
    else if (rule.keeps?.(value)) sorted.kept[keyword] = value;
    else sorted.told[keyword] = value;
  }
  return sorted;
}

const longestWord = 300;

/** A description with keywords told in it: `A city. (minLength: 1)`. */
export function tell(description: unknown, told: JsonObject): string | undefined {
  const words = Object.entries(told).map(([keyword, value]) => {
    const text = JSON.stringify(value) ?? "";
    return `${keyword}: ${text.length > longestWord ? `${text.slice(0, longestWord)}…` : text}`;
  });
  const parts = [typeof description === "string" ? description : "", words.length > 0 ? `(${words.join(", ")})` : ""];
  return parts.filter(Boolean).join(" ") || undefined;
}

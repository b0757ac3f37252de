import { isObject, type JsonObject } from "../../model/guards.ts";
import type { JsonSchema } from "../../model/index.ts";
import { mentions, readFacts, type Facts } from "./facts.ts";
import { fillArray, fillObject } from "./schema/containers.ts";
import { fits, listOf } from "./schema/fits.ts";
import type { Job, Place } from "./schema/job.ts";
import { flatten, mergeTwo } from "./schema/merge.ts";
import { startAnew, step, tooMuch } from "./schema/patience.ts";
import { firstFit, inventNumber, inventString, knownString } from "./schema/scalars.ts";

const deepest = 64;

/**
 * A value that is valid under a JSON Schema, with what a text offers (numbers, places, quotations, members of an enumeration) in
 * its place. The same schema and text give the same value.
 *
 * @example
 * fillSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }, "Weather in Oslo?"); // { city: "Oslo" }
 */
export const fillSchema = (schema: JsonSchema | boolean, seedText: string): unknown =>
  fillFrom(schema, readFacts(seedText), { invent: true });

/** The same from facts that were read already; without `invent`, optional properties are left out where the text has none. */
export function fillFrom(schema: unknown, facts: Facts, { invent }: { invent: boolean }): unknown {
  const root = isObject(schema) ? schema : {};
  startAnew(root);
  const job: Job = { root, facts, invent, numbersUsed: 0, fill: (inner, at) => fill(inner, at, job) };
  try {
    return job.fill(schema, { name: "", salt: 0, depth: 0, trail: ["#"], brief: false }) ?? null;
  } catch (thrown) {
    // Some references lead around in a circle until the stack is full.
    throw thrown instanceof RangeError ? tooMuch() : thrown;
  }
}

function fill(schema: unknown, at: Place, job: Job): unknown {
  step(job.root);
  if (at.depth > deepest) return undefined;
  const { schema: flat, refs } = flatten(schema, job.root);
  if (!flat) return undefined;
  const brief = at.brief || refs.some((ref) => at.trail.includes(ref));
  const place: Place = { ...at, trail: [...at.trail, ...refs], brief };
  const branches = flat["anyOf"] ?? flat["oneOf"];
  if (Array.isArray(branches)) return fillBranch(flat, branches, place, job);
  if (Object.hasOwn(flat, "const")) return firstFit([flat["const"]], flat, job.root);
  if (Array.isArray(flat["enum"])) return member(flat, flat["enum"], place, job);
  const ready = offered(flat, place, job);
  return ready === undefined ? fillType(flat, place, job) : ready;
}

/** What the text or the schema itself offers. */
function offered(schema: JsonObject, at: Place, job: Job): unknown {
  const text = at.name === "" ? undefined : knownString(schema, at, job.facts, job.root);
  if (text !== undefined) return text;
  return at.salt === 0 ? firstFit([schema["default"], ...listOf(schema["examples"])], schema, job.root) : undefined;
}

// A member that the text mentions is better than any other.
function member(schema: JsonObject, members: unknown[], at: Place, job: Job): unknown {
  const fitting = members.filter((value) => fits(schema, value, job.root));
  const mentioned = fitting.filter((value) => typeof value === "string" && mentions(job.facts, value));
  return mentioned[at.salt] ?? fitting[at.salt % fitting.length];
}

function fillBranch(schema: JsonObject, branches: unknown[], at: Place, job: Job): unknown {
  const { anyOf, oneOf, ...rest } = schema;
  const own: JsonObject = anyOf === undefined || oneOf === undefined ? rest : { ...rest, oneOf };
  let fallback: unknown;
  for (const branch of ordered(branches, at, job)) {
    const { schema: flat, refs } = flatten(branch, job.root);
    // What the other branches accept is barred where only one may.
    const others = oneOf === branches ? { not: { anyOf: branches.filter((other) => other !== branch) } } : {};
    const merged = flat && mergeTwo(flat, { ...others, ...own });
    const brief = at.brief || refs.some((ref) => at.trail.includes(ref));
    const value = merged && fill(merged, { ...at, depth: at.depth + 1, trail: [...at.trail, ...refs], brief }, job);
    if (value !== undefined && fits(schema, value, job.root)) return value;
    fallback ??= value;
  }
  return fallback;
}

/** The branches in the order in which to try them: null last, or first where the value must be brief. */
function ordered(branches: unknown[], at: Place, job: Job): unknown[] {
  const weighed = branches.map((branch) => ({ branch, weight: weigh(branch, job) }));
  if (at.brief) return weighed.toSorted((a, b) => a.weight - b.weight).map(({ branch }) => branch);
  const filled = weighed.filter(({ weight }) => weight > 0).map(({ branch }) => branch);
  const turn = filled.length > 0 ? at.salt % filled.length : 0;
  return [
    ...filled.slice(turn),
    ...filled.slice(0, turn),
    ...weighed.filter(({ weight }) => weight === 0).map(({ branch }) => branch),
  ];
}

const weights: Readonly<Record<string, number>> = { null: 0, array: 2, object: 3 };

function weigh(branch: unknown, job: Job): number {
  const { schema } = flatten(branch, job.root);
  if (!schema) return 9;
  if (schema["const"] === null) return 0;
  return Math.min(...typesOf(schema).map((type) => weights[type] ?? 1));
}

type Filler = (schema: JsonObject, at: Place, job: Job) => unknown;

const number =
  (whole: boolean): Filler =>
  (schema, at, job) => {
    const limit = whole ? { ...schema, type: "integer" } : schema;
    const next = job.facts.numbers.slice(job.numbersUsed).find((value) => fits(limit, value, job.root));
    if (next === undefined) return inventNumber(schema, at, job.facts, whole, job.root);
    job.numbersUsed = job.facts.numbers.indexOf(next, job.numbersUsed) + 1;
    return next;
  };

const fillers: Readonly<Record<string, Filler>> = {
  null: () => null,
  boolean: (_, at, job) => (job.facts.seed + at.salt) % 2 === 0,
  string: (schema, at, job) => inventString(schema, at, job.facts),
  number: number(false),
  integer: number(true),
  array: fillArray,
  object: fillObject,
};

function fillType(schema: JsonObject, at: Place, job: Job): unknown {
  // A type that there is not is nothing to be filled.
  const types = typesOf(schema).filter((type) => Object.hasOwn(fillers, type));
  const full = types.filter((type) => type !== "null");
  const light = at.brief ? types.toSorted((a, b) => (weights[a] ?? 1) - (weights[b] ?? 1)) : [...full, ...types];
  return fillers[light[0] ?? "null"]?.({ ...schema, type: light[0] }, at, job);
}

// Keywords tell the type of a schema that leaves it out.
const hints: readonly (readonly [string, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  return [hints.find(([, keywords]) => keywords.some((keyword) => Object.hasOwn(schema, keyword)))?.[0] ?? "string"];
}

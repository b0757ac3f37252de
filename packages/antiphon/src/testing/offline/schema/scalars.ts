import type { JsonObject } from "../../../model/guards.ts";
import { mentions, stringsFor, type Facts } from "../facts.ts";
import { hashNumber } from "../../../core/hash.ts";
import { words } from "../words.ts";
import { fits } from "./fits.ts";
import { formatOf } from "./formats.ts";
import type { Job, Place } from "./job.ts";
import { flatten } from "./merge.ts";
import { tooMuch } from "./patience.ts";
import { fillPattern } from "./pattern.ts";

const longestText = 1_000_000;

const numberIn = (schema: JsonObject, keyword: string): number | undefined => {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
};

/** The first of some values that a schema allows. */
export const firstFit = (candidates: readonly unknown[], schema: JsonObject, root: JsonObject): unknown =>
  candidates.find((value) => value !== undefined && fits(schema, value, root));

/** The string from the prompt that a property asks for, if there is one. */
export function knownString(schema: JsonObject, spot: Pick<Place, "name" | "salt">, facts: Facts, root: JsonObject): unknown {
  const known = stringsFor(spot.name, facts);
  const turned = spot.salt < known.length ? [known[spot.salt], ...known] : [];
  return firstFit(turned, schema, root);
}

/** Whether the text itself has a value for a property, so that it need not be made up. */
export function isKnown(name: string, schema: unknown, { facts, root }: Job): boolean {
  const { schema: flat } = flatten(schema, root);
  if (!flat) return false;
  const { enum: members } = flat;
  if (Array.isArray(members)) return members.some((value) => typeof value === "string" && mentions(facts, value));
  return knownString(flat, { name, salt: 0 }, facts, root) !== undefined;
}

/** A string that a schema allows: by format, by pattern or made up from the property's name. */
export function inventString(schema: JsonObject, spot: Pick<Place, "name" | "salt">, facts: Facts): string {
  const shortest = numberIn(schema, "minLength") ?? 0;
  if (shortest > longestText) throw tooMuch();
  const longest = numberIn(schema, "maxLength") ?? Number.POSITIVE_INFINITY;
  const { pattern, format } = schema;
  const sample = formatOf(format)?.sample((facts.seed % 97) + spot.salt);
  if (sample !== undefined && fits({ pattern, minLength: shortest, maxLength: longest }, sample, {})) return sample;
  const patterned = typeof pattern === "string" ? fillPattern(pattern, spot.salt, shortest, longest) : undefined;
  return patterned ?? sample ?? sized(`sample ${words(spot.name).join(" ") || "text"}`, spot.salt, shortest, longest);
}

const filler = " and so on";

// The number stands where a cut cannot reach it, so that short strings differ, too.
function sized(label: string, salt: number, shortest: number, longest: number): string {
  const numbered = salt === 0 ? label : `${label} ${salt + 1}`;
  const letters = Array.from(numbered);
  const whole = letters.length <= longest ? letters : Array.from(`${salt === 0 ? "" : salt + 1}${label}`);
  const filling = Array.from({ length: Math.max(0, shortest - whole.length) }, (_, index) => filler[index % filler.length]);
  return [...whole, ...filling].slice(0, longest).join("");
}

/** A number that a schema allows: a small positive one where it may be, else one near to a bound. */
export function inventNumber(
  schema: JsonObject,
  spot: Pick<Place, "name" | "salt">,
  facts: Facts,
  whole: boolean,
  root: JsonObject,
): number {
  const step = numberIn(schema, "multipleOf") ?? 1;
  const [low, high] = range(schema);
  const turn = facts.seed + hashNumber(spot.name) + spot.salt;
  const limit: JsonObject = whole ? { ...schema, type: "integer" } : schema;
  const candidates = [
    ...grid(Math.max(low, 1), high, step, turn),
    ...grid(low, high, step, turn),
    // Further multiples, for steps that only seldom hit a whole number.
    ...(whole && !Number.isInteger(step)
      ? Array.from({ length: 1_000 }, (_, index) => (Math.ceil(low / step) + index) * step)
      : []),
    ...(whole ? [] : [(low + high) / 2, low, high, low + step / 2, high - step / 2]),
  ];
  const found = firstFit(candidates, limit, root);
  return typeof found === "number" ? found : 0;
}

const gridSize = 101;

/** Multiples of a step between two bounds, at most 101 of them, beginning with another one each turn. */
function grid(low: number, high: number, step: number, turn: number): number[] {
  const last = Math.floor(high / step);
  const first = Number.isFinite(low) ? Math.ceil(low / step) : last - gridSize + 1;
  const size = Math.max(0, Math.min(last - first + 1, gridSize));
  return Array.from({ length: size }, (_, index) => (first + ((turn + index) % size)) * step);
}

function range(schema: JsonObject): [number, number] {
  const low = Math.max(numberIn(schema, "minimum") ?? -Infinity, numberIn(schema, "exclusiveMinimum") ?? -Infinity);
  const high = Math.min(numberIn(schema, "maximum") ?? Infinity, numberIn(schema, "exclusiveMaximum") ?? Infinity);
  return [low, high];
}

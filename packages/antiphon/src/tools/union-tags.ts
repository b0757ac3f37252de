import { isObject, type JsonObject } from "../model/guards.ts";
import { schemaMap, strings } from "./json-schema.ts";

/** The branches that a value of the tag leaves possible. */
interface Tagged {
  /** The one branch that lists the value. */
  meant: number;
  /** That branch, and those without constants for the tag. */
  candidates: readonly number[];
}

/** A property whose constants tell the branches of a union apart, such as `type`. Branches are positions in the union. */
export interface Tags {
  name: string;
  byValue: ReadonlyMap<string, Tagged>;
  /** All values of the tag, in order. */
  allowed: readonly string[];
  /** The branches without constants for the tag. */
  others: readonly number[];
  /** The branches that accept an object without the tag. */
  withoutTag: readonly number[];
  /** Returns the one of those that misses the fewest required properties of an object. */
  likelyWithoutTag(value: JsonObject): number | undefined;
}

/** Returns the strings that a property of a branch may be, if the schema lists them. */
function constantsOf(branch: unknown, name: string): string[] {
  const property = schemaMap(isObject(branch) ? branch["properties"] : undefined)[name];
  if (!isObject(property)) return [];
  return strings(property["enum"] ?? [property["const"]]);
}

/**
 * Finds the tag of a union: the property with constants in the most branches, each constant in one branch. Returns
 * `undefined` for a union without one.
 */
export function tagsOf(branches: readonly unknown[]): Tags | undefined {
  const names = new Set(
    branches.flatMap((branch) => Object.keys(schemaMap(isObject(branch) ? branch["properties"] : undefined))),
  );
  let best: { name: string; owners: Map<string, number>; count: number } | undefined;
  for (const name of names) {
    const constants = branches.map((branch) => constantsOf(branch, name));
    const owners = new Map(constants.flatMap((values, at) => values.map((value) => [value, at] as const)));
    const count = constants.filter((values) => values.length > 0).length;
    const isUnique = owners.size === constants.reduce((sum, values) => sum + new Set(values).size, 0);
    if (isUnique && count > (best?.count ?? 1)) best = { name, owners, count };
  }
  return best && tagsFrom(best.name, best.owners, branches);
}

function tagsFrom(name: string, owners: ReadonlyMap<string, number>, branches: readonly unknown[]): Tags {
  const tagged = new Set(owners.values());
  const required = branches.map((branch) => strings(isObject(branch) ? branch["required"] : undefined));
  const places = [...branches.keys()];
  const others = places.filter((at) => !tagged.has(at));
  const withoutTag = places.filter((at) => !required[at]!.includes(name));
  const missing = (value: JsonObject, at: number): number => required[at]!.filter((field) => !Object.hasOwn(value, field)).length;
  return {
    name,
    byValue: new Map([...owners].map(([value, at]) => [value, { meant: at, candidates: [at, ...others] }])),
    allowed: [...owners.keys()],
    others,
    withoutTag,
    likelyWithoutTag: (value) =>
      withoutTag.reduce<number | undefined>(
        (best, at) => (best === undefined || missing(value, at) < missing(value, best) ? at : best),
        undefined,
      ),
  };
}

import { isObject, own } from "../model/guards.ts";

/** A place where two JSON values differ. */
export interface Difference {
  /** `input[0].content`; `the body` where the values differ as a whole. */
  path: string;
  /** What stands there, shortened; `nothing` where it is absent. */
  left: string;
  right: string;
}

/** Every place where two JSON values differ, whatever the order of their keys, but for those that a pattern like `input[*].id` names. */
export function differences(left: unknown, right: unknown, ignore: readonly string[] = []): Difference[] {
  const ignored = ignore.map(asPattern);
  const found: Difference[] = [];
  const compare = (a: unknown, b: unknown, path: string): void => {
    if (a === b || ignored.some((pattern) => pattern.test(path))) return;
    const keys = keysOf(a, b);
    if (!keys) found.push({ path: path || "the body", left: shown(a), right: shown(b) });
    else for (const key of keys) compare(at(a, key), at(b, key), joined(path, key));
  };
  compare(left, right, "");
  return found;
}

/** The path of the first difference, or nothing where there is none; some keys may differ wherever they stand. */
export function firstDifference(a: unknown, b: unknown, ignore: ReadonlySet<string> = new Set(), path = ""): string | undefined {
  if (Object.is(a, b)) return undefined;
  for (const key of keysOf(a, b) ?? []) {
    if (ignore.has(String(key))) continue;
    const found = firstDifference(at(a, key), at(b, key), ignore, joined(path, key));
    if (found !== undefined) return found;
  }
  return keysOf(a, b) ? undefined : path || "the value";
}

/** What two values of one shape have in common to compare; nothing where their shapes differ. */
function keysOf(a: unknown, b: unknown): (string | number)[] | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return [...(a.length > b.length ? a : b).keys()];
  return isObject(a) && isObject(b) ? [...new Set([...Object.keys(a), ...Object.keys(b)])] : undefined;
}

function at(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? own(value, `${key}`) : undefined;
}

const joined = (path: string, key: string | number): string =>
  typeof key === "number" ? `${path}[${key}]` : path ? `${path}.${key}` : key;

function asPattern(path: string): RegExp {
  const source = path
    .replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")
    .replaceAll("\\[\\*\\]", "\\[\\d+\\]")
    .replaceAll("\\*", "[^.[\\]]+");
  return new RegExp(`^${source}$`);
}

const longest = 80;
const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

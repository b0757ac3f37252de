import { isObject } from "../model/guards.ts";

/** The path of the first difference between two JSON values, or nothing where they are the same. Keys whose value is `undefined` count as absent. */
export function firstDifference(a: unknown, b: unknown, ignore: ReadonlySet<string> = new Set(), path = ""): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return `${path}.length`;
    return firstOf(a.keys(), (index) => firstDifference(a[index], b[index], ignore, `${path}[${index}]`));
  }
  if (!isObject(a) || !isObject(b)) return path || "value";
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return firstOf(keys, (key) =>
    ignore.has(key) ? undefined : firstDifference(a[key], b[key], ignore, path ? `${path}.${key}` : key),
  );
}

function firstOf<K>(keys: Iterable<K>, find: (key: K) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

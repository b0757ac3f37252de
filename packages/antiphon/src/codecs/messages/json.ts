import { isObject } from "../../model/guards.ts";

/** The value that a text is in JSON, or nothing where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether two JSON values differ; keys whose value is `undefined` count as absent. */
export function differs(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return false;
  if (!isObject(a) || !isObject(b)) return true;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].some((key) => differs(a[key], b[key]));
}

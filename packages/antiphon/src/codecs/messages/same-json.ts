import { isObject } from "../../model/guards.ts";

/** Whether two JSON values differ; keys whose value is `undefined` count as absent. */
export function differs(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return false;
  if (!isObject(a) || !isObject(b)) return true;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].some((key) => differs(a[key], b[key]));
}

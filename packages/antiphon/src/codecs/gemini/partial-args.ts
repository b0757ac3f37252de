import { isObject, type JsonObject } from "../../model/guards.ts";
import { objectsIn } from "./wire.ts";

type Container = JsonObject | unknown[];

/** Puts together the arguments of a call whose values arrive one by one, each at a JSON path: `$.city`, `$.days[0].hot`. */
export class PartialArgs {
  readonly args: JsonObject = {};

  push(partials: unknown): void {
    for (const partial of objectsIn(partials)) {
      const path = typeof partial["jsonPath"] === "string" ? keysOf(partial["jsonPath"]) : [];
      const value = valueOf(partial);
      if (path.length > 0 && value !== undefined) put(this.args, path, value);
    }
  }
}

/** The steps of a path; names in quotes may hold anything. */
function keysOf(path: string): (string | number)[] {
  return [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g)].map(
    ([, name, index, single, double]) => (index === undefined ? (name ?? single ?? double ?? "") : Number(index)),
  );
}

function valueOf(partial: JsonObject): unknown {
  if ("nullValue" in partial) return null;
  return partial["stringValue"] ?? partial["numberValue"] ?? partial["boolValue"];
}

function put(root: JsonObject, path: readonly (string | number)[], value: unknown): void {
  let holder: Container = root;
  for (const [at, key] of path.slice(0, -1).entries()) {
    const inner = own(holder, key);
    const next: Container = isObject(inner) || Array.isArray(inner) ? inner : typeof path[at + 1] === "number" ? [] : {};
    if (inner !== next) define(holder, key, next);
    holder = next;
  }
  const last = path.at(-1)!;
  const before = own(holder, last);
  // A string comes in pieces; everything else comes whole.
  define(holder, last, typeof before === "string" && typeof value === "string" ? before + value : value);
}

// Only what a holder has itself is read and written: a name like `__proto__` must not reach beyond the arguments.
const own = (holder: Container, key: string | number): unknown =>
  Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;

function define(holder: Container, key: string | number, value: unknown): void {
  // A list grows by one at a time, whatever its server says.
  const place = Array.isArray(holder) && typeof key === "number" ? Math.min(key, holder.length) : key;
  Object.defineProperty(holder, place, { value, writable: true, enumerable: true, configurable: true });
}

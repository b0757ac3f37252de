import { isObject, type JsonObject } from "../model/guards.ts";

/** A path through JSON in which lists have no index and typed objects show their type: `item<message>.content[]<output_text>.text`. */
type Path = string;

const step = (path: Path, key: string, value: unknown): Path => {
  const named = path === "" ? key : `${path}.${key}`;
  return isObject(value) && typeof value["type"] === "string" ? `${named}<${value["type"]}>` : named;
};

const typed = (value: JsonObject): Path => (typeof value["type"] === "string" ? `<${value["type"]}>` : "");

/** Notes which fields of JSON values are looked at, and which exist at all. */
export class ReadLog {
  readonly #seen = new Set<Path>();
  readonly #read = new Set<Path>();

  /** The same value, behind a glass that remembers who looked. */
  watch<T>(value: T, path: Path = isObject(value) ? typed(value) : ""): T {
    if (typeof value !== "object" || value === null) return value;
    this.#note(value, path);
    // A proxy of the value's own kind: whoever reads it cannot tell.
    return new Proxy(value, { get: (target, key) => this.#get(target, key, path) });
  }

  /** Fields that came and that nobody ever looked at, in order. */
  unread(): Path[] {
    return [...this.#seen].filter((path) => !this.#read.has(path)).sort();
  }

  #note(value: object, path: Path): void {
    if (Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) this.#seen.add(step(path, key, inner));
  }

  #get(target: object, key: string | symbol, path: Path): unknown {
    const value: unknown = Reflect.get(target, key);
    if (typeof key === "symbol" || typeof value === "function") return value;
    if (Array.isArray(target)) return this.watch(value, isObject(value) ? `${path}[]${typed(value)}` : `${path}[]`);
    const here = step(path, key, value);
    if (Object.hasOwn(target, key)) this.#read.add(here);
    return this.watch(value, here);
  }
}

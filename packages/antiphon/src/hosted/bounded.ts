import type { JsonObject } from "../model/guards.ts";

/** Half a picture is none: data like this is left out whole where it is too long. */
const isPicture = (key: string, text: string): boolean => key.endsWith("_b64") || text.startsWith("data:");

const deepest = 32;

/**
 * Copies a value as JSON, up to about so many characters in all: texts are cut and lists end where these are used up. `cut` has the
 * paths where something is missing.
 */
export class Bounded {
  readonly cut: string[] = [];
  #left: number;

  constructor(maxText: number) {
    this.#left = maxText;
  }

  object(value: object, path = "", depth = 0): JsonObject {
    const kept: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) {
      const copy = this.#value(inner, key, path ? `${path}.${key}` : key, depth);
      if (copy !== undefined) kept.push([key, copy]);
    }
    // Assigning would take a key `__proto__` for something else.
    return Object.fromEntries(kept);
  }

  /** What JSON has no word for is left out of objects, and is `null` in lists, as `JSON.stringify` has it. */
  #value(value: unknown, key: string, path: string, depth: number): unknown {
    if (typeof value === "string") return this.#text(value, key, path);
    this.#left -= 1;
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") return undefined;
    if (depth < deepest) return Array.isArray(value) ? this.#list(value, key, path, depth) : this.object(value, path, depth + 1);
    this.cut.push(path);
    return null;
  }

  #text(text: string, key: string, path: string): string {
    const room = Math.max(0, this.#left);
    if (text.length > room) this.cut.push(path);
    const kept = text.length > room && isPicture(key, text) ? "" : text.slice(0, room);
    this.#left -= kept.length;
    return kept;
  }

  #list(list: readonly unknown[], key: string, path: string, depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const [index, value] of list.entries()) {
      const at = `${path}[${index}]`;
      if (this.#left <= 0) {
        this.cut.push(at);
        break;
      }
      copy.push(this.#value(value, key, at, depth + 1) ?? null);
    }
    return copy;
  }
}

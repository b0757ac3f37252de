import type { JsonObject } from "../../model/guards.ts";

const snake = new Map<string, string>();

/** The name as the wire's binary form spells it: `function_declarations`. */
function snakeOf(name: string): string {
  let found = snake.get(name);
  if (found === undefined) snake.set(name, (found = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
  return found;
}

/** A field under either of the two spellings that the wire takes. */
export const field = (object: JsonObject, name: string): unknown => object[name] ?? object[snakeOf(name)];

/** All fields of an object under the wire's usual spelling. Only for objects whose keys are fields, not data. */
export const camelFields = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

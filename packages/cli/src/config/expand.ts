import { fromText, isTable, type Path, type Table } from "./check.ts";
import { isScalar, keyAt } from "./schema.ts";

/** A value that names a variable which is not set. */
export interface Unset {
  path: Path;
  variable: string;
}

const reference = /\$(\$)?\{(\w+)\}/g;

/** Whether a text has a variable to be put in. */
export const namesVariable = (text: string): boolean => [...text.matchAll(reference)].some(([, escaped]) => !escaped);

/**
 * Puts variables in the place of `${NAME}` in every string of a table; `$${NAME}` stays, less a dollar. What comes of it may be a
 * number where the key wants one. A value with a variable that is not set is left out, and told.
 */
export function expandTable(table: Table, env: Readonly<Record<string, string | undefined>>): { values: Table; unset: Unset[] } {
  const unset: Unset[] = [];
  const expand = (value: unknown, path: Path): unknown => {
    if (typeof value === "string") return expandText(value, path);
    if (Array.isArray(value))
      return value.map((entry, index) => expand(entry, [...path, String(index)])).filter((entry) => entry !== undefined);
    return isTable(value) ? expandEntries(value, path) : value;
  };
  const expandText = (text: string, path: Path): unknown => {
    let missing: string | undefined;
    const filled = text.replaceAll(reference, (whole, escaped: string | undefined, name: string) => {
      if (escaped) return whole.slice(1);
      const value = env[name];
      if (value === undefined) missing ??= name;
      return value ?? "";
    });
    if (missing === undefined) return filled === text ? text : typed(filled, path);
    unset.push({ path, variable: missing });
    return undefined;
  };
  const expandEntries = (entries: Table, path: Path): Table => {
    const pairs = Object.entries(entries).map(([name, value]) => [name, expand(value, [...path, name])] as const);
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  };
  return { values: expandEntries(table, []), unset };
}

function typed(text: string, path: Path): unknown {
  const key = keyAt(path);
  return key && isScalar(key) ? fromText(text, key) : text;
}

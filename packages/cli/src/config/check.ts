import { suggestion } from "../nearest.ts";
import type { Key, Keys, ScalarKey } from "./schema.ts";

/** A table as it comes out of a file. */
export type Table = Readonly<Record<string, unknown>>;
export type Path = readonly string[];

/** Something about a value that cannot be. */
export interface Problem {
  path: Path;
  message: string;
}

export const isTable = (value: unknown): value is Table => {
  if (typeof value !== "object" || value === null) return false;
  // Dates are objects, too; tables of the parser have no prototype at all.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

/** A path as it is written in a file; names that are no words are quoted, with nothing in them that a terminal would take for an order. */
export const written = (path: Path): string => path.map((name) => (/^[\w-]+$/.test(name) ? name : quoted(name))).join(".");

const quoted = (name: string): string =>
  JSON.stringify(name).replaceAll(/[\u007F-\u009F]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);

/** The path that `written` wrote. */
export const pathOf = (text: string): string[] =>
  [...text.matchAll(/"((?:\\[^]|[^"\\])*)"|([^."]+)/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? "") : quoted.replaceAll(/\\([^])/g, "$1"),
  );

/** What is wrong with a table: keys that there are not, and values of the wrong kind. */
export function problemsOf(table: Table, keys: Keys, path: Path = []): Problem[] {
  return Object.entries(table).flatMap(([name, value]): Problem[] => {
    const here = [...path, name];
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key) return wrongValue(value, key, here);
    return [{ path: here, message: `there is no key "${written(here)}"${suggestion(name, Object.keys(keys))}` }];
  });
}

function wrongValue(value: unknown, key: Key, path: Path): Problem[] {
  if (key.kind === "table" && isTable(value)) return problemsOf(value, key.keys, path);
  if (key.kind === "tables" && isTable(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      isTable(inner) ? problemsOf(inner, key.keys, [...path, name]) : [wants(inner, "a table", [...path, name])],
    );
  if (key.kind === "pairs" && isTable(value))
    return Object.entries(value).flatMap(([name, inner]) => (isString(inner) ? [] : [wants(inner, "a string", [...path, name])]));
  const wanted = wantedOf(value, key);
  if (wanted === undefined) return [];
  const meant = key.kind === "string" && isString(value) ? suggestion(value, key.values ?? []) : "";
  return [wants(value, wanted, path, meant)];
}

const wants = (value: unknown, wanted: string, path: Path, meant = ""): Problem => ({
  path,
  message: `${written(path)} wants ${wanted}, not ${shown(value)}${meant}`,
});

const longestShown = 60;

function shown(value: unknown): string {
  if (isTable(value)) return "a table";
  if (Array.isArray(value)) return "a list";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

const isString = (value: unknown): value is string => typeof value === "string";

/** What a key wants where a value is something else; of tables, what is in them was looked at before. */
const kinds: { [K in Key["kind"]]: (value: unknown, key: Extract<Key, { kind: K }>) => string | undefined } = {
  string: (value, { values }) => {
    if (!values) return isString(value) ? undefined : "a string";
    if (values.includes(String(value))) return undefined;
    return `one of ${values.join(", ")}`;
  },
  integer: (value, key) => (Number.isSafeInteger(value) ? outside(value, key) : `a whole number${range(key)}`),
  number: (value, key) => (Number.isFinite(value) ? outside(value, key) : `a number${range(key)}`),
  boolean: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  strings: (value) => (Array.isArray(value) && value.every(isString) ? undefined : "a list of strings"),
  pairs: () => "a table of strings",
  table: (value, { orBoolean }) =>
    orBoolean && typeof value === "boolean" ? undefined : `a table${orBoolean ? ", true or false" : ""}`,
  tables: () => "a table of tables",
  open: () => undefined,
};

// The table pairs each kind with its own check; looked up by name, the two can only be paired again by hand.
const wantedOf = (value: unknown, key: Key): string | undefined =>
  (kinds[key.kind] as (value: unknown, key: Key) => string | undefined)(value, key);

type Bounds = Extract<ScalarKey, { least: number }>;

const range = ({ least, most }: Bounds): string => (most === undefined ? ` from ${least} on` : ` from ${least} to ${most}`);

function outside(value: unknown, key: Bounds): string | undefined {
  const { least, most = Infinity } = key;
  const number = Number(value);
  return number >= least && number <= most ? undefined : `a ${key.kind === "integer" ? "whole " : ""}number${range(key)}`;
}

const switches: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

/** A value that came as text, from a variable or a flag. What it cannot be stays text, for the check to find. */
export function fromText(text: string, { kind }: ScalarKey): unknown {
  if (kind === "string") return text;
  if (kind === "boolean") return switches[text.trim().toLowerCase()] ?? text;
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}

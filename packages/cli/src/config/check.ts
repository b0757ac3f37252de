import { suggestion } from "../nearest.ts";
import type { Key, Keys, ScalarKey } from "./schema.ts";

/** A table of a configuration file. */
export type Table = Readonly<Record<string, unknown>>;
export type Path = readonly string[];

/** A key that does not exist, or a value of the wrong kind. */
export interface Problem {
  path: Path;
  message: string;
  /** What the value must be, after the name of its key: `must be a whole number, not "x"`. */
  rule?: string;
}

export const isTable = (value: unknown): value is Table => {
  if (typeof value !== "object" || value === null) return false;
  // Dates are objects too. The tables of the parser have no prototype.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};

/** Formats a path like a TOML key. Names with special characters are quoted, and control characters escaped. */
export const written = (path: Path): string => path.map((name) => (/^[\w-]+$/.test(name) ? name : quoted(name))).join(".");

const quoted = (name: string): string =>
  JSON.stringify(name).replaceAll(/[\u007F-\u009F]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);

/** Parses a path formatted by `written`. */
export const pathOf = (text: string): string[] =>
  [...text.matchAll(/"((?:\\[^]|[^"\\])*)"|([^."]+)/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? "") : quoted.replaceAll(/\\([^])/g, "$1"),
  );

/** Returns every problem of a table: unknown keys and values of the wrong kind. */
export function problemsOf(table: Table, keys: Keys, path: Path = []): Problem[] {
  return Object.entries(table).flatMap(([name, value]): Problem[] => {
    const here = [...path, name];
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key) return wrongValue(value, key, here);
    return [{ path: here, message: `unknown key "${written(here)}"${suggestion(name, Object.keys(keys))}` }];
  });
}

function wrongValue(value: unknown, key: Key, path: Path): Problem[] {
  if (key.kind === "table" && isTable(value)) return problemsOf(value, key.keys, path);
  if (key.kind === "tables" && isTable(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      isTable(inner)
        ? withDotHint(problemsOf(inner, key.keys, [...path, name]), inner, key, [...path, name])
        : [wants(inner, "a table", [...path, name])],
    );
  if (key.kind === "pairs" && isTable(value))
    return Object.entries(value).flatMap(([name, inner]) => (isString(inner) ? [] : [wants(inner, "a string", [...path, name])]));
  const wanted = wantedOf(value, key);
  if (wanted === undefined) return [];
  const meant = key.kind === "string" && isString(value) ? suggestion(value, key.values ?? []) : "";
  return [wants(value, wanted, path, meant)];
}

/** A table below an entry is usually the second half of a name with a dot in it: `[prices.gpt-4.1]`. */
function withDotHint(problems: Problem[], entry: Table, { keys }: Extract<Key, { kind: "tables" }>, path: Path): Problem[] {
  return problems.map((problem) => {
    const name = problem.path[path.length] ?? "";
    if (problem.path.length !== path.length + 1 || !isTable(entry[name]) || Object.hasOwn(keys, name)) return problem;
    return {
      ...problem,
      message: `unknown key "${written(problem.path)}"${dotHint(path.slice(0, -1), path.at(-1) ?? "", name)}`,
    };
  });
}

/** How to write a name with a dot in a TOML file. */
export const dotHint = (table: Path, first: string, second: string): string =>
  `; quote a name that contains a dot: [${written([...table, `${first}.${second}`])}]`;

const wants = (value: unknown, wanted: string, path: Path, meant = ""): Problem => {
  const rule = `must be ${wanted}, not ${shown(value)}${meant}`;
  return { path, message: `${written(path)} ${rule}`, rule };
};

const maxShown = 60;

function shown(value: unknown): string {
  if (isTable(value)) return "a table";
  if (Array.isArray(value)) return "a list";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const isString = (value: unknown): value is string => typeof value === "string";

/** Checks a value by the kind of its key. Returns what it must be, or `undefined` if it is valid. */
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

// The lookup by kind loses the pairing of the table, so the type is asserted.
const wantedOf = (value: unknown, key: Key): string | undefined =>
  (kinds[key.kind] as (value: unknown, key: Key) => string | undefined)(value, key);

type Bounds = Extract<ScalarKey, { least: number }>;

const range = ({ least, most }: Bounds): string => (most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`);

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

/** Parses the text of a variable or an option. A value of the wrong kind stays text, so that the check reports it. */
export function fromText(text: string, { kind }: ScalarKey): unknown {
  if (kind === "string") return text;
  if (kind === "boolean") return switches[text.trim().toLowerCase()] ?? text;
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}

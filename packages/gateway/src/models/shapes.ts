import { nearest } from "antiphon";

export type Path = readonly (string | number)[];

/** Something about a configuration that cannot be. */
export interface ConfigProblem {
  path: Path;
  /** A sentence without its full stop, that names the path; never a value, which may be a key. */
  message: string;
}

/** Makes something of a value, or tells what is wrong with it. */
export type Reader<T> = (value: unknown, path: Path, problems: ConfigProblem[]) => T | undefined;

/** A path as it is written in a file; names that are no words are quoted. */
export function written(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return `.${/^[\w-]+$/.test(step) ? step : JSON.stringify(step)}`;
  });
  return steps.join("").replace(/^\./, "");
}

/** No key is longer, and a comparison takes as long as both words together are wide. */
const longestWord = 64;

/** ` Did you mean a?`, or nothing where no word is near enough. */
export function suggestion(word: string, words: readonly string[]): string {
  const meant = word.length > longestWord ? undefined : nearest(word, words);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

const article: Readonly<Record<string, string>> = { object: "a table", string: "a string", undefined: "nothing" };
const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : (article[typeof value] ?? `a ${typeof value}`);

const wants = (what: string, value: unknown, path: Path): ConfigProblem => ({
  path,
  message: `${written(path) || "The configuration"} must be ${what}, not ${kindOf(value)}`,
});

/** A reader of what a test takes. */
const taking =
  <T>(what: string, takes: (value: unknown) => value is T): Reader<T> =>
  (value, path, problems) => {
    if (takes(value)) return value;
    problems.push(wants(what, value, path));
    return undefined;
  };

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const text = taking("a string", (value) => typeof value === "string");
export const flag = taking("true or false", (value) => typeof value === "boolean");
export const anything: Reader<unknown> = (value) => value;
export const anyTable = taking("a table", isTable);

/** A reader of numbers, which are no secret where they are wanted. */
const taken =
  (what: string, takes: (value: number) => boolean): Reader<number> =>
  (value, path, problems) => {
    if (typeof value === "number" && takes(value)) return value;
    const given = typeof value === "number" ? String(value) : kindOf(value);
    problems.push({ path, message: `${written(path)} must be ${what}, not ${given}` });
    return undefined;
  };

export const number = taken("a number", Number.isFinite);
export const amount = taken("a number of at least 0", (value) => Number.isFinite(value) && value >= 0);
export const share = taken("a number above 0", (value) => Number.isFinite(value) && value > 0);
export const count = taken("a whole number of at least 0", (value) => Number.isSafeInteger(value) && value >= 0);

export const oneOf =
  <T extends string>(words: readonly T[]): Reader<T> =>
  (value, path, problems) => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const given = typeof value === "string" ? suggestion(value, words) : `, not ${kindOf(value)}`;
    problems.push({ path, message: `${written(path)} must be one of ${words.join(", ")}${given}` });
    return undefined;
  };

export const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems.push(wants("a list", value, path));
      return undefined;
    }
    return value.flatMap((member: unknown, at) => read(member, [...path, at], problems) ?? []);
  };

/** A table under names of the writer's choice. */
export const tableOf =
  <T>(read: Reader<T>): Reader<Record<string, T>> =>
  (value, path, problems) => {
    const table = anyTable(value, path, problems);
    if (!table) return undefined;
    const pairs = Object.entries(table).flatMap(([name, inner]) => {
      const made = read(inner, [...path, name], problems);
      return made === undefined ? [] : [[name, made] as const];
    });
    return Object.fromEntries(pairs);
  };

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A table with these keys, in `camelCase` or in `snake_case`. */
export const table =
  <T>(readers: { [K in keyof T]-?: Reader<NonNullable<T[K]>> }, needed: readonly (keyof T & string)[] = []): Reader<T> =>
  (value, path, problems) => {
    const given = anyTable(value, path, problems);
    if (!given) return undefined;
    const known = Object.keys(readers);
    const made = new Map<string, unknown>();
    for (const [key, inner] of Object.entries(given)) {
      const name = camelCase(key);
      const here = [...path, key];
      if (inner === undefined) continue;
      // A key of the table by the line above it, which the compiler cannot see.
      if (known.includes(name)) made.set(name, readers[name as keyof T](inner, here, problems));
      else
        problems.push({
          path: here,
          message: `Unknown key "${written(here)}"${suggestion(key, key.includes("_") ? known.map(snakeCase) : known)}`,
        });
    }
    const missing = needed.filter((name) => !made.has(name));
    for (const name of missing) problems.push({ path: [...path, name], message: `${written([...path, name])} is required` });
    // Each key was read by its own reader, and those that are needed are there.
    return missing.length > 0 ? undefined : (Object.fromEntries(made) as T);
  };

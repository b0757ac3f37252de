import { pointerStep, type JsonType } from "./json-schema.ts";

/** What is wrong with a value, in words that the one who wrote it can act on. */
export interface Problem {
  /** A JSON pointer into the value: `/city`; empty for the value itself. */
  path: string;
  /** `must be a string, got 5`. */
  message: string;
  /** The types that would have fitted, where the type was wrong. */
  types?: readonly JsonType[];
}

/** A walk over a value. Without `problems` it stops at the first one: the caller only wants to know whether there is any. */
export interface Visit {
  problems: Problem[] | undefined;
  path: (string | number)[];
  /** Checks that may still be made; unions of unions could ask for exponentially many. */
  left: number;
}

/** Whether a value fits a schema; notes in the visit what does not. */
export type Check = (value: unknown, visit: Visit) => boolean;

/** Enough for values of some megabytes; telling what is wrong with a tangle costs more than finding that something is. */
const mostChecks = { finding: 1_000_000, telling: 100_000 };
const mostProblems = 50;

/** A walk that notes problems, or one that does not. */
export const newVisit = (collects: boolean): Visit => ({
  problems: collects ? [] : undefined,
  path: [],
  left: collects ? mostChecks.telling : mostChecks.finding,
});

/** Notes a problem where the walk is; always false, so that a check can return it. */
export function fail(visit: Visit, message: string, types?: readonly JsonType[]): false {
  const { problems, path } = visit;
  if (problems && problems.length < mostProblems)
    problems.push({ path: path.map(pointerStep).join(""), message, ...(types && { types }) });
  return false;
}

/** Notes a problem of a property or a place in a list. */
export function failAt(visit: Visit, at: string | number, message: string): false {
  visit.path.push(at);
  fail(visit, message);
  visit.path.pop();
  return false;
}

/** Checks a property or a place in a list. */
export function checkAt(visit: Visit, at: string | number, value: unknown, check: Check): boolean {
  visit.path.push(at);
  const fits = check(value, visit);
  visit.path.pop();
  return fits;
}

/** Whether a value passes all checks. All are made where problems are collected, else up to the first that fails. */
export function passes(checks: readonly Check[], value: unknown, visit: Visit): boolean {
  let fits = true;
  for (const check of checks) {
    if (check(value, visit)) continue;
    fits = false;
    if (!visit.problems) return false;
  }
  return fits;
}

const longestShown = 60;

/** A value as a message shows it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

const typeNames: Readonly<Record<JsonType, string>> = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  string: "a string",
  array: "a list",
  object: "an object",
};

/** What a value must be, by type. */
export const mustBe = (types: readonly JsonType[], value: unknown): string =>
  `must be ${types.map((type) => typeNames[type]).join(" or ")}, got ${shown(value)}`;

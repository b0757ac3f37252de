import type { JsonObject } from "../model/guards.ts";
import { isContainer, pointerStep, put, type JsonType } from "./json-schema.ts";

/** A violation of a schema, with a message for the author of the value. */
export interface Problem extends ProblemDetails {
  /** A JSON pointer into the value: `/city`; empty for the value itself. */
  path: string;
  /** `must be a string, got 5`. */
  message: string;
}

interface ProblemDetails {
  /** The accepted types, if the value has another one. */
  types?: readonly JsonType[];
  /** The accepted values, if the schema lists them. */
  allowed?: readonly unknown[];
  /** The properties that the schema describes, if a required one is missing. */
  described?: readonly string[];
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

/** Limits for one value. Explaining a tangle of unions costs more than rejecting it, so explanations get fewer checks. */
export interface CheckLimits {
  maxChecks: number;
  maxExplainingChecks: number;
}

/** Enough for values of several megabytes. */
export const defaultLimits: Readonly<CheckLimits> = { maxChecks: 1_000_000, maxExplainingChecks: 100_000 };
const maxProblems = 50;

/** Starts a walk that stops at the first problem, or one that collects problems. */
export const newVisit = (collects: boolean, limits: CheckLimits): Visit => ({
  problems: collects ? [] : undefined,
  path: [],
  left: collects ? limits.maxExplainingChecks : limits.maxChecks,
});

const pointer = (path: readonly (string | number)[]): string => path.map(pointerStep).join("");

/** Returns the JSON pointer to a property of the value at the current path. */
export const pointerTo = ({ path }: Visit, name: string): string => pointer([...path, name]);

/** Adds a problem at the current path. Always returns false, so that a check can return the result. */
export function fail(visit: Visit, message: string, details?: ProblemDetails): false {
  const { problems, path } = visit;
  if (problems && problems.length < maxProblems) problems.push({ path: pointer(path), message, ...details });
  return false;
}

/** Adds a problem of a property or a list entry. */
export function failAt(visit: Visit, at: string | number, message: string, details?: ProblemDetails): false {
  visit.path.push(at);
  fail(visit, message, details);
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

const maxShown = 60;

/** Returns the start of a value's JSON for a message. Reads no more of the value than the message can contain. */
export function shown(value: unknown): string {
  let left = maxShown;
  const shorten = (_: string, inner: unknown): unknown => {
    left -= 1;
    if (left < 0) return undefined;
    if (typeof inner === "string" || Array.isArray(inner)) return inner.slice(0, maxShown);
    return isContainer(inner) ? firstFields(inner) : inner;
  };
  const text = JSON.stringify(value, shorten) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

function firstFields(object: JsonObject): JsonObject {
  const fields: JsonObject = {};
  let count = 0;
  for (const name in object) {
    if (count === maxShown) break;
    put(fields, name, object[name]);
    count += 1;
  }
  return fields;
}

const maxChoicesShown = 20;

/** Says that a value is none of the accepted ones. */
export function failChoice(visit: Visit, allowed: readonly unknown[], value: unknown): false {
  const listed = allowed.slice(0, maxChoicesShown).map(shown).join(", ") + (allowed.length > maxChoicesShown ? ", …" : "");
  const choices = allowed.length === 1 ? listed : `one of ${listed}`;
  return fail(visit, `must be ${choices}, got ${shown(value)}`, { allowed });
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

import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";

/** Refuses a request, naming the field that is at fault. */
export function refuse(param: string, expected: string): never {
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
}

/** A value that has to be an object. */
export const objectAt = (value: unknown, param: string): JsonObject => (isObject(value) ? value : refuse(param, "an object"));

/** A value that has to be a string. */
export const stringAt = (value: unknown, param: string): string =>
  typeof value === "string" ? value : refuse(param, "a string");

/** A value that has to be a list. */
export const listAt = (value: unknown, param: string): unknown[] => (Array.isArray(value) ? value : refuse(param, "a list"));

/** Whether a value was given: `null` stands for "not given" everywhere. */
export const given = (value: unknown): boolean => value !== undefined && value !== null;

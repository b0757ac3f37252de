import { isObject, type JsonObject } from "../../model/guards.ts";
import type { NameRules } from "../shared/tool-names.ts";

/** One part of a content. Exactly one of its fields says what it is; `thought` and `thoughtSignature` may stand beside it. */
export interface Part extends JsonObject {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
}

/** A turn of the conversation, as the wire writes it. */
export interface Content {
  role: "user" | "model";
  parts: Part[];
}

/** The names that functions may have. */
export const nameRules: NameRules = { allowed: /[a-zA-Z0-9_.-]/, first: /[a-zA-Z_]/, maxLength: 64 };

/** A string, or nothing. */
export const stringIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A string with something in it, or nothing. */
export const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** An object, or an empty one. */
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The objects in a list; one that stands alone counts as a list of itself. */
export function objectsIn(value: unknown): JsonObject[] {
  // Lists hold nothing but objects nearly always: they are not copied for that.
  if (Array.isArray(value)) return value.every(isObject) ? value : value.filter(isObject);
  return isObject(value) ? [value] : [];
}

/** The strings in a list. */
export const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** Parses JSON; nothing where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

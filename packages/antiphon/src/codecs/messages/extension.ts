import { isObject, type JsonObject } from "../../model/guards.ts";

/** One block of a message's content, as the wire writes it. */
export type Block = { type: string; [field: string]: unknown };

/** A turn of the conversation, as the wire writes it. */
export interface WireMessage {
  role: "user" | "assistant" | "system";
  content: Block[];
}

// What the common vocabulary has no word for goes under its maker's prefix, as extension items do. Codecs of other wires
// take only what they know, so these fields reach nobody but this wire.
export const maker = "anthropic:";

/** A type of the wire's own making as the vocabulary writes it: `anthropic:bash_20250124`. */
export const extensionType = (type: string): `${string}:${string}` => `${maker}${type}`;

/** The wire's own type in an extension type, or nothing where somebody else made it. */
export const ownType = (type: string): string | undefined => (type.startsWith(maker) ? type.slice(maker.length) : undefined);

/** A field of the wire's own making, if the value has it. */
export const extra = (value: object, name: string): unknown => Reflect.get(value, maker + name);

/** A field of the wire's own making, to be spread into an object; nothing where there is no value. */
export const withExtra = (name: string, value: unknown): JsonObject =>
  value === undefined || value === null ? {} : { [maker + name]: value };

/** Fields of the wire under its prefix. */
export const prefixed = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => Object.entries(withExtra(name, value))));

/** All fields of the wire's own making, under their names on the wire. */
export function extras(value: object): JsonObject {
  const own = Object.entries(value).filter(([key, inner]) => key.startsWith(maker) && inner !== null && inner !== undefined);
  return Object.fromEntries(own.map(([key, inner]) => [key.slice(maker.length), inner]));
}

/** The same value without fields of the wire's own making. */
export const withoutExtras = (value: object): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith(maker)));

/** The original blocks of an item that this wire made; what is replayed must be what came. */
export function blocksIn(item: object): Block[] | undefined {
  const blocks = extra(item, "blocks");
  return Array.isArray(blocks) ? blocks.filter(isBlock) : undefined;
}

/** Whether a value is a block. */
export const isBlock = (value: unknown): value is Block => isObject(value) && typeof value["type"] === "string";

/** A string, or nothing. */
export const stringIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** An object, or an empty one. */
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

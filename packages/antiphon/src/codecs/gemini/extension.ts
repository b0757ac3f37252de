import type { JsonObject } from "../../model/guards.ts";
import type { ExtensionItem } from "../../model/index.ts";

// What the common vocabulary has no word for goes under its maker's prefix, as extension items do. Codecs of other wires take
// only what they know, so these reach nobody but this wire.
export const maker = "google:";

/** A name of the wire's own making as the vocabulary writes it: `google:urlContext`. */
export const extensionType = (name: string): `${string}:${string}` => `${maker}${name}`;

/** The wire's own name in an extension type, or nothing where somebody else made it. */
export const ownType = (type: string): string | undefined => (type.startsWith(maker) ? type.slice(maker.length) : undefined);

/** A field of the wire's own making, to be spread into an object; nothing where there is no value. */
export const withExtra = (name: string, value: unknown): JsonObject =>
  value === undefined || value === null ? {} : { [maker + name]: value };

/** All fields of the wire's own making, under their names on the wire. */
export function extras(value: object): JsonObject {
  const own = Object.entries(value).filter(([key, inner]) => key.startsWith(maker) && inner !== null && inner !== undefined);
  return Object.fromEntries(own.map(([key, inner]) => [key.slice(maker.length), inner]));
}

/** Bytes that the model made and that are no picture: speech, mostly. `data` is base64; `uri` stands for it where the server stored it. */
export interface MediaItem extends ExtensionItem {
  type: "google:media";
  status: string;
  mime_type: string;
  data?: string;
  uri?: string;
  /** A draft that the model made while it thought. */
  thought?: boolean;
}

/** A part that this library has no word for, kept as it came. */
export interface PartItem extends ExtensionItem {
  type: "google:part";
  status: string;
  part: JsonObject;
}

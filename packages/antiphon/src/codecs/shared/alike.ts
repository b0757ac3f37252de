import { isObject, type JsonObject } from "../../model/guards.ts";
import { parseEvent, parseIntact } from "./frames.ts";

/** What a wire says about the events that most of a stream consists of. */
export interface Likeness {
  /** The field that holds a piece of text, if an event tells nothing else. */
  fieldOf(event: JsonObject): string | undefined;
  /** An event that tells another piece, as far as the decoder reads it; `event` is the one that was parsed. */
  withText(text: string, field: string, event: JsonObject): JsonObject;
}

/** Some servers pad each event with letters of no meaning. */
const padding = '"obfuscation":"';
/** A stream whose events differ in more than their text is parsed like any other, after so many of them. */
const mostMisses = 8;

/**
 * Parses the events of one stream. Most are the same but for a piece of text, and parsing that piece takes a tenth of the time that the
 * whole event takes.
 */
export class AlikeEvents {
  readonly #likeness: Likeness;
  #field = "";
  #event: JsonObject = {};
  /** The text of the event before its piece, and behind it up to the padding. */
  #head = "";
  #tail = "";
  #padded = false;
  #misses = 0;

  constructor(likeness: Likeness) {
    this.#likeness = likeness;
  }

  parse(text: string): unknown {
    const said = this.#said(text);
    if (said !== undefined) return this.#likeness.withText(said, this.#field, this.#event);
    const value = parseEvent(text);
    if (this.#misses < mostMisses && isObject(value)) this.#learn(text, value);
    return value;
  }

  /** The piece that a text tells which is like the one that was learnt. */
  #said(text: string): string | undefined {
    const from = this.#head.length;
    if (from === 0 || text.slice(0, from) !== this.#head) return undefined;
    const end = text.indexOf(this.#tail, from);
    if (end === -1 || !this.#ends(text, end + this.#tail.length)) return undefined;
    this.#misses = 0;
    return unquoted(text.slice(from, end));
  }

  #ends(text: string, at: number): boolean {
    return this.#padded ? text.indexOf('"', at) === text.length - 2 && text.endsWith('"}') : at === text.length;
  }

  #learn(text: string, event: JsonObject): void {
    this.#misses += 1;
    const field = this.#likeness.fieldOf(event);
    const at = field === undefined ? -1 : text.indexOf(`"${field}":"`);
    if (field === undefined || at === -1) return;
    const from = at + field.length + 4;
    const rest = text.slice(endOfString(text, from));
    const pad = rest.indexOf(padding);
    this.#field = field;
    this.#event = event;
    this.#head = text.slice(0, from);
    this.#padded = pad !== -1;
    this.#tail = this.#padded ? rest.slice(0, pad + padding.length) : rest;
  }
}

/** A string as it stands in JSON, without its quotes; nothing where it is more than one. */
function unquoted(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw.includes('"') ? undefined : raw;
  const text = parseIntact(`"${raw}"`);
  return typeof text === "string" ? text : undefined;
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

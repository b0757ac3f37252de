import { isObject, type JsonObject } from "../../model/guards.ts";
import { parseEvent, parseIntact } from "./frames.ts";

/** What a field holds in which events differ: a text, or a whole number. */
export type Varying = string | number;

/** What a wire says about the events that most of a stream consists of. */
export interface Likeness {
  /** The fields in which an event may differ from the next, and what they hold; nothing where there may be other differences. */
  varying(event: JsonObject): Record<string, Varying> | undefined;
  /** A new event that is like `event` but for these values, which come in the order of the fields; as far as the decoder reads it. */
  like(event: JsonObject, values: readonly Varying[], fields: readonly string[]): JsonObject;
}

/** A stream whose events differ in more than that is parsed like any other, after so many of them. */
const mostMisses = 8;

/**
 * Parses the events of one stream. Most are the same but for a piece of text and a number, and parsing these takes a tenth of the time
 * that the whole event takes.
 */
export class AlikeEvents {
  readonly #likeness: Likeness;
  #pattern: Pattern | undefined;
  #event: JsonObject = {};
  #misses = 0;

  constructor(likeness: Likeness) {
    this.#likeness = likeness;
  }

  parse(text: string): unknown {
    const pattern = this.#pattern;
    if (pattern?.fits(text)) {
      this.#misses = 0;
      return this.#likeness.like(this.#event, pattern.values, pattern.fields);
    }
    const value = parseEvent(text);
    if (this.#misses < mostMisses && isObject(value)) this.#learn(text, value);
    return value;
  }

  #learn(text: string, event: JsonObject): void {
    this.#misses += 1;
    const varying = this.#likeness.varying(event);
    if (!varying) return;
    const pattern = new Pattern(text, varying);
    // A name may stand at another place, too, and a value be written in a way of its own.
    if (!pattern.fits(text) || !pattern.fields.every((field, index) => pattern.values[index] === varying[field])) return;
    this.#pattern = pattern;
    // Whoever gets the event may change it.
    this.#event = { ...event };
  }
}

/** The text of an event, with gaps for what varies. */
class Pattern {
  readonly fields: readonly string[];
  /** What the text held that was looked at last, in the order of the fields. */
  readonly values: Varying[] = [];
  /** In the order of the text: what stands before a gap, and the place of what it holds. */
  readonly #gaps: { before: string; place: number; quoted: boolean }[] = [];
  readonly #rest: string;

  constructor(text: string, varying: Record<string, Varying>) {
    this.fields = Object.keys(varying);
    const starts = this.fields.map((field, place) => ({ place, start: valueAt(text, field) })).sort((a, b) => a.start - b.start);
    let from = 0;
    for (const { place, start } of starts) {
      const quoted = text.charCodeAt(start) === quote;
      this.#gaps.push({ before: text.slice(from, quoted ? start + 1 : start), place, quoted });
      from = quoted ? endOfString(text, start + 1) : endOfNumber(text, start);
    }
    this.#rest = text.slice(from);
  }

  fits(text: string): boolean {
    let from = 0;
    for (let at = 0; at < this.#gaps.length; at += 1) {
      const { before, place, quoted } = this.#gaps[at]!;
      const start = from + before.length;
      if (text.slice(from, start) !== before) return false;
      from = quoted ? this.#string(text, start, place) : this.#number(text, start, place);
    }
    return text.slice(from) === this.#rest;
  }

  /** Reads the text in a gap, and tells where that ends; where there is none, at the end of all, before which something should stand. */
  #string(text: string, from: number, place: number): number {
    let end = text.indexOf('"', from);
    let value: unknown = text.slice(from, end);
    if ((value as string).includes("\\")) {
      end = endOfString(text, from);
      value = parseIntact(text.slice(from - 1, end + 1));
    }
    if (end === -1 || typeof value !== "string") return text.length;
    this.values[place] = value;
    return end;
  }

  #number(text: string, from: number, place: number): number {
    const end = endOfNumber(text, from);
    if (end === from) return text.length;
    this.values[place] = Number(text.slice(from, end));
    return end;
  }
}

const [quote, zero, space] = [34, 48, 32];

/** Where the value of a field begins. */
function valueAt(text: string, field: string): number {
  const name = `"${field}":`;
  let at = text.indexOf(name) + name.length;
  while (text.charCodeAt(at) === space) at += 1;
  return at;
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= zero && text.charCodeAt(at) < zero + 10) at += 1;
  return at;
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

import { isObject, type JsonObject } from "../../model/guards.ts";
import { parseEvent } from "../shared/frames.ts";

/** An event's own fields, which stand first, or, as for its number, last. */
const first = /^\{"type":"([\w.]+)"(?:,"sequence_number":(\d+))?/;
const last = /(?:,"sequence_number":(\d+))?\}$/;

/**
 * Parses the events that come before any output. Most servers tell the response twice there, in the same words: the second time it is
 * the object that it was the first time, so that whoever tells it on can see that it is the same.
 */
export class SameResponse {
  #words: string | undefined;
  #event: JsonObject = {};

  parse(text: string): unknown {
    const [head = "", type, early] = first.exec(text) ?? [];
    const [tail = "", late] = last.exec(text) ?? [];
    const words = text.slice(head.length, text.length - tail.length);
    const number = early ?? late;
    if (words === this.#words && type !== undefined && number !== undefined)
      return { ...this.#event, type, sequence_number: Number(number) };
    const event = parseEvent(text);
    const isKnown = type !== undefined && number !== undefined && isObject(event);
    this.#words = isKnown ? words : undefined;
    this.#event = isKnown ? event : {};
    return event;
  }
}

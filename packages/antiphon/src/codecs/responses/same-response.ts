import { isObject, type JsonObject } from "../../model/guards.ts";
import { parseEvent } from "../shared/frames.ts";

/** An event's own fields stand first; but for its number, which some servers write last. */
const first = /^\{"type":"([\w.]+)"(?:,"sequence_number":(\d+))?/;
const last = ',"sequence_number":';

/**
 * Parses the events that come before any output. Most servers tell the response twice there, in the same words: the second time it is
 * the object that it was the first time, so that whoever tells it on can see that it is the same.
 */
export class SameResponse {
  #words: string | undefined;
  #event: JsonObject = {};

  parse(text: string): unknown {
    const [head = "", type, early] = first.exec(text) ?? [];
    const end = early === undefined ? text.lastIndexOf(last) : text.length;
    const number = early ?? text.slice(end + last.length, -1);
    const isTold = type !== undefined && /^\d+$/.test(number) && text.endsWith("}");
    const words = text.slice(head.length, end);
    if (isTold && words === this.#words) return { ...this.#event, type, sequence_number: Number(number) };
    const event = parseEvent(text);
    const isKnown = isTold && isObject(event);
    this.#words = isKnown ? words : undefined;
    this.#event = isKnown ? event : {};
    return event;
  }
}

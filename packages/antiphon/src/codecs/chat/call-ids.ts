import type { CallIdRules } from "./dialect.ts";

/**
 * Ids of tool calls as a server takes them. What fits stays; what does not gets a stand-in of letters and digits, always the
 * same for the same id. The way back is never needed: an answer names no earlier call.
 */
export class CallIds {
  readonly #rules: CallIdRules;
  readonly #made = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(rules: CallIdRules) {
    this.#rules = rules;
  }

  toWire(id: string): string {
    if (this.#rules.pattern.test(id)) return id;
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    let made = standIn(id, this.#rules.length);
    for (let salt = 1; this.#taken.has(made); salt += 1) made = standIn(`${id}#${salt}`, this.#rules.length);
    this.#made.set(id, made);
    this.#taken.add(made);
    return made;
  }
}

function standIn(id: string, length: number): string {
  let text = "";
  for (let round = 0; text.length < length; round += 1) text += fnv1a(`${round}:${id}`).toString(36).padStart(7, "0");
  return text.slice(0, length);
}

function fnv1a(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

import type { InputItem } from "../model/index.ts";
import { pairPart, stringIn, type PairPart } from "./call-pairs.ts";
import type { Origin } from "./log-records.ts";

/**
 * Whether items that follow one another are in order already, as nearly every list is: then no rule about neighbours has anything to
 * do, and looking costs a fraction of what applying them does. Says no where it is in doubt.
 */
export class Order {
  #broken = false;
  readonly #ids = new Set<string>();
  #idCount = 0;
  /** The types of calls, by id; nothing for those that have their output. */
  readonly #calls = new Map<string, string | undefined>();
  #callCount = 0;
  /** How many calls have no output so far. */
  #waiting = 0;
  /** Whether reasoning stands just before, to which the next item has to belong, and who made that. */
  #isLedUp = false;
  #reasoner: Origin | undefined;

  /** Whether all that came is in order, and nothing of it is left open. */
  get holds(): boolean {
    return !this.#broken && this.#waiting === 0 && !this.#isLedUp;
  }

  push(item: InputItem, type: string, origin: Origin | undefined): void {
    if (this.#broken) return;
    const part = pairPart(type);
    this.#broken =
      !this.#follows(item, type, origin) ||
      !this.#isNew(idOf(item, type)) ||
      !(part ? this.#isPaired(stringIn(item, part.field), part) : this.#mayStandHere(item, type));
  }

  /** Whether reasoning just before this item led to it. */
  #follows(item: InputItem, type: string, origin: Origin | undefined): boolean {
    const follows = !this.#isLedUp || isLed(item, type, origin, this.#reasoner);
    this.#isLedUp = type === "reasoning";
    this.#reasoner = origin;
    return follows;
  }

  #isNew(id: string | undefined): boolean {
    return id === undefined || this.#ids.add(id).size === ++this.#idCount;
  }

  /** Whether it is a call that is new, or the first output of one. */
  #isPaired(id: string | undefined, { call, opens }: PairPart): boolean {
    if (id === undefined) return false;
    this.#waiting += opens ? 1 : -1;
    if (opens) return this.#calls.set(id, call).size === ++this.#callCount;
    const isFirst = this.#calls.get(id) === call;
    if (isFirst) this.#calls.set(id, undefined);
    return isFirst;
  }

  /** Whether no call before it is left without an output, and, for a consent, whether it answers a request: that may be anywhere. */
  #mayStandHere(item: InputItem, type: string): boolean {
    if (type === "message") return this.#waiting === 0 || stringIn(item, "role") === "assistant";
    return type !== "mcp_approval_response";
  }
}

/** The id under which an item is known; here, and only here, the output of a local shell has its call's. */
export const idOf = (item: InputItem, type: string): string | undefined =>
  typeof item.id === "string" && type !== "local_shell_call_output" ? item.id : undefined;

/** Whether an item may be what reasoning led to: the model's, and of the same response as far as anybody knows. */
export function isLed(item: InputItem, type: string, origin: Origin | undefined, reasoning: Origin | undefined): boolean {
  if (origin && reasoning && origin.response_id !== reasoning.response_id) return false;
  if (type === "message") return stringIn(item, "role") === "assistant";
  // What is referred to may be anything, also that.
  return pairPart(type)?.opens !== false && type !== "mcp_approval_response";
}

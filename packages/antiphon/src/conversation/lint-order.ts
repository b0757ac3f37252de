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
  readonly #calls = new Set<string>();
  #callCount = 0;
  /** Calls without an output so far: their types, by id. */
  readonly #waiting = new Map<string, string>();
  /** The reasoning that the next item has to belong to. */
  #reasoning: { origin: Origin | undefined } | undefined;

  /** Whether all that came is in order, and nothing of it is left open. */
  get holds(): boolean {
    return !this.#broken && this.#waiting.size === 0 && this.#reasoning === undefined;
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
    const before = this.#reasoning;
    this.#reasoning = type === "reasoning" ? { origin } : undefined;
    return before === undefined || isLed(item, type, origin, before.origin);
  }

  #isNew(id: string | undefined): boolean {
    return id === undefined || this.#ids.add(id).size === ++this.#idCount;
  }

  /** Whether it is a call that is new, or the first output of one. */
  #isPaired(id: string | undefined, { call, opens }: PairPart): boolean {
    if (id === undefined) return false;
    if (!opens) return this.#waiting.get(id) === call && this.#waiting.delete(id);
    this.#waiting.set(id, call);
    return this.#calls.add(id).size === ++this.#callCount;
  }

  /** Whether no call before it is left without an output, and, for a consent, whether it answers a request: that may be anywhere. */
  #mayStandHere(item: InputItem, type: string): boolean {
    if (type === "message") return this.#waiting.size === 0 || stringIn(item, "role") === "assistant";
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

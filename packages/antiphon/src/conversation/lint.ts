import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { isHosted } from "./hosted-text.ts";
import { fitItem, type Circumstances, type Trust } from "./lint-item.ts";
import { isLed, Order } from "./lint-order.ts";
import { repairOrder, type Slot } from "./lint-repair.ts";
import type { LintChange } from "./lint-rules.ts";
import type { Origin, Target } from "./log-records.ts";

/** What is known about the items and about whoever gets them; all of it may be left out. */
export interface LintOptions {
  /** Who gets the items. */
  target?: Target;
  /** Who made an item. Blobs and server-side calls of unknown makers are taken to be the target's own. */
  origin?(item: InputItem): Origin | undefined;
  /** How much of an item the target is believed to take; all of it where nothing is said. */
  trust?(item: InputItem): Trust;
  /** The ids of reasoning that the target keeps: it may be sent without a blob. */
  stored?: { has(id: string): boolean };
  /** The calls in what `previous_response_id` brings along that are not answered there. */
  chained?: readonly InputItem[];
}

/** A list that can be sent, and what was changed to make it so. */
export interface Linted {
  items: InputItem[];
  changes: LintChange[];
}

/**
 * Makes any list of items one that a server of the Responses wire takes: every call with its output, every output with its call,
 * reasoning only before what it led to, no id twice or unknown, nothing that only its maker can read. A list that is so already comes
 * back as it is. The items themselves are never changed.
 *
 * @example
 * const { items, changes } = lintItems([...history, user("Go on")]);
 * for (const { rule, index } of changes) console.log(`${index}: ${lintRules[rule]}`);
 */
export function lintItems(given: readonly InputItem[], options: LintOptions = {}): Linted {
  const linter = new Linter(options);
  for (const item of given) linter.push(item, options.origin?.(item), options.trust?.(item));
  return linter.linted({ originAt: (index) => options.origin?.(given[index]!) });
}

const none = new Set<string>();

/** What is known about the items that were pushed. */
interface Given {
  /** Who made the item at an index. */
  originAt(index: number): Origin | undefined;
  /** Whether they are known to be in order as they were given. */
  inOrder?: boolean;
}

/** Lints a list that grows: what came before is not looked at again, unless something in it is out of order. */
export class Linter {
  readonly #chained: readonly InputItem[] | undefined;
  /** What the item at hand is judged by: one object for all, since histories are long. */
  readonly #about: Circumstances;
  /** The last item, if it is reasoning that the target has stored under its id. */
  #storedReasoning: { origin: Origin | undefined } | undefined;
  readonly #items: InputItem[] = [];
  /** The indices of those that were left out. */
  readonly #leftOut: number[] = [];
  readonly #order = new Order();
  /** How many of the items `#order` has seen. */
  #ordered = 0;
  readonly #indexOfOrdered = givenIndex(this.#leftOut);

  constructor({ target, stored = none, chained }: Pick<LintOptions, "target" | "stored" | "chained">) {
    this.#chained = chained;
    this.#about = {
      target,
      stored,
      index: 0,
      type: "",
      origin: undefined,
      trust: "all",
      changes: [],
      retold: new Set(),
      ids: new Set(),
      bare: new Set(),
      followsStored: false,
    };
  }

  /** Adds an item; `origin` and `trust` are as in `LintOptions`. */
  push(item: InputItem, origin?: Origin, trust: Trust = "all"): void {
    const about = this.#about;
    about.type = inputType(item);
    about.origin = origin;
    about.trust = trust;
    const before = this.#storedReasoning;
    about.followsStored = before !== undefined && isLed(item, about.type, origin, before.origin);
    const fitted = fitItem(item, about);
    if (fitted) this.#items.push(fitted);
    else this.#leftOut.push(about.index);
    if (fitted && typeof item.id === "string") about.ids.add(item.id);
    this.#storedReasoning = fitted && this.#isStored(fitted) ? { origin } : undefined;
    about.index += 1;
  }

  #isStored(item: InputItem): boolean {
    const { type, origin, stored } = this.#about;
    return type === "reasoning" && origin?.stored !== false && typeof item.id === "string" && stored.has(item.id);
  }

  /** The list so far as it can be sent. */
  linted(given: Given): Linted {
    const { target, bare } = this.#about;
    const changes = [...this.#about.changes];
    if (this.#isInOrder(given)) return { items: [...this.#items], changes };
    const about = { target, chained: this.#chained, bare: new Set(bare) };
    const slots = repairOrder(this.#slots(given), about, (rule, index, type) => changes.push({ rule, index, type }));
    changes.sort((a, b) => a.index - b.index);
    return { items: slots.map(({ item }) => item), changes };
  }

  #isInOrder(given: Given): boolean {
    if (this.#chained?.length) return false;
    if (this.#about.bare.size > 0 && this.#items.some((item) => isHosted(inputType(item)))) return false;
    // Items without some of their fields, or as text, stay in order; reasoning without the item that it led to does not.
    return (given.inOrder && this.#leftOut.length === 0) || this.#holds(given);
  }

  #holds({ originAt }: Given): boolean {
    for (; this.#ordered < this.#items.length; this.#ordered += 1) {
      const item = this.#items[this.#ordered]!;
      this.#order.push(item, inputType(item), originAt(this.#indexOfOrdered(this.#ordered)));
    }
    return this.#order.holds;
  }

  #slots({ originAt }: Given): Slot[] {
    const indexOf = givenIndex(this.#leftOut);
    return this.#items.map((item, at) => {
      const index = indexOf(at);
      return { item, type: inputType(item), index, origin: originAt(index) };
    });
  }
}

/** Tells which item of the list that was given stands at a place now; asked for one place after the other. */
function givenIndex(leftOut: readonly number[]): (at: number) => number {
  let before = 0;
  return (at) => {
    while (leftOut[before] === at + before) before += 1;
    return at + before;
  };
}

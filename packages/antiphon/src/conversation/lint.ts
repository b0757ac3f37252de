import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { isHosted } from "./hosted-text.ts";
import { fitItem, type Circumstances, type Trust } from "./lint-item.ts";
import { Order } from "./lint-order.ts";
import { repairOrder, type Slot } from "./lint-repair.ts";
import type { LintChange, LintRule } from "./lint-rules.ts";
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
  return linter.linted();
}

const none = new Set<string>();

const losing: ReadonlySet<LintRule> = new Set(["foreign-blob", "id-unknown", "reasoning-unreadable"]);
const losesWhole = (rules: readonly LintRule[]): boolean => rules.some((rule) => losing.has(rule));

/** Lints a list that grows: what came before is not looked at again, unless something in it is out of order. */
export class Linter {
  readonly #chained: readonly InputItem[] | undefined;
  /** What the item at hand is judged by: one object for all, since histories are long. */
  readonly #about: Circumstances;
  readonly #items: InputItem[] = [];
  /** Of each item, where it stood in the list that was given, and who made it. */
  readonly #indices: number[] = [];
  readonly #origins: (Origin | undefined)[] = [];
  readonly #changes: LintChange[] = [];
  readonly #bare = new Set<string>();
  readonly #order = new Order();
  #count = 0;

  constructor({ target, stored = none, chained }: Pick<LintOptions, "target" | "stored" | "chained">) {
    this.#chained = chained;
    this.#about = { target, stored, retold: new Set(), origin: undefined, trust: "all", rules: [] };
  }

  /** Adds an item; `origin` and `trust` are as in `LintOptions`. */
  push(item: InputItem, origin?: Origin, trust: Trust = "all"): void {
    const about = this.#about;
    const type = inputType(item);
    about.origin = origin;
    about.trust = trust;
    const fitted = fitItem(item, type, about);
    if (fitted) this.#keep(fitted, fitted.type === item.type ? type : inputType(fitted), origin);
    if (about.rules.length > 0) this.#note(type, origin);
    this.#count += 1;
  }

  /** The list so far as it can be sent. */
  linted(): Linted {
    const changes = [...this.#changes];
    if (this.#isInOrder) return { items: [...this.#items], changes };
    const about = { target: this.#about.target, chained: this.#chained, bare: new Set(this.#bare) };
    const slots = repairOrder(this.#slots(), about, (rule, index, type) => changes.push({ rule, index, type }));
    changes.sort((a, b) => a.index - b.index);
    return { items: slots.map(({ item }) => item), changes };
  }

  #keep(item: InputItem, type: string, origin: Origin | undefined): void {
    this.#items.push(item);
    this.#indices.push(this.#count);
    this.#origins.push(origin);
    this.#order.push(item, type, origin);
  }

  #note(type: string, origin: Origin | undefined): void {
    const { rules } = this.#about;
    for (const rule of rules) this.#changes.push({ rule, index: this.#count, type });
    if (type === "reasoning" && origin && losesWhole(rules)) this.#bare.add(origin.response_id);
    rules.length = 0;
  }

  get #isInOrder(): boolean {
    const isComplete = this.#bare.size === 0 || !this.#items.some((item) => isHosted(inputType(item)));
    return !this.#chained?.length && this.#order.holds && isComplete;
  }

  #slots(): Slot[] {
    return this.#items.map((item, at) => ({
      item,
      type: inputType(item),
      index: this.#indices[at]!,
      origin: this.#origins[at],
    }));
  }
}

import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes, stringIn } from "./call-pairs.ts";
import { isHosted } from "./hosted-text.ts";
import { fitItem, retell, without, type Circumstances, type Trust } from "./lint-item.ts";
import { pairCalls, type Report } from "./lint-pairs.ts";
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

/** An item on its way through the rules. */
export interface Slot {
  item: InputItem;
  /** Where it stood in the list that was given. */
  index: number;
  origin: Origin | undefined;
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
  const changes: LintChange[] = [];
  const report: Report = (rule, index, item) => changes.push({ rule, index, type: inputType(item) });
  const linter = new Linter(options, report);
  const fitted = given.flatMap((item, index) => linter.fit(item, index) ?? []);
  const single = withoutDuplicates(options.chained ? fitted : withoutStrayConsent(fitted, report), report);
  const paired = pairCalls(single, options.chained ?? [], report);
  const slots = linter.hosted(linter.reasoning(paired));
  changes.sort((a, b) => a.index - b.index);
  return { items: slots.map(({ item }) => item), changes };
}

const none = new Set<string>();

class Linter {
  readonly #options: LintOptions;
  readonly #report: Report;
  readonly #retold = new Set<string>();
  /** Responses that lost reasoning which led to a server-side call. */
  readonly #bare = new Set<string>();

  constructor(options: LintOptions, report: Report) {
    this.#options = options;
    this.#report = report;
  }

  #about(item: InputItem): Circumstances {
    const { target, stored = none, trust } = this.#options;
    return { target, origin: this.#options.origin?.(item), stored, trust: trust?.(item) ?? "all", retold: this.#retold };
  }

  fit(item: InputItem, index: number): Slot | undefined {
    const about = this.#about(item);
    const { item: fitted, rules } = fitItem(item, about);
    for (const rule of rules) this.#report(rule, index, item);
    const { origin } = about;
    if (inputType(item) === "reasoning" && origin && losesWhole(rules)) this.#bare.add(origin.response_id);
    return fitted && { item: fitted, index, origin };
  }

  /** Leaves out reasoning that nothing of its own response follows. */
  reasoning(slots: readonly Slot[]): Slot[] {
    const kept: Slot[] = [];
    for (const slot of slots.toReversed()) {
      const next = kept.at(-1);
      if (inputType(slot.item) !== "reasoning" || (next && isOf(next, slot))) kept.push(slot);
      else {
        this.#report("reasoning-orphaned", slot.index, slot.item);
        if (slot.origin) this.#bare.add(slot.origin.response_id);
      }
    }
    return kept.toReversed();
  }

  /** A server that named a server-side call wants to see the reasoning before it, too. */
  hosted(slots: readonly Slot[]): Slot[] {
    if (this.#bare.size === 0 || this.#options.target?.translates) return [...slots];
    return slots.flatMap((slot) => {
      if (!this.#isAlone(slot)) return [slot];
      const { item, index } = slot;
      const text = retell(item, this.#retold, [], "hosted-alone");
      this.#report("hosted-alone", index, item);
      return text ? [{ ...slot, item: text }] : [];
    });
  }

  #isAlone({ item, origin }: Slot): boolean {
    if (!isHosted(item)) return false;
    const pair = closes(item);
    return pair === undefined ? origin !== undefined && this.#bare.has(origin.response_id) : this.#retold.has(pair);
  }
}

const losing: ReadonlySet<LintRule> = new Set(["foreign-blob", "id-unknown", "reasoning-unreadable"]);
const losesWhole = (rules: readonly LintRule[]): boolean => rules.some((rule) => losing.has(rule));

/** Whether an item may be what reasoning led to: the model's, and of the same response as far as anybody knows. */
function isOf({ item, origin: maker }: Slot, { origin }: Slot): boolean {
  if (maker && origin && maker.response_id !== origin.response_id) return false;
  const type = inputType(item);
  if (type === "message") return stringIn(item, "role") === "assistant";
  // What is referred to may be anything, also that.
  return closes(item) === undefined && type !== "mcp_approval_response";
}

/** No id twice: the same item again is left out, another one goes without the id. */
function withoutDuplicates(slots: readonly Slot[], report: Report): Slot[] {
  const seen = new Map<string, InputItem>();
  return slots.flatMap((slot) => {
    const { item, index } = slot;
    // Here, and only here, the id is the call's.
    const id = inputType(item) === "local_shell_call_output" ? undefined : stringIn(item, "id");
    const first = id === undefined ? undefined : seen.get(id);
    if (id !== undefined && first === undefined) seen.set(id, item);
    if (first === undefined) return [slot];
    const again = inputType(item) === "item_reference" || JSON.stringify(first) === JSON.stringify(item);
    report(again ? "duplicate-item" : "duplicate-id", index, item);
    return again ? [] : [{ ...slot, item: without(item, ["id"]) }];
  });
}

/** No consent without the request for it; in a chain, that may have come long ago. */
function withoutStrayConsent(slots: readonly Slot[], report: Report): Slot[] {
  const asked = new Set(slots.flatMap(({ item }) => (inputType(item) === "mcp_approval_request" ? [stringIn(item, "id")] : [])));
  return slots.filter(({ item, index }) => {
    const stray = inputType(item) === "mcp_approval_response" && !asked.has(stringIn(item, "approval_request_id"));
    if (stray) report("output-orphaned", index, item);
    return !stray;
  });
}

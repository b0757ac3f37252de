import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes, stringIn } from "./call-pairs.ts";
import { isHosted } from "./hosted-text.ts";
import { retell, without } from "./lint-item.ts";
import { idOf, isLed } from "./lint-order.ts";
import { pairCalls } from "./lint-pairs.ts";
import type { LintRule } from "./lint-rules.ts";
import type { Origin, Target } from "./log-records.ts";

/** An item on its way through the rules. */
export interface Slot {
  item: InputItem;
  type: string;
  /** Where it stood in the list that was given. */
  index: number;
  origin: Origin | undefined;
}

/** Tells that a rule was applied to the item at an index, and of which type that is. */
export type Report = (rule: LintRule, index: number, type: string) => unknown;

/** What the rules about neighbours go by. */
export interface Neighbourhood {
  target: Target | undefined;
  /** The calls in what the server has that are not answered there; nothing where it has nothing. */
  chained: readonly InputItem[] | undefined;
  /** Responses that lost reasoning which led to a server-side call. */
  bare: Set<string>;
}

/** Puts items in order that are each fit by themselves. */
export function repairOrder(fitted: readonly Slot[], about: Neighbourhood, report: Report): Slot[] {
  const { chained } = about;
  const single = withoutDuplicates(chained ? fitted : withoutStrayConsent(fitted, report), report);
  const paired = pairCalls(single, chained ?? [], report);
  return withoutLoneHosted(withoutStrayReasoning(paired, about, report), about, report);
}

/** No consent without the request for it; in a chain, that may have come long ago. */
function withoutStrayConsent(slots: readonly Slot[], report: Report): Slot[] {
  const asked = new Set(slots.flatMap(({ item, type }) => (type === "mcp_approval_request" ? [stringIn(item, "id")] : [])));
  return slots.filter(({ item, type, index }) => {
    const stray = type === "mcp_approval_response" && !asked.has(stringIn(item, "approval_request_id"));
    if (stray) report("output-orphaned", index, type);
    return !stray;
  });
}

/** No id twice: the same item again is left out, another one goes without the id. */
function withoutDuplicates(slots: readonly Slot[], report: Report): Slot[] {
  // A first item may be long, and its doubles many: its text is made once.
  const seen = new Map<string, { item: InputItem; text?: string }>();
  return slots.flatMap((slot) => {
    const { item, type, index } = slot;
    const id = idOf(item, type);
    const first = id === undefined ? undefined : seen.get(id);
    if (id !== undefined && first === undefined) seen.set(id, { item });
    if (first === undefined) return [slot];
    const again = type === "item_reference" || (first.text ??= JSON.stringify(first.item)) === JSON.stringify(item);
    report(again ? "duplicate-item" : "duplicate-id", index, type);
    return again ? [] : [{ ...slot, item: without(item, ["id"]) }];
  });
}

/** Leaves out reasoning that nothing of its own response follows. */
function withoutStrayReasoning(slots: readonly Slot[], { bare }: Neighbourhood, report: Report): Slot[] {
  const kept: Slot[] = [];
  for (const slot of slots.toReversed()) {
    const next = kept.at(-1);
    if (slot.type !== "reasoning" || (next && isLed(next.item, next.type, next.origin, slot.origin))) kept.push(slot);
    else {
      report("reasoning-orphaned", slot.index, slot.type);
      if (slot.origin) bare.add(slot.origin.response_id);
    }
  }
  return kept.toReversed();
}

/** A server that named a server-side call wants to see the reasoning before it, too. */
function withoutLoneHosted(slots: Slot[], { target, bare }: Neighbourhood, report: Report): Slot[] {
  if (bare.size === 0 || target?.translates) return slots;
  // Calls that went as text before have no output here any more.
  const retold = new Set<string>();
  const isAlone = ({ item, type, origin }: Slot): boolean => {
    if (!isHosted(type)) return false;
    const pair = closes(item);
    return pair === undefined ? origin !== undefined && bare.has(origin.response_id) : retold.has(pair);
  };
  return slots.flatMap((slot) => {
    if (!isAlone(slot)) return [slot];
    const text = retell(slot.item, retold);
    report("hosted-alone", slot.index, slot.type);
    return text ? [{ ...slot, item: text, type: inputType(text) }] : [];
  });
}

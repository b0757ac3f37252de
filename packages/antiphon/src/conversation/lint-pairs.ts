import { inputType } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes, opens, pairPart, standIn, stringIn } from "./call-pairs.ts";
import type { Report, Slot } from "./lint-repair.ts";

/** Ids may be used again in a later turn, so a call is known by its pair and how often that was opened before. */
const keyOf = (pair: string, count: number): string => `${count} ${pair}`;

/** Gives every call exactly one output after it, and every output its call. `chained` calls are part of what the server has. */
export function pairCalls(slots: readonly Slot[], chained: readonly InputItem[], report: Report): Slot[] {
  return new Pairing(slots, chained, report).run();
}

class Pairing {
  readonly #slots: readonly Slot[];
  readonly #report: Report;
  /** The calls of the chain. Those with one id are numbered from 0 downwards; those of the list, from 1 upwards. */
  readonly #chained: readonly { pair: string; key: string }[];
  readonly #chainedPairs: ReadonlySet<string>;
  /** The output that counts, by call. */
  readonly #answers = new Map<string, Slot>();
  /** The call that an output answers. */
  readonly #answered = new Map<Slot, string>();
  /** Outputs that stand before their call. */
  readonly #early = new Set<Slot>();
  readonly #counts = new Map<string, number>();
  readonly #open = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #out: Slot[] = [];
  /** Whether something was referred to: it may be the call that an output answers. */
  #referred = false;

  constructor(slots: readonly Slot[], chained: readonly InputItem[], report: Report) {
    this.#slots = slots;
    this.#report = report;
    const counts = new Map<string, number>();
    this.#chained = chained.flatMap((item) => {
      const pair = opens(item);
      if (pair === undefined) return [];
      const count = counts.get(pair) ?? 0;
      counts.set(pair, count - 1);
      return [{ pair, key: keyOf(pair, count) }];
    });
    this.#chainedPairs = new Set(counts.keys());
    this.#survey();
  }

  /**
   * Finds the call of every output. Parallel calls may have one id: the first output answers the first of them that waits.
   * After a message of the caller's, calls before it wait no more, and an output answers the last call with its id.
   */
  #survey(): void {
    const calls = new Map<string, number>();
    const all = new Set(this.#slots.flatMap(({ item }) => opens(item) ?? []));
    for (const pair of [...all, ...this.#chainedPairs]) this.#taken.add(pair);
    const waiting = new Map<string, string[]>();
    const latest = new Map<string, string>();
    const open = (pair: string, key: string): void => {
      latest.set(pair, key);
      if (this.#answers.has(key)) return;
      const keys = waiting.get(pair) ?? [];
      keys.push(key);
      waiting.set(pair, keys);
    };
    for (const { pair, key } of this.#chained) open(pair, key);
    for (const slot of this.#slots) {
      if (isCallers(slot.item, slot.type)) waiting.clear();
      const opened = opens(slot.item);
      if (opened !== undefined) {
        const count = (calls.get(opened) ?? 0) + 1;
        calls.set(opened, count);
        open(opened, keyOf(opened, count));
      }
      const closed = closes(slot.item);
      if (closed === undefined) continue;
      const early = !latest.has(closed) && all.has(closed);
      if (early) this.#early.add(slot);
      const key = waiting.get(closed)?.shift() ?? latest.get(closed) ?? keyOf(closed, 1);
      this.#answers.set(key, slot);
      this.#answered.set(slot, key);
    }
  }

  run(): Slot[] {
    for (const { pair, key } of this.#chained) this.#wait(key, pair);
    for (const slot of this.#slots) {
      if (opens(slot.item) !== undefined) this.#call(slot);
      else if (closes(slot.item) !== undefined) this.#output(slot);
      else {
        if (isCallers(slot.item, slot.type)) this.#closeOpen(slot.index);
        if (slot.type === "item_reference") this.#referred = true;
        this.#out.push(slot);
      }
    }
    this.#closeOpen((this.#slots.at(-1)?.index ?? -1) + 1);
    return this.#out;
  }

  #wait(key: string, pair: string): void {
    if (!this.#answers.has(key)) this.#open.set(key, pair);
  }

  #call(slot: Slot): void {
    const pair = opens(slot.item) ?? "";
    const count = (this.#counts.get(pair) ?? 0) + 1;
    this.#counts.set(pair, count);
    const key = keyOf(pair, count);
    const name = count > 1 || this.#chainedPairs.has(pair) ? this.#rename(pair, key) : pair;
    if (name !== pair) this.#report("call-id-reused", slot.index, slot.type);
    this.#out.push(renamed(slot, name));
    const answer = this.#answers.get(key);
    if (!answer) this.#open.set(key, name);
    else if (this.#early.has(answer)) {
      this.#report("output-early", answer.index, answer.type);
      this.#out.push(renamed(answer, name));
    }
  }

  readonly #names = new Map<string, string>();
  /** The last number that a pair was given: an id that is used a thousand times must not be looked for a million times. */
  readonly #numbers = new Map<string, number>();

  #rename(pair: string, key: string): string {
    for (let count = (this.#numbers.get(pair) ?? 1) + 1; ; count += 1) {
      const name = `${pair}_${count}`;
      if (this.#taken.has(name)) continue;
      this.#numbers.set(pair, count);
      this.#taken.add(name);
      this.#names.set(key, name);
      return name;
    }
  }

  #output(slot: Slot): void {
    const pair = closes(slot.item) ?? "";
    const count = this.#counts.get(pair) ?? 0;
    if (this.#early.has(slot)) {
      if (this.#answers.get(keyOf(pair, 1)) !== slot) this.#report("output-doubled", slot.index, slot.type);
      return;
    }
    const key = this.#answered.get(slot) ?? "";
    if (count === 0 && !this.#chainedPairs.has(pair) && !this.#referred) this.#report("output-orphaned", slot.index, slot.type);
    else if (this.#answers.get(key) !== slot) this.#report("output-doubled", slot.index, slot.type);
    else this.#out.push(renamed(slot, this.#names.get(key) ?? pair));
  }

  #closeOpen(index: number): void {
    for (const pair of this.#open.values()) {
      const item = standIn(pair);
      const type = inputType(item);
      this.#report("call-unanswered", index, type);
      this.#out.push({ item, type, index, origin: undefined });
    }
    this.#open.clear();
  }
}

const isCallers = (item: InputItem, type: string): boolean => type === "message" && stringIn(item, "role") !== "assistant";

function renamed(slot: Slot, pair: string): Slot {
  const call_id = pair.slice(pair.indexOf(" ") + 1);
  const field = pairPart(slot.type)?.field ?? "call_id";
  return stringIn(slot.item, field) === call_id ? slot : { ...slot, item: { ...slot.item, [field]: call_id } };
}

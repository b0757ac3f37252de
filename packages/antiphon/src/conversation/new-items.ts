import { hash } from "../core/hash.ts";
import { answerKey, callKey } from "../core/pending.ts";
import { inputType, isObject } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { stringIn } from "./call-pairs.ts";
import type { Entry } from "./log-records.ts";
import type { Log } from "./log.ts";

/**
 * Returns the items that are not in the log yet. Callers may send only what is new, or the whole conversation again, also as
 * copies from JSON. A copy is recognized by its id, or by its content at the same place: the items are aligned with the log
 * from its start, and an item that is not found ends the alignment until one with a known id follows. The caller's own items
 * are copies only if an item of the model's follows them, or if they are the last of the log; the same question asked again is
 * a new one.
 *
 * Costs what is new in the log since the last call, and what is sent.
 */
export function newItems(log: Log, items: readonly InputItem[]): InputItem[] {
  const { entries } = log;
  const unknown = items.filter((item) => !log.has(item));
  if (unknown.length === 0 || entries.length === 0) return unknown;
  const lastKnown = items.findLastIndex((item) => log.has(item));
  const mayBeCopies = unknown.some(isModels) || items.indexOf(unknown[0]!) < lastKnown;
  if (mayBeCopies) return align(log, items);
  // Nothing but the caller's own items after what is known: most requests are like that, and need no index.
  const isComplete = items[lastKnown] === entries.at(-1)?.item;
  return isComplete ? unknown : withoutUnanswered(entries, unknown);
}

/** Leaves out a question that still waits for its answer: after an error, it is asked again, perhaps with more. */
function withoutUnanswered(entries: readonly Entry[], items: InputItem[]): InputItem[] {
  const from = entries.findLastIndex(({ origin }) => origin !== undefined) + 1;
  const waiting = entries.slice(from).map(({ item }) => contentKey(item));
  const keys = items.map(contentKey);
  const isSame = (start: number, count: number): boolean =>
    count > 0 && waiting.slice(start, start + count).every((key, at) => key === keys[at]);
  if (items.length <= waiting.length && isSame(waiting.length - items.length, items.length)) return [];
  return waiting.length < items.length && isSame(0, waiting.length) ? items.slice(waiting.length) : items;
}

function align(log: Log, items: readonly InputItem[]): InputItem[] {
  const { entries } = log;
  const index = indexOf(entries);
  /** Where the items are that may be copies. */
  const found = new Set<InputItem>();
  let confirmed = -1;
  let next = 0;
  let isAligned = true;
  items.forEach((item, at) => {
    const known = index.known(item, next);
    const place = known ?? (isAligned ? index.copy(item, next) : undefined);
    if (known !== undefined || log.has(item)) isAligned = true;
    else if (place === undefined && !isInstruction(item)) isAligned = false;
    if (place === undefined) return;
    found.add(item);
    next = Math.max(next, place + 1);
    const entry = entries[place]!;
    if (known !== undefined || entry.origin || isModels(entry.item)) confirmed = at;
  });
  const reachesEnd = next === entries.length;
  return items.filter((item, at) => !log.has(item) && !(found.has(item) && (at <= confirmed || reachesEnd)));
}

/** Whether only a model, or somebody on its behalf, can have made an item. */
function isModels(item: InputItem): boolean {
  const type = inputType(item);
  if (type === "message") return stringIn(item, "role") === "assistant";
  return type !== "item_reference" && answerKey(item) === undefined;
}

const isInstruction = (item: InputItem): boolean => ["system", "developer"].includes(stringIn(item, "role") ?? "");

/** Where the items of a log are, by object, id and content. */
class Index {
  /** How many entries it has read. */
  count = 0;
  readonly #objects = new Map<InputItem, number>();
  /** Places in ascending order. */
  readonly #places = new Map<string, number[]>();

  add({ item }: Entry): void {
    const at = this.count;
    this.count += 1;
    this.#objects.set(item, at);
    const id = stringIn(item, "id");
    const content = contentKey(item);
    this.#note(`any ${content}`, at);
    if (id === undefined) this.#note(`bare ${content}`, at);
    else this.#note(idKey(item, id), at);
  }

  /** Where an item is that is the same object or has the same id; the first such place from `from` on, if there is one. */
  known(item: InputItem, from: number): number | undefined {
    const id = stringIn(item, "id");
    const same = this.#objects.get(item);
    return same ?? (id === undefined ? undefined : (this.#find(idKey(item, id), from) ?? this.#find(idKey(item, id), 0)));
  }

  /** The first place from `from` on with the same content. Two ids that differ make two items, except calls: those have `call_id`. */
  copy(item: InputItem, from: number): number | undefined {
    const isAny = stringIn(item, "id") === undefined || callKey(item) !== undefined;
    return this.#find(`${isAny ? "any" : "bare"} ${contentKey(item)}`, from);
  }

  #note(key: string, at: number): void {
    const places = this.#places.get(key);
    if (places) places.push(at);
    else this.#places.set(key, [at]);
  }

  #find(key: string, from: number): number | undefined {
    const places = this.#places.get(key) ?? [];
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]! < from) low = middle + 1;
      else high = middle;
    }
    return places[low];
  }
}

// The entries of a log only ever grow; a log that takes something back has a new list.
const indices = new WeakMap<readonly Entry[], Index>();

function indexOf(entries: readonly Entry[]): Index {
  const index = indices.get(entries) ?? new Index();
  indices.set(entries, index);
  while (index.count < entries.length) index.add(entries[index.count]!);
  return index;
}

const idKey = (item: InputItem, id: string): string => `id ${inputType(item)} ${id}`;

/** What an item says, whichever way it is written: without its id and status, and without fields that are empty. */
function contentKey(item: InputItem): string {
  const call = callKey(item);
  if (call !== undefined) return call;
  const { id: _, status: __, ...rest } = item as InputItem & { status?: unknown };
  const said = inputType(item) === "message" ? { role: stringIn(item, "role"), content: partsOf(rest) } : rest;
  return `${answerKey(item) ?? inputType(item)} ${hash(canonical(said))}`;
}

/** The parts of a message. Text is the same as a string, as input and as output; annotations come from the server. */
function partsOf(message: object): unknown {
  const content: unknown = Reflect.get(message, "content");
  if (!Array.isArray(content)) return [content];
  return content.map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : part));
}

/** JSON text that is the same for the same value, whatever the order of its keys and whether empty fields are left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value)
    .filter((key) => !isEmpty(value[key]))
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join()}}`;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

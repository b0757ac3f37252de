import { AntiphonError } from "../core/error.ts";
import { answerKey, callKey } from "../core/pending.ts";
import { inputType, isObject, own, type JsonObject } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { standIn, stringIn } from "./call-pairs.ts";
import { Order } from "./lint-order.ts";
import type { Compacted, Entry, LogJson, LogRecord } from "./log-records.ts";
import { mergedEntries } from "./merge.ts";

const version = 1;

/** A stretch of entries: one question and all that came of it. */
export interface Turn {
  /** The first entry. */
  from: number;
  /** The first entry that is not in it any more. */
  to: number;
}

/**
 * A conversation: items in order, each with its origin. It only ever grows; appending costs what is appended. Whoever
 * asks next sees every call answered: a call that something else follows is closed in the same step.
 *
 * @example
 * const log = new Log();
 * log.append([{ item: user("Hello") }]);
 * const copy = Log.from(JSON.stringify(log));
 */
export class Log {
  readonly id: string;
  /** Only ever grows: where something is taken back, another list takes its place. What is known of a list so holds as long as it does. */
  #entries: Entry[] = [];
  readonly #records: LogRecord[] = [];
  readonly #items = new Set<InputItem>();
  /** Copies of items that the caller has sent. Weak: there may be as many with every request. */
  #copies = new WeakSet<InputItem>();
  readonly #ids = new Set<string>();
  /** Calls and approval requests that nothing has answered yet, oldest first. */
  readonly #open = new Set<string>();
  #order = new Order();
  #compacted: Compacted | undefined;
  #barrier = 0;

  constructor(id: string = crypto.randomUUID()) {
    this.id = id;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** All that a session store has to keep. */
  get records(): readonly LogRecord[] {
    return this.#records;
  }

  /** The items of all entries, whatever was compacted. */
  get items(): InputItem[] {
    return this.#entries.map(({ item }) => item);
  }

  /** What stands in for the head of the conversation, if something does. */
  get compacted(): Compacted | undefined {
    return this.#compacted;
  }

  /** Responses before this entry saw another conversation than the one that is sent now, so none of them can be chained to. */
  get barrier(): number {
    return this.#barrier;
  }

  /** Whether calls or approval requests are unanswered. */
  get pending(): boolean {
    return this.#open.size > 0;
  }

  /** Whether every call has its output, reasoning has what it led to, and no id stands twice; where in doubt, it says no. */
  get inOrder(): boolean {
    return this.#order.holds;
  }

  /** Whether an item is in here already: the same object, or a copy of one that its maker gave an id. */
  has(item: InputItem): boolean {
    const id = stringIn(item, "id");
    return this.#items.has(item) || this.#copies.has(item) || (id !== undefined && this.#ids.has(idKey(item, id)));
  }

  /** Notes that these items are in the log, so that it knows the same objects when they are sent again. */
  recognise(items: readonly InputItem[]): void {
    for (const item of items) if (!this.#items.has(item)) this.#copies.add(item);
  }

  /**
   * Adds entries, and says which records that makes. Calls that are left behind are answered first, in the same step: before a
   * message of the caller's or another response they would be orphans.
   */
  append(entries: readonly Entry[]): readonly LogRecord[] {
    const from = this.#records.length;
    const answered = new Set<string>();
    for (const { item } of entries) {
      const closed = answerKey(item);
      if (closed !== undefined) answered.add(closed);
    }
    for (const entry of entries) {
      if (this.#open.size > 0 && this.#leavesCallsBehind(entry)) this.#close((pair) => !answered.has(pair));
      this.#add(entry);
    }
    return this.#records.slice(from);
  }

  /**
   * Adds those of these items that answer calls which still wait: what the tools gave in a run that ended before the model was told.
   */
  answer(items: readonly InputItem[]): readonly LogRecord[] {
    return this.append(items.filter((item) => this.#open.has(answerKey(item) ?? "")).map((item) => ({ item })));
  }

  /** Answers every call that waits: for when nobody will. */
  closeCalls(): readonly LogRecord[] {
    const from = this.#records.length;
    this.#close(() => true);
    return this.#records.slice(from);
  }

  /** Lets something shorter stand in for the head of the conversation. The entries stay. */
  compact(compacted: Compacted): readonly LogRecord[] {
    if (!Number.isInteger(compacted.to) || compacted.to < 0 || compacted.to > this.#entries.length)
      throw new AntiphonError(
        "BAD_REQUEST",
        `The compaction covers ${compacted.to} entries, but the log has only ${this.#entries.length}.`,
      );
    return this.#fold({ type: "compacted", compacted });
  }

  /** Takes the last compaction back: all entries count again. */
  restore(): readonly LogRecord[] {
    return this.#compacted ? this.#fold({ type: "restored" }) : [];
  }

  /** Takes the last turns back. They stay in the records, but count no more. */
  undo(turns = 1): readonly LogRecord[] {
    const to = this.turns.slice(-turns)[0]?.from;
    return to === undefined || turns < 1 ? [] : this.#fold({ type: "undone", to });
  }

  /** The conversation up to an entry, or all of it, to go on with on its own. Items are shared, not copied. */
  fork(at: number = this.#entries.length, id?: string): Log {
    const fork = new Log(id);
    let left = at;
    for (const record of withoutUndone(this.#records)) {
      if (record.type === "entry" && left-- <= 0) break;
      fork.#fold(record);
    }
    const last = fork.#entries.at(-1)?.origin;
    // A server would bring back all of a response of which the fork has only a part.
    if (last?.stored && this.#entries[at]?.origin?.response_id === last.response_id) fork.#unstoreLast(last.response_id);
    return fork;
  }

  /** Where each turn begins and ends. What comes before the first question belongs to the first turn. */
  get turns(): Turn[] {
    const starts = this.#entries.flatMap((entry, index) =>
      index > 0 && isCallersMessage(entry) && !isCallersMessage(this.#entries[index - 1]!) ? [index] : [],
    );
    if (this.#entries.length === 0) return [];
    return [0, ...starts].map((from, index) => ({ from, to: starts[index] ?? this.#entries.length }));
  }

  /** Some turns as a conversation of their own, counted as `Array.prototype.slice` counts. */
  slice(from?: number, to?: number): Log {
    const turns = this.turns.slice(from, to);
    const first = turns[0]?.from ?? 0;
    const last = turns.at(-1)?.to ?? 0;
    if (first === 0) return this.fork(last);
    const slice = new Log();
    // What the maker keeps begins with what was cut off here.
    slice.append(this.#entries.slice(first, last).map(unstored));
    return slice;
  }

  /**
   * Adds what another conversation has and this one has not: two agents' histories become one. What they have in common stays as it
   * is; the other's items follow in their order, calls with their outputs, under ids of their own.
   */
  merge(other: Log): readonly LogRecord[] {
    return this.append(mergedEntries(this.#entries, other.entries));
  }

  toJSON(): LogJson {
    return { version, id: this.id, records: this.#records };
  }

  /** A conversation from JSON text, or from what it parses to. */
  static from(json: string | LogJson): Log {
    const read = typeof json === "string" ? parsed(json) : json;
    if (!isObject(read) || !Array.isArray(read["records"]) || typeof read["id"] !== "string") {
      const hint = "To open a stored conversation, use `Chat.from(agent, store, id)`.";
      throw new AntiphonError(
        "BAD_REQUEST",
        `The value is not the JSON of a conversation: \`id\` or \`records\` is missing. ${hint}`,
      );
    }
    if (read["version"] !== version) {
      const sentence = `The conversation has format version ${JSON.stringify(read["version"]) ?? "missing"}, but this library reads version ${version}.`;
      throw new AntiphonError("UNSUPPORTED", sentence, { vendorCode: "log_version" });
    }
    const log = new Log(read["id"]);
    for (const record of read["records"]) log.#fold(checked(record));
    return log;
  }

  #leavesCallsBehind({ item, origin }: Entry): boolean {
    if (answerKey(item) !== undefined) return false;
    const maker = this.#entries.at(-1)?.origin?.response_id;
    return isCallersMessage({ item, ...(origin && { origin }) }) || (origin !== undefined && origin.response_id !== maker);
  }

  #close(which: (pair: string) => boolean): void {
    for (const pair of [...this.#open].filter(which)) this.#add({ item: standIn(pair) });
  }

  #add(entry: Entry): void {
    this.#fold({ type: "entry", entry });
  }

  #fold(record: LogRecord): readonly LogRecord[] {
    this.#records.push(record);
    if (record.type === "undone") this.#rebuild();
    else this.#apply(record);
    return [record];
  }

  #apply(record: Exclude<LogRecord, { type: "undone" }>): void {
    if (record.type === "entry") this.#take(record.entry);
    else {
      this.#compacted = record.type === "compacted" ? record.compacted : undefined;
      this.#barrier = this.#entries.length;
    }
  }

  #rebuild(): void {
    this.#entries = [];
    for (const known of [this.#items, this.#ids, this.#open]) known.clear();
    this.#copies = new WeakSet();
    this.#order = new Order();
    this.#compacted = undefined;
    this.#barrier = 0;
    for (const record of withoutUndone(this.#records)) this.#apply(record);
  }

  #take(entry: Entry): void {
    const { item, origin } = entry;
    this.#entries.push(entry);
    this.#items.add(item);
    const id = stringIn(item, "id");
    if (origin && id !== undefined) this.#ids.add(idKey(item, id));
    const opened = callKey(item);
    if (opened !== undefined) this.#open.add(opened);
    const closed = answerKey(item);
    if (closed !== undefined) this.#open.delete(closed);
    this.#order.push(item, inputType(item), origin);
  }

  #unstoreLast(response_id: string): void {
    for (let at = this.#records.length - 1; at >= 0; at -= 1) {
      const record = this.#records[at];
      if (record?.type !== "entry" || record.entry.origin?.response_id !== response_id) return;
      const entry = unstored(record.entry);
      this.#records[at] = { type: "entry", entry };
      this.#entries[this.#entries.indexOf(record.entry)] = entry;
    }
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const idKey = (item: InputItem, id: string): string => `${inputType(item)} ${id}`;

/** The same entry, not to be chained to. */
const unstored = (entry: Entry): Entry =>
  entry.origin?.stored ? { item: entry.item, origin: { ...entry.origin, stored: false } } : entry;

const isCallersMessage = ({ item, origin }: Entry): boolean =>
  origin === undefined && inputType(item) === "message" && stringIn(item, "role") !== "assistant";

/** The records as if what was undone had never been: compactions that reach into it are gone, too. */
function withoutUndone(records: readonly LogRecord[]): Exclude<LogRecord, { type: "undone" }>[] {
  let kept: Exclude<LogRecord, { type: "undone" }>[] = [];
  for (const record of records) {
    if (record.type !== "undone") {
      kept.push(record);
      continue;
    }
    let count = 0;
    kept = kept.filter((one) =>
      one.type === "entry" ? count++ < record.to : one.type !== "compacted" || one.compacted.to <= record.to,
    );
  }
  return kept;
}

const recordChecks: Readonly<Record<LogRecord["type"], (record: JsonObject) => boolean>> = {
  entry: ({ entry }) => isObject(entry) && isObject(entry["item"]),
  compacted: ({ compacted }) => isObject(compacted),
  restored: () => true,
  undone: ({ to }) => typeof to === "number",
};

function checked(record: unknown): LogRecord {
  const type = isObject(record) ? record["type"] : undefined;
  const isValid = typeof type === "string" ? own(recordChecks, type) : undefined;
  if (!isObject(record) || !isValid?.(record))
    throw new AntiphonError("BAD_REQUEST", "The value is not the JSON of a conversation: one of its records is invalid.");
  // Written by `toJSON`; what an item holds is checked by whoever reads it, as with any item.
  return record as unknown as LogRecord;
}

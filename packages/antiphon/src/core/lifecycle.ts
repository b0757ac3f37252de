import { isTerminal } from "../model/guards.ts";
import type { ResponseEvent } from "../model/index.ts";
import { strandOf, strandOfDelta, strandOfDone, type Strand } from "./strands.ts";

/** The first rule that an event sequence breaks. */
export interface Violation {
  rule: string;
  /** Which event, counted from 0. */
  index: number;
  message: string;
}

interface Part {
  type: string;
  text: string;
  said: boolean;
  closed: boolean;
}

interface OpenItem {
  id: string;
  type: string;
  open: boolean;
  self: Part;
  content: Part[];
  summary: Part[];
}

class Broken extends Error {
  readonly rule: string;
  constructor(rule: string, message: string) {
    super(message);
    this.rule = rule;
  }
}
const must = (condition: boolean, rule: string, message: string): void => {
  if (!condition) throw new Broken(rule, message);
};

/** Fields that place an event; read leniently, since the checker is the one that judges. */
interface Placed {
  output_index?: number;
  content_index?: number;
  summary_index?: number;
  item_id?: string;
  delta?: unknown;
  item?: { id: string; type: string; status?: string };
  part?: { type: string; [field: string]: unknown };
}

/**
 * Checks an event sequence against the grammar of streams, without folding it: a second opinion on everything that writes
 * events. Extension events are out of band and not judged.
 */
class Lifecycle {
  readonly #items: OpenItem[] = [];
  #index = -1;
  #next: number | undefined;
  #id: string | undefined;
  #ended = false;
  #incomplete = false;

  /** The rule that this event breaks, if it breaks one. */
  push(event: ResponseEvent): Violation | undefined {
    this.#index += 1;
    return this.#judge(() => this.#check(event));
  }

  /** The rule that ending here breaks, if it breaks one. */
  end(): Violation | undefined {
    return this.#judge(() => must(this.#ended, "terminal-event", "The stream ended without a terminal event."));
  }

  #judge(check: () => void): Violation | undefined {
    try {
      check();
      return undefined;
    } catch (error) {
      if (error instanceof Broken) return { rule: error.rule, index: this.#index, message: error.message };
      throw error;
    }
  }

  #check(event: ResponseEvent): void {
    if (event.type.includes(":")) return;
    must(!this.#ended, "terminal-last", `${event.type} follows the terminal event.`);
    this.#number(event);
    if (this.#id === undefined)
      must(event.type === "response.created", "created-first", `${event.type} precedes response.created.`);
    if ("response" in event) this.#lifecycle(event as Extract<ResponseEvent, { response: unknown }>);
    else if (event.type === "response.output_item.added") this.#add(event as Placed);
    else if ("output_index" in event) this.#within(event.type, event as Placed);
  }

  #number(event: ResponseEvent): void {
    must(Number.isInteger(event.sequence_number), "sequence-number", `${event.type} has no sequence_number.`);
    const expected = this.#next ?? event.sequence_number;
    must(
      event.sequence_number === expected,
      "sequence-number",
      `Expected sequence_number ${expected}, found ${event.sequence_number}.`,
    );
    this.#next = expected + 1;
  }

  #lifecycle(event: Extract<ResponseEvent, { response: unknown }>): void {
    const response = event.response as { id: string; output: unknown[] };
    this.#id ??= response.id;
    must(response.id === this.#id, "response-id", `The response's id changed from ${this.#id} to ${response.id}.`);
    if (!isTerminal(event)) return;
    const open = this.#items.findIndex((item) => item.open);
    must(open === -1, "item-closed", `Item ${open} is still open at ${event.type}.`);
    must(
      !(this.#incomplete && event.type === "response.completed"),
      "incomplete-item",
      "A completed response contains an incomplete item.",
    );
    must(
      response.output.length === this.#items.length,
      "terminal-output",
      "The terminal response does not contain the streamed items.",
    );
    this.#ended = true;
  }

  #add({ output_index = -1, item }: Placed): void {
    must(item !== undefined, "item", "output_item.added has no item.");
    must(
      output_index === this.#items.length,
      "output-index",
      `Expected output_index ${this.#items.length}, found ${output_index}.`,
    );
    const strand = strandOf.get(item!.type);
    const text = strand ? Reflect.get(item!, strand.field) : "";
    const self = { type: item!.type, text: typeof text === "string" ? text : "", said: false, closed: false };
    this.#items.push({ id: item!.id, type: item!.type, open: true, self, content: [], summary: [] });
  }

  #within(type: string, event: Placed): void {
    const item = this.#items[event.output_index ?? -1];
    must(item !== undefined, "item-open", `${type} refers to item ${event.output_index}, which was never added.`);
    must(item!.open, "item-open", `${type} refers to item ${event.output_index}, which is done.`);
    if (event.item_id !== undefined)
      must(event.item_id === item!.id, "item-id", `${type} has the item_id ${event.item_id} instead of ${item!.id}.`);
    if (type === "response.output_item.done") this.#done(item!, event);
    else if (type.endsWith("_part.added")) this.#addPart(item!, event);
    else if (type.endsWith("_part.done")) this.#closePart(item!, event);
    else if (strandOfDelta.has(type)) this.#delta(item!, strandOfDelta.get(type)!, event);
    else if (strandOfDone.has(type)) this.#say(item!, strandOfDone.get(type)!, event);
    else if (event.content_index !== undefined) this.#partAt(item!, event, type);
  }

  #partAt(item: OpenItem, event: Placed, type: string): Part {
    const { content_index, summary_index } = event;
    const part =
      content_index !== undefined
        ? item.content[content_index]
        : summary_index !== undefined
          ? item.summary[summary_index]
          : item.self;
    must(part !== undefined && !part.closed, "part-open", `${type} refers to a part that is not open.`);
    return part!;
  }

  #addPart(item: OpenItem, event: Placed): void {
    const parts = event.content_index !== undefined ? item.content : item.summary;
    const index = event.content_index ?? event.summary_index;
    must(index === parts.length, "part-index", `Expected part ${parts.length}, found ${index}.`);
    const type = event.part!.type;
    const strand = strandOf.get(type);
    const text = strand ? event.part![strand.field] : "";
    parts.push({ type, text: typeof text === "string" ? text : "", said: false, closed: false });
  }

  #delta(item: OpenItem, strand: Strand, event: Placed): void {
    const part = this.#partAt(item, event, strand.delta);
    must(part.type === strand.holder, "part-type", `${strand.delta} does not match the part type ${part.type}.`);
    must(!part.said, "delta-after-done", `${strand.delta} follows its ${strand.done}.`);
    part.text += String(event.delta);
  }

  #say(item: OpenItem, strand: Strand, event: Placed): void {
    const part = this.#partAt(item, event, strand.done);
    must(part.type === strand.holder, "part-type", `${strand.done} does not match the part type ${part.type}.`);
    const whole = Reflect.get(event, strand.field);
    must(part.text === whole, "deltas-make-whole", `The deltas of ${part.type} do not add up to the text of its ${strand.done}.`);
    part.said = true;
  }

  #closePart(item: OpenItem, event: Placed): void {
    const part = this.#partAt(item, event, "part.done");
    const strand = strandOf.get(part.type);
    if (strand) must(part.said, "part-said", `A ${part.type} was closed before its ${strand.done}.`);
    must(event.part?.type === part.type, "part-type", `A ${part.type} was closed as a ${event.part?.type}.`);
    part.closed = true;
  }

  #done(item: OpenItem, event: Placed): void {
    must(event.item?.id === item.id, "item-id", `output_item.done has the item id ${event.item?.id} instead of ${item.id}.`);
    must(
      event.item?.type === item.type,
      "item-type",
      `output_item.done has the item type ${event.item?.type} instead of ${item.type}.`,
    );
    must(
      [...item.content, ...item.summary].every((part) => part.closed),
      "part-closed",
      `Item ${item.id} is done with a part open.`,
    );
    const strand = strandOf.get(item.type);
    if (strand?.place === "item") must(item.self.said, "part-said", `Item ${item.id} is done before its ${strand.done}.`);
    item.open = false;
    this.#incomplete ||= event.item?.status === "incomplete";
  }
}

/**
 * The first rule that a whole event sequence breaks, or `undefined` where it is lawful.
 *
 * @example
 * const violation = checkLifecycle(events); // { rule: "part-open", index: 4, message: "…" }
 */
export function checkLifecycle(events: Iterable<ResponseEvent>): Violation | undefined {
  const lifecycle = new Lifecycle();
  for (const event of events) {
    const violation = lifecycle.push(event);
    if (violation) return violation;
  }
  return lifecycle.end();
}

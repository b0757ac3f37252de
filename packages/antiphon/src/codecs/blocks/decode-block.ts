import type { FinalStatus } from "../../core/close.ts";
import { strandOf } from "../../core/strands.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Item } from "../../model/index.ts";
import type { Writer } from "../../core/writer.ts";
import type { ThinkingSource } from "./block-events.ts";
import { extraIn } from "./extra.ts";
import { unsaid } from "./unsaid.ts";

/** A block while it is open: it turns what the wire says of it into verbs of the writer. */
export interface Reader {
  delta(event: JsonObject): void;
  end(event: JsonObject, status: FinalStatus): void;
}

/** What readers share: the writer, fresh ids, and a key for each item. */
export interface Desk {
  readonly writer: Writer;
  newId(prefix: string): string;
  newKey(): string;
}

/** A string field of a wire's event; empty where it is missing. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const isPart = (value: unknown): boolean =>
  isObject(value) &&
  (value["text"] === undefined || typeof value["text"] === "string") &&
  (value["type"] !== "output_text" || Array.isArray(value["annotations"]));

/** Whether a value is a list of content parts, as far as anything here reads them. */
export const isParts = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isPart);

/** Whether a value is an item, of whatever type, as far as anything here reads it. */
export const isItem = (value: unknown): value is Item =>
  isObject(value) &&
  typeof value["type"] === "string" &&
  typeof value["id"] === "string" &&
  (value["type"] !== "message" || isParts(value["content"])) &&
  (value["type"] !== "reasoning" || (isParts(value["summary"]) && (value["content"] == null || isParts(value["content"]))));

/** A call of one of the caller's tools. */
export class CallReader implements Reader {
  readonly #writer: Writer;
  readonly #key: string;
  readonly #type: "function_call" | "custom_tool_call";
  #said = "";

  constructor(event: JsonObject, desk: Desk) {
    this.#writer = desk.writer;
    this.#key = desk.newKey();
    this.#type = event["input_type"] === "text" ? "custom_tool_call" : "function_call";
    const call = {
      ...extraIn(event, this.#type),
      call_id: textOf(event["id"]) || desk.newId("call"),
      name: textOf(event["name"]),
      ...(textOf(event["item_id"]) && { id: textOf(event["item_id"]) }),
    };
    if (this.#type === "custom_tool_call") this.#writer.customCall(this.#key, call);
    else this.#writer.call(this.#key, call);
  }

  delta(event: JsonObject): void {
    this.#say(textOf(event["delta"]));
  }

  end(event: JsonObject, status: FinalStatus): void {
    this.#say(unsaid(this.#said, textOf(event["input"])));
    this.#writer.set(this.#key, extraIn(event, this.#type));
    this.#writer.close(this.#key, status);
  }

  #say(delta: string): void {
    this.#said += delta;
    this.#writer.args(this.#key, delta);
  }
}

/** A thought: a reasoning item of its own. */
export class ThinkingReader implements Reader {
  readonly #writer: Writer;
  readonly #key: string;
  readonly #said: Record<ThinkingSource, string[]> = { summary: [], reasoning: [] };
  #at = "";

  constructor(event: JsonObject, desk: Desk) {
    this.#writer = desk.writer;
    this.#key = desk.newKey();
    const id = textOf(event["item_id"]) || desk.newId("rs");
    this.#writer.open(this.#key, { ...extraIn(event, "reasoning"), type: "reasoning", id, summary: [] });
  }

  delta(event: JsonObject): void {
    const source = event["source"] === "summary" ? "summary" : "reasoning";
    this.#say(source, typeof event["part"] === "number" ? event["part"] : 0, textOf(event["delta"]));
  }

  end(event: JsonObject, status: FinalStatus): void {
    const { summary, content, encrypted_content } = event;
    const told = {
      ...(isParts(summary) && { summary }),
      ...((content === null || isParts(content)) && { content }),
      ...((encrypted_content === null || typeof encrypted_content === "string") && { encrypted_content }),
    };
    this.#catchUp("summary", told.summary ?? []);
    this.#catchUp("reasoning", told.content ?? []);
    this.#writer.nextPart(this.#key);
    this.#writer.set(this.#key, { ...extraIn(event, "reasoning"), ...told });
    this.#writer.close(this.#key, status);
  }

  #say(source: ThinkingSource, part: number, delta: string): void {
    const at = `${source} ${part}`;
    if (at !== this.#at) this.#writer.nextPart(this.#key);
    this.#at = at;
    this.#said[source][part] = (this.#said[source][part] ?? "") + delta;
    if (source === "summary") this.#writer.summary(delta, this.#key);
    else this.#writer.reasoning(delta, this.#key);
  }

  // A paragraph before the last one is closed by now, so only the last can still grow.
  #catchUp(source: ThinkingSource, paragraphs: JsonObject[]): void {
    const said = this.#said[source];
    paragraphs.forEach((paragraph, part) => {
      const rest = unsaid(said[part] ?? "", textOf(paragraph["text"]));
      if (part >= said.length || (rest && part === said.length - 1)) this.#say(source, part, rest);
    });
  }
}

/** An item that travels whole. */
export class ItemReader implements Reader {
  readonly #writer: Writer;
  readonly #key: string;
  readonly #item: Item;
  /** The item's field that deltas fill, if it has one. */
  readonly #field: string | undefined;
  #said: string;

  constructor(item: Item, desk: Desk) {
    const strand = strandOf.get(item.type);
    this.#field = strand?.place === "item" ? strand.field : undefined;
    this.#said = this.#field ? textOf(Reflect.get(item, this.#field)) : "";
    this.#item = this.#field ? { ...item, [this.#field]: this.#said } : item;
    this.#writer = desk.writer;
    this.#key = desk.newKey();
    this.#writer.open(this.#key, this.#item);
  }

  delta(event: JsonObject): void {
    this.#say(textOf(event["delta"]));
  }

  end(event: JsonObject, status: FinalStatus): void {
    const item = event["item"];
    if (isItem(item) && item.type === this.#item.type) this.#settle({ ...item });
    this.#writer.close(this.#key, status);
  }

  #say(delta: string): void {
    if (this.#field) this.#said += delta;
    this.#writer.args(this.#key, delta);
  }

  /** Makes the open item the one that the end tells: what that leaves out is no more, but for what was streamed. */
  #settle(item: JsonObject): void {
    const gone = Object.fromEntries(Object.keys(this.#item).map((field) => [field, undefined]));
    if (this.#field) {
      this.#say(unsaid(this.#said, textOf(item[this.#field])));
      if (this.#said) item[this.#field] = this.#said;
    }
    this.#writer.set(this.#key, { ...gone, ...item, id: this.#item.id });
  }
}

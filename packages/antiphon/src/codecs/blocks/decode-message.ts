import type { FinalStatus } from "../../core/close.ts";
import type { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Annotation } from "../../model/index.ts";
import { isParts, textOf, type Desk, type Reader } from "./decode-block.ts";
import { extraIn } from "./extra.ts";
import { unsaid } from "./unsaid.ts";

/** A message that blocks are read into: those that name its id, or a single one that names none. */
class OpenMessage {
  readonly id: string;
  readonly key: string;
  /** Its place among the writer's items. */
  readonly at: number;
  readonly writer: Writer;
  readonly blocks = new Set<PartReader>();
  /** The block whose part is open: parts of a message follow one another. */
  current: PartReader | undefined;
  status: FinalStatus = "completed";

  constructor(event: JsonObject, desk: Desk) {
    this.writer = desk.writer;
    this.key = desk.newKey();
    this.at = this.writer.items.length;
    this.id = textOf(event["item_id"]) || desk.newId("msg");
    this.writer.open(this.key, {
      role: "assistant",
      ...extraIn(event, "message"),
      type: "message",
      id: this.id,
      status: "in_progress",
      content: [],
    });
  }
}

/** Finds the message that a text or refusal block belongs to. */
export class MessageReaders {
  readonly #desk: Desk;
  readonly #messages = new Map<string, OpenMessage>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  open(block: "text" | "refusal", event: JsonObject): Reader {
    const known = this.#messages.get(textOf(event["item_id"]));
    const message = known ?? new OpenMessage(event, this.#desk);
    this.#messages.set(message.id, message);
    return new PartReader(block, message, () => this.#messages.delete(message.id));
  }
}

/** A content part of a message. */
class PartReader implements Reader {
  readonly #block: "text" | "refusal";
  readonly #message: OpenMessage;
  readonly #closed: () => void;
  #said = "";
  #annotations = 0;

  constructor(block: "text" | "refusal", message: OpenMessage, closed: () => void) {
    this.#block = block;
    this.#message = message;
    this.#closed = closed;
    message.blocks.add(this);
    this.#say("");
  }

  delta(event: JsonObject): void {
    if (isObject(event["annotation"])) this.#annotate(event["annotation"]);
    else this.#say(textOf(event["delta"]));
  }

  end(event: JsonObject, status: FinalStatus): void {
    const whole = textOf(event[this.#block]) || this.#said;
    const rest = unsaid(this.#said, whole);
    if (rest) this.#say(rest);
    const annotations = Array.isArray(event["annotations"]) ? event["annotations"].slice(this.#annotations) : [];
    annotations.filter(isObject).forEach((annotation) => this.#annotate(annotation));
    if (Array.isArray(event["logprobs"])) this.#keep({ logprobs: event["logprobs"] });
    if (this.#message.current === this) this.#message.writer.nextPart(this.#message.key);
    // What was streamed cannot be taken back; where the whole contradicts it, the finished item tells the whole.
    if (whole !== this.#said) this.#keep({ [this.#block]: whole });
    this.#leave(event, status);
  }

  /** Makes this block's part the open one. */
  #turn(): void {
    const message = this.#message;
    if (message.current !== this) message.writer.nextPart(message.key);
    message.current = this;
  }

  #say(delta: string): void {
    const { writer, key } = this.#message;
    this.#turn();
    this.#said += delta;
    if (this.#block === "text") writer.text(delta, key);
    else writer.refusal(delta, key);
  }

  #annotate(annotation: JsonObject): void {
    this.#turn();
    this.#annotations += 1;
    // An annotation is passed on as it came: its kinds are open-ended, and nothing here reads them.
    this.#message.writer.annotate(annotation as unknown as Annotation, this.#message.key);
  }

  /** Sets fields of the open part that no event streams. */
  #keep(fields: JsonObject): void {
    const { writer, key, at } = this.#message;
    const item = writer.items[at];
    if (item?.type !== "message" || this.#message.current !== this) return;
    writer.set(key, { content: [...item.content.slice(0, -1), { ...item.content.at(-1), ...fields }] });
  }

  #leave(event: JsonObject, status: FinalStatus): void {
    const message = this.#message;
    message.blocks.delete(this);
    if (status === "incomplete") message.status = status;
    message.writer.set(message.key, extraIn(event, "message"));
    if (event["more"] === true || message.blocks.size > 0) return;
    // A message with parts that no block tells has its whole content here.
    const content = isObject(event["extra"]) ? event["extra"]["content"] : undefined;
    if (isParts(content)) message.writer.set(message.key, { content });
    message.writer.close(message.key, message.status);
    this.#closed();
  }
}

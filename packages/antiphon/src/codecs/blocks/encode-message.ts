import { strandText } from "../../core/close.ts";
import { strandOf } from "../../core/strands.ts";
import { own } from "../../model/guards.ts";
import type { Annotation, ContentPart, Item, LogProb, Message, MessageContent } from "../../model/index.ts";
import { ItemTeller, type EndType, type Outlet, type Teller } from "./encode-item.ts";
import { extraOf } from "./extra.ts";
import { unsaid } from "./unsaid.ts";

type PartKind = "text" | "refusal";

/** A content part whose block was started, with all that was said in it. */
interface ToldPart {
  index: number;
  block: PartKind;
  said: string;
  /** What the finished part holds; the same, unless the server contradicts itself. */
  whole?: string;
  annotations: Annotation[];
  logprobs?: LogProb[] | undefined;
  state: "open" | "done" | "ended";
}

const kinds: Readonly<Record<string, PartKind>> = { output_text: "text", refusal: "refusal" };
const partOf: Readonly<Record<PartKind, ContentPart>> = {
  text: { type: "output_text", text: "", annotations: [] },
  refusal: { type: "refusal", refusal: "" },
};

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  output_text: new Set(["type", "text", "annotations", "logprobs"]),
  refusal: new Set(["type", "refusal"]),
};

/** Whether blocks carry everything that a part holds. */
function isTold(part: MessageContent): boolean {
  const fields = own(partFields, part.type);
  return fields !== undefined && Object.keys(part).every((field) => fields.has(field));
}

/**
 * A message: one `text` or `refusal` block a content part. Whether a part was broken off is told only when its message is
 * done, so the end of a block waits for that, or for the next part.
 */
export class MessageTeller implements Teller {
  readonly #outlet: Outlet;
  readonly #message: Message;
  readonly #parts: ToldPart[] = [];

  constructor(message: Message, outlet: Outlet) {
    this.#message = message;
    this.#outlet = outlet;
  }

  /** A part begins; parts of kinds that no block tells are left to the end of the message. */
  open(at: number, part: ContentPart | MessageContent): ToldPart | undefined {
    const block = kinds[part.type];
    if (!block || this.#parts[at]) return this.#parts[at];
    for (const done of this.#parts) if (done?.state === "done") this.#end(done, "block_stop", { more: true });
    const told: ToldPart = { index: this.#outlet.nextIndex(), block, said: "", annotations: [], state: "open" };
    this.#parts[at] = told;
    this.#outlet.emit({ type: "block_start", index: told.index, block, item_id: this.#message.id, ...extraOf(this.#message) });
    this.#catchUp(told, part);
    delete told.whole;
    return told;
  }

  delta(at: number, block: PartKind, delta: string): void {
    const told = this.open(at, partOf[block]);
    if (!told || !delta) return;
    told.said += delta;
    this.#outlet.emit({ type: "block_delta", index: told.index, block, delta });
  }

  annotate(at: number, annotation: Annotation): void {
    const told = this.open(at, partOf.text);
    if (!told) return;
    told.annotations.push(annotation);
    this.#outlet.emit({ type: "block_delta", index: told.index, block: "text", delta: "", annotation });
  }

  /** A part is final. */
  settle(at: number, part: ContentPart | MessageContent): void {
    const told = this.open(at, part);
    if (!told || told.state === "ended") return;
    this.#catchUp(told, part);
    told.state = "done";
  }

  end(type: EndType, item: Item = this.#message): void {
    const message = item.type === "message" ? item : this.#message;
    message.content.forEach((part, at) => this.settle(at, part));
    const open = this.#parts.filter((part) => part?.state !== "ended");
    const last = open.pop();
    if (!last) return new ItemTeller(this.#message, this.#outlet).end(type, message);
    for (const part of open) this.#end(part, "block_stop", { more: true });
    const whole = message.content.every(isTold);
    const { extra } = extraOf(message);
    this.#end(last, type, whole ? { ...(extra && { extra }) } : { extra: { ...extra, content: message.content } });
  }

  #catchUp(told: ToldPart, part: ContentPart | MessageContent): void {
    const strand = strandOf.get(part.type);
    told.whole = strand ? strandText(part, strand) : "";
    const delta = unsaid(told.said, told.whole);
    told.said += delta;
    if (delta) this.#outlet.emit({ type: "block_delta", index: told.index, block: told.block, delta });
    if (part.type !== "output_text") return;
    for (const annotation of (part.annotations ?? []).slice(told.annotations.length)) {
      told.annotations.push(annotation);
      this.#outlet.emit({ type: "block_delta", index: told.index, block: "text", delta: "", annotation });
    }
    told.logprobs = part.logprobs ?? told.logprobs;
  }

  #end(told: ToldPart, type: EndType, rest: { more?: true; extra?: Record<string, unknown> }): void {
    told.state = "ended";
    const { index, block, said, whole = said, annotations, logprobs } = told;
    if (block === "refusal") return this.#outlet.emit({ type, index, block, refusal: whole, ...rest });
    this.#outlet.emit({
      type,
      index,
      block,
      text: whole,
      annotations: [...annotations],
      ...(logprobs?.length && { logprobs }),
      ...rest,
    });
  }
}

import type { CustomToolCall, FunctionCall, Item, Reasoning } from "../../model/index.ts";
import type { BlockEvent, ThinkingSource } from "./block-events.ts";
import { extraOf } from "./extra.ts";
import { unsaid } from "./unsaid.ts";

/** Where block events go, and where the indices of blocks come from. */
export interface Outlet {
  emit(event: BlockEvent): void;
  nextIndex(): number;
}

export type EndType = "block_stop" | "block_abort";

/** An output item while its blocks are being told. */
export interface Teller {
  /** Ends its blocks. Where the item's `output_item.done` never came, there is no item, and what was said counts. */
  end(type: EndType, item?: Item): void;
}

type Call = FunctionCall | CustomToolCall;
const inputOf = (call: Call): string => (call.type === "function_call" ? call.arguments : call.input);

/** A call of one of the caller's tools: one `tool_use` block. */
export class CallTeller implements Teller {
  readonly #outlet: Outlet;
  readonly #index: number;
  #said = "";

  constructor(call: Call, outlet: Outlet) {
    this.#outlet = outlet;
    this.#index = outlet.nextIndex();
    outlet.emit({
      type: "block_start",
      index: this.#index,
      block: "tool_use",
      id: call.call_id,
      name: call.name,
      input_type: call.type === "function_call" ? "json" : "text",
      item_id: call.id,
      ...extraOf(call),
    });
    this.delta(inputOf(call));
  }

  delta(delta: string): void {
    if (!delta) return;
    this.#said += delta;
    this.#outlet.emit({ type: "block_delta", index: this.#index, block: "tool_use", delta });
  }

  end(type: EndType, item?: Item): void {
    const call = item?.type === "function_call" || item?.type === "custom_tool_call" ? item : undefined;
    if (call) this.delta(unsaid(this.#said, inputOf(call)));
    const input = call ? inputOf(call) : this.#said;
    this.#outlet.emit({ type, index: this.#index, block: "tool_use", input, ...(call && extraOf(call)) });
  }
}

/** A reasoning item: one `thinking` block, which stays open until the item is done and then tells all of it. */
export class ThinkingTeller implements Teller {
  readonly #outlet: Outlet;
  readonly #index: number;
  readonly #said: Record<ThinkingSource, string[]> = { summary: [], reasoning: [] };

  constructor(reasoning: Reasoning, outlet: Outlet) {
    this.#outlet = outlet;
    this.#index = outlet.nextIndex();
    outlet.emit({
      type: "block_start",
      index: this.#index,
      block: "thinking",
      item_id: reasoning.id,
      ...extraOf(reasoning),
    });
  }

  /** A paragraph begins: told by an empty delta, so that one without words keeps its place. */
  begin(source: ThinkingSource, part: number): void {
    if (this.#said[source][part] === undefined) this.#say(source, part, "");
  }

  delta(source: ThinkingSource, part: number, delta: string): void {
    if (delta) this.#say(source, part, delta);
  }

  end(type: EndType, item?: Item): void {
    const reasoning = item?.type === "reasoning" ? item : this.#heard();
    this.#catchUp("summary", reasoning.summary);
    this.#catchUp("reasoning", reasoning.content ?? []);
    const { summary, content, encrypted_content } = reasoning;
    this.#outlet.emit({
      type,
      index: this.#index,
      block: "thinking",
      summary,
      ...(content !== undefined && { content }),
      ...(encrypted_content !== undefined && { encrypted_content }),
      ...(item && extraOf(reasoning)),
    });
  }

  #say(source: ThinkingSource, part: number, delta: string): void {
    this.#said[source][part] = (this.#said[source][part] ?? "") + delta;
    this.#outlet.emit({ type: "block_delta", index: this.#index, block: "thinking", delta, source, part });
  }

  #catchUp(source: ThinkingSource, paragraphs: readonly { text: string }[]): void {
    paragraphs.forEach(({ text }, part) => {
      this.begin(source, part);
      this.delta(source, part, unsaid(this.#said[source][part] ?? "", text));
    });
  }

  #heard(): Reasoning {
    const { summary, reasoning } = this.#said;
    return {
      type: "reasoning",
      id: "",
      summary: summary.map((text) => ({ type: "summary_text", text })),
      ...(reasoning.length > 0 && { content: reasoning.map((text) => ({ type: "reasoning_text" as const, text })) }),
    };
  }
}

/** Any other item: one `item` block that carries it whole. */
export class ItemTeller implements Teller {
  readonly #outlet: Outlet;
  readonly #index: number;
  readonly #item: Item;

  constructor(item: Item, outlet: Outlet) {
    this.#item = item;
    this.#outlet = outlet;
    this.#index = outlet.nextIndex();
    outlet.emit({ type: "block_start", index: this.#index, block: "item", item });
  }

  delta(delta: string): void {
    this.#outlet.emit({ type: "block_delta", index: this.#index, block: "item", delta });
  }

  end(type: EndType, item = this.#item): void {
    this.#outlet.emit({ type, index: this.#index, block: "item", item });
  }
}

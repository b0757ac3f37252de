import { errorOf } from "../../core/classify-error.ts";
import type { Machine } from "../../core/machine.ts";
import { isTerminal } from "../../model/guards.ts";
import type { Annotation, Item, ResponseEvent, ResponseResource, TerminalEvent } from "../../model/index.ts";
import { toCitation } from "./citations.ts";
import type { MessagesDialect } from "./dialect.ts";
import { callStart, itemBlocks, messageHead, messageTail, wireUsage } from "./encode-response.ts";
import type { Block } from "./extension.ts";
import { toThinkingBlock } from "./foreign-reasoning.ts";
import { errorBody } from "./wire-errors.ts";

/** Fields that place an event in an item. */
interface Placed {
  output_index: number;
  delta?: unknown;
  item?: Item;
  annotation?: Annotation;
}

/**
 * Tells lawful events as a stream of blocks. The wire has one block open at a time, in the order of the output: what belongs to
 * a later item waits until those before it are done.
 */
export class StreamEncoder implements Machine<ResponseEvent, unknown> {
  readonly #dialect: MessagesDialect;
  readonly #waiting = new Map<number, ResponseEvent[]>();
  #out: unknown[] = [];
  #begun = false;
  #turn = 0;
  /** The number of the next block, and whether the one before it is still open. */
  #index = 0;
  #open = false;
  #cited = false;
  #quoted = false;

  constructor(dialect: MessagesDialect) {
    this.#dialect = dialect;
  }

  push(event: ResponseEvent): unknown[] {
    if (isTerminal(event)) this.#end(event);
    else if ("response" in event) this.#begin(event.response as ResponseResource);
    else if (event.type === "keepalive") this.#out.push({ type: "ping" });
    else if ("output_index" in event) this.#place(event, event as unknown as Placed);
    const out = this.#out;
    this.#out = [];
    return out;
  }

  end(): unknown[] {
    return [];
  }

  #begin(response: ResponseResource): void {
    if (this.#begun) return;
    this.#begun = true;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...messageHead(response), content: [], stop_reason: null, stop_sequence: null, usage };
    this.#out.push({ type: "message_start", message });
  }

  #end(event: TerminalEvent): void {
    const { response } = event;
    if (event.type === "response.failed") return void this.#out.push(errorBody(errorOf(response)));
    this.#begin(response);
    const { container, context_management, ...delta } = messageTail(response);
    this.#out.push({
      type: "message_delta",
      delta: { ...delta, ...(container ? { container } : {}) },
      usage: wireUsage(response),
      ...(context_management ? { context_management } : {}),
    });
    this.#out.push({ type: "message_stop" });
  }

  #place(event: ResponseEvent, { output_index }: Placed): void {
    if (output_index !== this.#turn) {
      const waiting = this.#waiting.get(output_index);
      if (waiting) waiting.push(event);
      else this.#waiting.set(output_index, [event]);
      return;
    }
    this.#tell(event);
    if (event.type !== "response.output_item.done") return;
    this.#turn += 1;
    const next = this.#waiting.get(this.#turn) ?? [];
    this.#waiting.delete(this.#turn);
    for (const waited of next) this.#place(waited, waited as unknown as Placed);
  }

  #tell(event: ResponseEvent): void {
    const arm = arms.get(event.type);
    // Every event that an arm is listed for has an output index, and the fields that its arm reads.
    arm?.(this, event as unknown as Placed);
  }

  /** An item begins: calls show it at once, everything else when there is something to show. */
  add(item: Item): void {
    this.#quoted = false;
    if (item.type === "function_call" || item.type === "custom_tool_call") this.start(callStart(item));
  }

  /** An item is final: the block that it streamed into is closed, or it is told as a whole. */
  done(item: Item): void {
    if (item.type === "message") return this.stop();
    if (item.type === "reasoning") return this.#doneReasoning(item);
    if (item.type === "custom_tool_call") this.piece("input_json_delta", "partial_json", this.#quoted ? '"}' : '{"input":""}');
    if (item.type === "function_call" || item.type === "custom_tool_call") return this.stop();
    for (const block of itemBlocks(item, this.#dialect)) this.#whole(block);
  }

  #doneReasoning(item: Extract<Item, { type: "reasoning" }>): void {
    const block = toThinkingBlock(item, this.#dialect.vendor);
    if (block.type !== "thinking") return this.#whole(block);
    this.think("");
    this.piece("signature_delta", "signature", String(block["signature"]));
    this.stop();
  }

  text(delta: string): void {
    // What was cited ends its block, so that a citation backs what it should.
    if (this.#cited) this.stop();
    if (!this.#open) this.start({ type: "text", text: "" });
    this.piece("text_delta", "text", delta);
  }

  cite(annotation: Annotation): void {
    if (!this.#open) return;
    this.#cited = true;
    this.#out.push({
      type: "content_block_delta",
      index: this.#index,
      delta: { type: "citations_delta", citation: toCitation(annotation) },
    });
  }

  think(delta: string): void {
    if (!this.#open) this.start({ type: "thinking", thinking: "", signature: "" });
    if (delta) this.piece("thinking_delta", "thinking", delta);
  }

  args(delta: string): void {
    this.piece("input_json_delta", "partial_json", delta);
  }

  /** A piece of a free-form call's text, inside the JSON that stands in for it. */
  input(delta: string): void {
    const escaped = JSON.stringify(delta).slice(1, -1);
    this.piece("input_json_delta", "partial_json", this.#quoted ? escaped : `{"input":"${escaped}`);
    this.#quoted = true;
  }

  start(content_block: Block): void {
    this.#open = true;
    this.#out.push({ type: "content_block_start", index: this.#index, content_block });
  }

  piece(type: string, field: string, value: string): void {
    this.#out.push({ type: "content_block_delta", index: this.#index, delta: { type, [field]: value } });
  }

  stop(): void {
    if (!this.#open) return;
    this.#out.push({ type: "content_block_stop", index: this.#index });
    this.#index += 1;
    this.#open = false;
    this.#cited = false;
  }

  /** A whole block; the input of a call comes as a piece, as the wire has it. */
  #whole(block: Block): void {
    const streams = block.type.endsWith("_tool_use");
    this.start(streams ? { ...block, input: {} } : block);
    if (streams) this.piece("input_json_delta", "partial_json", JSON.stringify(block["input"] ?? {}));
    this.stop();
  }
}

type Arm = (encoder: StreamEncoder, event: Placed) => void;
const said = ({ delta }: Placed): string => (typeof delta === "string" ? delta : "");

const arms: ReadonlyMap<string, Arm> = new Map<string, Arm>([
  ["response.output_text.delta", (encoder, event) => encoder.text(said(event))],
  ["response.output_item.added", (encoder, { item }) => item && encoder.add(item)],
  ["response.output_item.done", (encoder, { item }) => item && encoder.done(item)],
  ["response.output_text.annotation.added", (encoder, { annotation }) => annotation && encoder.cite(annotation)],
  ["response.reasoning.delta", (encoder, event) => encoder.think(said(event))],
  ["response.reasoning_summary_text.delta", (encoder, event) => encoder.think(said(event))],
  ["response.function_call_arguments.delta", (encoder, event) => encoder.args(said(event))],
  ["response.custom_tool_call_input.delta", (encoder, event) => encoder.input(said(event))],
]);

import type { Machine } from "../../core/machine.ts";
import { finishReason } from "../../core/views.ts";
import type { EventOf, Item, ResponseError, ResponseEvent, ResponseResource, StandardEventType } from "../../model/index.ts";
import type { BlockError, BlockEvent } from "./block-events.ts";
import { CallTeller, ItemTeller, ThinkingTeller, type Outlet, type Teller } from "./encode-item.ts";
import { MessageTeller } from "./encode-message.ts";
import { completedStatus } from "./stop-reasons.ts";
import { encodeUsage } from "./usage.ts";

/**
 * Creates an encoder from events to a flat stream of blocks. Progress of hosted tools and extension events have no
 * block and are left out; `docs/blocks.md` lists what that means.
 *
 * @example
 * const encoder = createBlockEncoder();
 * for await (const event of respond(request)) for (const block of encoder.push(event)) send(block);
 */
export const createBlockEncoder = (): Machine<ResponseEvent, BlockEvent> => new BlockEncoder();

class BlockEncoder implements Machine<ResponseEvent, BlockEvent> {
  readonly #items: (Teller | undefined)[] = [];
  readonly #outlet: Outlet;
  #out: BlockEvent[] = [];
  #blocks = 0;
  #started = false;
  #erred = false;
  #ended = false;

  constructor() {
    this.#outlet = { emit: (event) => void this.#out.push(event), nextIndex: () => this.#blocks++ };
  }

  push(event: ResponseEvent): BlockEvent[] {
    this.#out = [];
    if (!this.#ended) table.get(event.type)?.(this, event);
    return this.#out;
  }

  end(): BlockEvent[] {
    this.#out = [];
    if (this.#ended) return this.#out;
    this.#endItems("block_abort");
    const error = { code: "truncated", message: "The stream ended before its terminal event." };
    if (!this.#erred) this.error({ type: "server_error", param: null, ...error });
    this.#finish({ type: "status", status: "failed" });
    return this.#out;
  }

  start({ id, model }: ResponseResource): void {
    if (!this.#started) this.#outlet.emit({ type: "status", status: "started", response_id: id, model });
    this.#started = true;
  }

  ping(): void {
    this.#outlet.emit({ type: "ping" });
  }

  error(error: BlockError["error"]): void {
    this.#erred = true;
    this.#outlet.emit({ type: "error", error });
  }

  /** The response is over: usage, the error where it was not told yet, and the final status. */
  terminal(response: ResponseResource): void {
    this.start(response);
    this.#endItems(response.status === "completed" ? "block_stop" : "block_abort");
    if (response.usage) this.#outlet.emit(encodeUsage(response.usage));
    if (response.status === "failed") {
      if (!this.#erred && response.error) this.error(streamError(response.error));
      this.#finish({ type: "status", status: "failed" });
    } else if (finishReason(response) === "cancelled") this.#finish({ type: "status", status: "cancelled" });
    else this.#finish(completedStatus(response));
  }

  add(output_index: number, item: Item): void {
    this.#items[output_index] = tell(item, this.#outlet);
  }

  done(output_index: number, item: Item): void {
    const told = this.#items[output_index] ?? tell(item, this.#outlet);
    told.end(item.status === "incomplete" ? "block_abort" : "block_stop", item);
    this.#items[output_index] = undefined;
  }

  message({ output_index, item_id }: { output_index: number; item_id: string }): MessageTeller | undefined {
    if (!this.#items[output_index])
      this.add(output_index, { type: "message", id: item_id, status: "in_progress", role: "assistant", content: [] });
    const told = this.#items[output_index];
    return told instanceof MessageTeller ? told : undefined;
  }

  thinking({ output_index, item_id }: { output_index: number; item_id: string }): ThinkingTeller | undefined {
    if (!this.#items[output_index]) this.add(output_index, { type: "reasoning", id: item_id, summary: [] });
    const told = this.#items[output_index];
    return told instanceof ThinkingTeller ? told : undefined;
  }

  input({ output_index, delta }: { output_index: number; delta: string }): void {
    const told = this.#items[output_index];
    if (told instanceof CallTeller || told instanceof ItemTeller) told.delta(delta);
  }

  #endItems(type: "block_stop" | "block_abort"): void {
    for (const told of this.#items) told?.end(type);
    this.#items.length = 0;
  }

  #finish(status: BlockEvent): void {
    this.#outlet.emit(status);
    this.#ended = true;
  }
}

function tell(item: Item, outlet: Outlet): Teller {
  if (item.type === "message") return new MessageTeller(item, outlet);
  if (item.type === "reasoning") return new ThinkingTeller(item, outlet);
  if (item.type === "function_call" || item.type === "custom_tool_call") return new CallTeller(item, outlet);
  return new ItemTeller(item, outlet);
}

const streamError = ({ type, code, message, param, request_id }: ResponseError): BlockError["error"] => ({
  type: type ?? "server_error",
  code,
  message,
  param: param ?? null,
  ...(request_id && { request_id }),
});

type Arm = (encoder: BlockEncoder, event: ResponseEvent) => void;
type Told =
  | StandardEventType
  | "response.custom_tool_call_input.delta"
  | "response.mcp_call_arguments.delta"
  | "response.code_interpreter_call_code.delta"
  | "keepalive";
type Arms = { [K in Told]: (encoder: BlockEncoder, event: EventOf<K>) => void };

const silent = (): void => {};
const start = (encoder: BlockEncoder, event: { response: ResponseResource }): void => encoder.start(event.response);
const terminal = (encoder: BlockEncoder, event: { response: ResponseResource }): void => encoder.terminal(event.response);
const input = (encoder: BlockEncoder, event: { output_index: number; delta: string }): void => encoder.input(event);

const arms: Arms = {
  "response.created": start,
  "response.queued": start,
  "response.in_progress": start,
  "response.completed": terminal,
  "response.incomplete": terminal,
  "response.failed": terminal,
  error: (encoder, event) => encoder.error(event.error),
  keepalive: (encoder) => encoder.ping(),

  "response.output_item.added": (encoder, event) => encoder.add(event.output_index, event.item),
  "response.output_item.done": (encoder, event) => encoder.done(event.output_index, event.item),
  "response.content_part.added": (encoder, event) => {
    if (event.part.type === "reasoning_text") encoder.thinking(event)?.begin("reasoning", event.content_index);
    else encoder.message(event)?.open(event.content_index, event.part);
  },
  "response.content_part.done": (encoder, event) => {
    if (event.part.type !== "reasoning_text") encoder.message(event)?.settle(event.content_index, event.part);
  },

  "response.output_text.delta": (encoder, event) => encoder.message(event)?.delta(event.content_index, "text", event.delta),
  "response.output_text.done": silent,
  "response.output_text.annotation.added": (encoder, event) =>
    encoder.message(event)?.annotate(event.content_index, event.annotation),
  "response.refusal.delta": (encoder, event) => encoder.message(event)?.delta(event.content_index, "refusal", event.delta),
  "response.refusal.done": silent,

  "response.reasoning.delta": (encoder, event) => encoder.thinking(event)?.delta("reasoning", event.content_index, event.delta),
  "response.reasoning.done": silent,
  "response.reasoning_summary_part.added": (encoder, event) => encoder.thinking(event)?.begin("summary", event.summary_index),
  "response.reasoning_summary_part.done": silent,
  "response.reasoning_summary_text.delta": (encoder, event) =>
    encoder.thinking(event)?.delta("summary", event.summary_index, event.delta),
  "response.reasoning_summary_text.done": silent,

  "response.function_call_arguments.delta": input,
  "response.function_call_arguments.done": silent,
  "response.custom_tool_call_input.delta": input,
  "response.mcp_call_arguments.delta": input,
  "response.code_interpreter_call_code.delta": input,
};

// A map has no prototype to stumble over; the cast drops what `Arms` has already checked arm by arm.
const table = new Map<string, Arm>(Object.entries(arms) as [string, Arm][]);

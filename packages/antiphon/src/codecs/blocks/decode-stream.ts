import { vendorError } from "../../core/classify-error.ts";
import { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { ResponseEvent, ResponseResource, StreamError } from "../../model/index.ts";
import type { Ctx, Decoder } from "../codec.ts";
import type { BlockEvent, BlockKind } from "./block-events.ts";
import { CallReader, isItem, ItemReader, ThinkingReader, textOf, type Desk, type Reader } from "./decode-block.ts";
import { MessageReaders } from "./decode-message.ts";
import { finishOf, type StopSequenceField } from "./stop-reasons.ts";
import { decodeUsage, mergeUsage, type Tally } from "./usage.ts";

/**
 * Creates a decoder from a flat stream of blocks to events. It is lenient: starts, stops, ids and indices may be
 * missing, and `repairs` counts what was put right.
 *
 * @example
 * const decoder = createBlockDecoder(ctx);
 * const events = [...blocks.flatMap((block) => decoder.push(block)), ...decoder.end()];
 */
export const createBlockDecoder = (ctx: Ctx): Decoder => new BlockDecoder(ctx);

class BlockDecoder implements Decoder {
  readonly #writer: Writer;
  readonly #desk: Desk;
  readonly #messages: MessageReaders;
  readonly #open = new Map<number, Reader>();
  readonly #seen = new Set<number>();
  readonly #repairs = new Map<string, number>();
  #tally: Tally | undefined;
  #error: AntiphonError | undefined;
  #begun = false;
  #aborted = false;

  constructor(ctx: Ctx) {
    this.#writer = new Writer(ctx);
    let keys = 0;
    this.#desk = { writer: this.#writer, newId: (prefix) => ctx.newId(prefix), newKey: () => `block ${++keys}` };
    this.#messages = new MessageReaders(this.#desk);
  }

  get repairs(): Repair[] {
    return [...this.#repairs].map(([rule, count]) => ({ rule, count }));
  }

  push(value: unknown): ResponseEvent[] {
    const event = isObject(value) ? value : {};
    const arm = arms.get(textOf(event["type"]));
    if (this.#writer.finished) this.#report("after-terminal");
    else if (arm) arm(this, event);
    else this.#report("unknown-event");
    return this.#writer.drain();
  }

  end(): ResponseEvent[] {
    return this.fail(new AntiphonError("TRUNCATED", "The stream ended before its final status."));
  }

  fail(error: AntiphonError): ResponseEvent[] {
    const { provider, requestId } = error;
    this.#writer.fail(this.#error?.with({ ...(provider && { provider }), ...(requestId && { requestId }) }) ?? error);
    return this.#writer.drain();
  }

  status(event: JsonObject): void {
    const end = textOf(event["status"]);
    if (end === "started") return this.#start(event);
    if (end === "completed") this.#complete(event);
    else if (end === "cancelled") this.#writer.fail(new AntiphonError("ABORTED", "The response was cancelled."));
    else if (end === "failed")
      this.#writer.fail(this.#error ?? vendorError({ message: "The response failed, and the provider gave no reason." }));
    else this.#report("unknown-status");
  }

  usage(event: JsonObject): void {
    this.#tally = mergeUsage(this.#tally ?? {}, event);
    this.#writer.response({ usage: decodeUsage(this.#tally) });
  }

  error(event: JsonObject): void {
    const told = isObject(event["error"]) ? event["error"] : event;
    const error: StreamError = {
      type: told === event ? "server_error" : textOf(told["type"]) || "server_error",
      code: textOf(told["code"]) || null,
      message: textOf(told["message"]),
      param: textOf(told["param"]) || null,
    };
    this.#begun = true;
    this.#error = vendorError(error, textOf(told["request_id"]) ? { requestId: textOf(told["request_id"]) } : {});
    this.#writer.error(error);
  }

  blockStart(event: JsonObject): void {
    const index = indexOf(event);
    const before = this.#open.get(index);
    if (before) {
      this.#report("block-not-stopped");
      this.#open.delete(index);
      before.end({}, "completed");
    }
    this.#enter(index, event);
  }

  blockDelta(event: JsonObject): void {
    const index = indexOf(event);
    if (!this.#open.has(index)) this.#report("block-not-started");
    const reader = this.#open.get(index) ?? this.#enter(index, event);
    reader?.delta(event);
  }

  blockEnd(event: JsonObject): void {
    const index = indexOf(event);
    const reader = this.#open.get(index) ?? this.#stray(index, event);
    if (!reader) return;
    this.#open.delete(index);
    const aborted = event["type"] === "block_abort";
    this.#aborted ||= aborted;
    reader.end(event, aborted ? "incomplete" : "completed");
  }

  #start(event: JsonObject): void {
    if (this.#begun) return;
    const id = textOf(event["response_id"]);
    const model = textOf(event["model"]);
    this.#writer.response({ ...(id && { id }), ...(model && { model }) });
    this.#begun = true;
    this.#writer.start();
  }

  #complete(event: JsonObject): void {
    const reason = textOf(event["stop_reason"]) || "end_turn";
    const finish = finishOf(reason);
    if (reason === "stop_sequence") {
      const field: StopSequenceField & Partial<ResponseResource> = { stop_sequence: textOf(event["stop_sequence"]) };
      this.#writer.response(field);
    }
    // A completed response holds no incomplete item.
    const broken = this.#aborted && finish.status === "completed";
    if (broken) this.#report("aborted-block");
    this.#writer.finish(broken ? { status: "incomplete", reason: "aborted" } : finish);
  }

  #enter(index: number, event: JsonObject): Reader | undefined {
    const kind = textOf(event["block"]);
    const reader = isKind(kind) ? openers[kind](event, this.#desk, this.#messages) : undefined;
    if (!reader) {
      this.#report("unknown-block");
      return undefined;
    }
    this.#begun = true;
    this.#seen.add(index);
    this.#open.set(index, reader);
    return reader;
  }

  /** The block of an end without a start: made where the end tells something, as that of a thought that was only ever a blob. */
  #stray(index: number, event: JsonObject): Reader | undefined {
    this.#report("block-not-started");
    const tells = ["text", "refusal", "summary", "content", "encrypted_content", "item"].some((field) =>
      hasContent(event[field]),
    );
    return tells && !this.#seen.has(index) ? this.#enter(index, event) : undefined;
  }

  #report(rule: string): void {
    this.#repairs.set(rule, (this.#repairs.get(rule) ?? 0) + 1);
  }
}

type Opener = (event: JsonObject, desk: Desk, messages: MessageReaders) => Reader | undefined;
const openers: { [K in BlockKind]: Opener } = {
  text: (event, _, messages) => messages.open("text", event),
  refusal: (event, _, messages) => messages.open("refusal", event),
  tool_use: (event, desk) => new CallReader(event, desk),
  thinking: (event, desk) => new ThinkingReader(event, desk),
  item: (event, desk) => (isItem(event["item"]) ? new ItemReader(event["item"], desk) : undefined),
};

const isKind = (kind: string): kind is BlockKind => Object.hasOwn(openers, kind);
const indexOf = (event: JsonObject): number => (typeof event["index"] === "number" ? event["index"] : 0);
const hasContent = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

type Arm = (decoder: BlockDecoder, event: JsonObject) => void;
const armOf: { [T in BlockEvent["type"]]: Arm } = {
  status: (decoder, event) => decoder.status(event),
  usage: (decoder, event) => decoder.usage(event),
  error: (decoder, event) => decoder.error(event),
  // Open Responses has no heartbeat.
  ping: () => {},
  block_start: (decoder, event) => decoder.blockStart(event),
  block_delta: (decoder, event) => decoder.blockDelta(event),
  block_stop: (decoder, event) => decoder.blockEnd(event),
  block_abort: (decoder, event) => decoder.blockEnd(event),
};
const arms = new Map<string, Arm>(Object.entries(armOf));

import { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { ResponseEvent } from "../../model/index.ts";
import type { Ctx, Decoder, FoundFrames } from "../codec.ts";
import { AlikeEvents } from "../shared/alike.ts";
import { alikeDeltas } from "./alike-deltas.ts";
import { Answer } from "./answer.ts";
import { errorIn } from "./decode-error.ts";
import type { MessagesDialect } from "./dialect.ts";
import { findTextFrames } from "./text-frames.ts";

type Arm = (answer: Answer, event: JsonObject) => void;

const arms: ReadonlyMap<unknown, Arm> = new Map<string, Arm>([
  ["content_block_delta", (answer, event) => answer.delta(event["index"], event["delta"])],
  ["content_block_start", (answer, event) => answer.open(event["index"], event["content_block"])],
  ["content_block_stop", (answer, event) => answer.stop(event["index"])],
  ["message_start", (answer, event) => isObject(event["message"]) && answer.begin(event["message"])],
  [
    "message_delta",
    (answer, event) => {
      if (isObject(event["delta"])) answer.update(event["delta"]);
      answer.update(event);
      answer.usage(event["usage"]);
    },
  ],
  ["message_stop", (answer) => answer.finish()],
]);

/** Turns the wire's events into lawful ones. */
export class StreamDecoder implements Decoder {
  // The wire is read as it is: there is nothing to put right.
  readonly repairs: Repair[] = [];
  readonly #answer: Answer;
  readonly #alike = new AlikeEvents(alikeDeltas);

  constructor(ctx: Ctx, dialect: MessagesDialect) {
    this.#answer = new Answer(ctx, dialect);
  }

  parse(text: string): unknown {
    return this.#alike.parse(text);
  }

  push(value: unknown): ResponseEvent[] {
    this.take(value);
    return this.drain();
  }

  take(value: unknown): void {
    if (!isObject(value) || this.#answer.writer.finished) return;
    const arm = arms.get(value["type"]);
    const error = arm ? undefined : errorIn(value);
    if (error) this.#answer.fail(error);
    arm?.(this.#answer, value);
  }

  find(bytes: Uint8Array, view: DataView, at: number): FoundFrames | undefined {
    const found = findTextFrames(bytes, view, at);
    return found && { end: found.end, take: () => this.#answer.texts(found.index, found.pieces) };
  }

  drain(): ResponseEvent[] {
    return this.#answer.writer.drain();
  }

  end(): ResponseEvent[] {
    return this.fail(new AntiphonError("TRUNCATED", "The stream ended before its `message_stop`."));
  }

  fail(error: AntiphonError): ResponseEvent[] {
    this.#answer.fail(error);
    return this.drain();
  }
}

import type { Decoder, StreamPosition } from "../codecs/codec.ts";
import { AntiphonError } from "../core/error.ts";
import { terminalType } from "../core/expand.ts";
import type { Repair } from "../core/loss.ts";
import { isObject, isTerminal } from "../model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../model/index.ts";

/**
 * Reads one response over many connections: what came already is dropped by its number, and a connection that breaks ends nothing.
 * It can also be told how the response stands, and then says what is missing up to there.
 */
export class JobDecoder implements Decoder {
  readonly #inner: Decoder;
  /** The server's number of the last event that was taken; -1 before the first, and where the server gives none. */
  cursor: number;
  /** Whether the terminal event was said. */
  ended: boolean;
  /** Why the last connection ended. */
  broken: AntiphonError | undefined;
  /** Whether a whole response was told: such a server does not stream it. */
  told = false;
  /** After which of the server's numbers a stream goes on that was left at an event, where that is not the event's own number. */
  readonly #marks = new Map<number, number>();
  #status: ResponseResource["status"] | undefined;

  /** `from` is where an earlier stream was left. */
  constructor(inner: Decoder, from?: StreamPosition) {
    this.#inner = inner;
    this.cursor = from?.cursor ?? -1;
    this.#status = from?.response.status;
    this.ended = from !== undefined && terminalType(from.response) !== undefined;
  }

  /** Whether the response has begun. */
  get begun(): boolean {
    return this.#status !== undefined;
  }

  get repairs(): Repair[] {
    return this.#inner.repairs;
  }

  push(value: unknown): ResponseEvent[] {
    const number = isObject(value) ? value["sequence_number"] : undefined;
    const before = this.cursor;
    if (typeof number === "number" && number <= before) return [];
    // Whatever comes before the response itself would be taken for one without an id, and that could not be asked after.
    if (!this.begun && isObject(value) && !isObject(value["response"]) && value["type"] !== "error") return [];
    const events = this.#inner.push(value);
    if (typeof number === "number") this.cursor = number;
    const last = events.length - 1;
    for (let at = 0; at <= last; at += 1) this.#note(events[at]!, at === last ? this.cursor : before);
    return events;
  }

  end(): ResponseEvent[] {
    return this.fail(new AntiphonError("TRUNCATED", "The stream ended before its terminal event."));
  }

  /** A connection ended, not the response. */
  fail(error: AntiphonError): ResponseEvent[] {
    this.broken = error;
    return [];
  }

  /** Ends the response here, whatever becomes of it at the server. */
  giveUp(error: AntiphonError): ResponseEvent[] {
    this.ended = true;
    return this.#inner.fail(error);
  }

  /** Takes the response as the server has it now. */
  tell(response: ResponseResource): ResponseEvent[] {
    this.told = true;
    const end = terminalType(response);
    const types = end ? [end] : this.#status === undefined ? ["response.created"] : [];
    if (!end && response.status !== this.#status) types.push(`response.${response.status}`);
    // What is still being written is told when it is whole.
    const events = types.flatMap((type) => this.#inner.push({ type, response: end ? response : { ...response, output: [] } }));
    for (const event of events) this.#note(event, this.cursor);
    return events;
  }

  /** After which of the server's numbers a stream goes on that was left at this event. */
  cursorAt({ sequence_number }: ResponseEvent): number {
    const mark = this.#marks.get(sequence_number);
    this.#marks.delete(sequence_number);
    return mark ?? sequence_number;
  }

  #note(event: ResponseEvent, cursor: number): void {
    if (cursor !== event.sequence_number) this.#marks.set(event.sequence_number, cursor);
    if (isTerminal(event)) this.ended = true;
    else if ("response" in event) this.#status = (event.response as ResponseResource).status;
  }
}

import type { Codec, Decoder } from "../../../src/codecs/codec.ts";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import { isTerminal, isWire, opens } from "../../../src/model/guards.ts";
import type { CreateResponse, ResponseEvent, WireEvent } from "../../../src/model/index.ts";
import { EventReader, type AnswerReader } from "../../../src/transport/readers.ts";
import { RelayReader } from "../../../src/transport/relay-reader.ts";
import { testCtx } from "../../support/ctx.ts";
import { sseValues } from "../../support/sse-values.ts";

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns all events that a reader emits for a body, split at `cuts`. */
export function readAll(reader: AnswerReader, body: Uint8Array, cuts: readonly number[] = []): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const ends = [...cuts.map((cut) => cut % (body.length + 1)), body.length].sort((a, b) => a - b);
  for (let index = 0, from = 0; index < ends.length && !reader.error; from = ends[index]!, index += 1)
    events.push(...reader.push(body.slice(from, ends[index])));
  if (!reader.error) events.push(...reader.end());
  if (reader.error && reader.started) events.push(...reader.fail(reader.error));
  return events;
}

export const relayOf = (codec: Codec, request?: CreateResponse): RelayReader =>
  new RelayReader(codec.createRelay!(testCtx(request))!, { maxEventBytes: 64 * 1024 * 1024 });
export const readerOf = (codec: Codec, request?: CreateResponse): EventReader => new EventReader(codec, testCtx(request), {});

/** Parses the frames of a relay. `beginning` decodes the opening events, which a decoder may repair. */
export function unwired(events: ResponseEvent[], beginning: Decoder = responsesCodec().createDecoder(testCtx())): unknown[] {
  const read = (event: WireEvent): unknown[] => {
    const values = sseValues(bytesOf(event.text));
    return opens(event) ? values.flatMap((value) => beginning.push(value)) : values;
  };
  return events.flatMap((event) => (isWire(event) ? read(event) : [event]));
}

/** Returns the text of all frames that a relay passed on. */
export const textOf = (events: ResponseEvent[]): string =>
  events.flatMap((event) => (isWire(event) ? [event.text] : [])).join("");

/** Returns how an answer ended, without the numbers of an estimated usage. */
export const endOf = (events: ResponseEvent[]): unknown => {
  const last = events.at(-1);
  if (!last || !isTerminal(last)) return undefined;
  const { status, usage, incomplete_details, error } = last.response;
  return { type: last.type, status, incomplete_details, error, usage: usage?.estimated ? "estimated" : usage };
};

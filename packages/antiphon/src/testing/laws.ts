import type { Codec, Ctx, ServerCodec } from "../codecs/codec.ts";
import { isEndMark } from "../codecs/shared/frames.ts";
import { checkLifecycle } from "../core/lifecycle.ts";
import { reduce, Reducer } from "../core/reduce.ts";
import { isObject, isTerminal } from "../model/guards.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../model/index.ts";
import { SseParser } from "../transport/sse.ts";
import { firstDifference } from "./difference.ts";
import { ReadLog } from "./unread.ts";

/** What a law found: a sentence about the first breach, or nothing where the law holds. */
export type Finding = string | undefined;

/** Makes a fresh context: each run must get the same ids and times. */
export type MakeCtx = () => Ctx;

/** Decodes a stream's JSON values into events. */
export function decodeValues(codec: Codec, ctx: Ctx, values: Iterable<unknown>): ResponseEvent[] {
  const decoder = codec.createDecoder(ctx);
  const events: ResponseEvent[] = [];
  for (const value of values) for (const event of decoder.push(value)) events.push(event);
  return events.concat(decoder.end());
}

/** Decodes a stream's bytes, read in the given chunks, into events. */
export function decodeBytes(codec: Codec, ctx: Ctx, chunks: Iterable<Uint8Array>): ResponseEvent[] {
  const decoder = codec.createDecoder(ctx);
  const events: ResponseEvent[] = [];
  let isMarked = false;
  for (const data of dataIn(chunks)) {
    if (isEndMark(data)) isMarked = true;
    else for (const event of decoder.push(JSON.parse(data))) events.push(event);
  }
  return events.concat(decoder.end(isMarked));
}

function* dataIn(chunks: Iterable<Uint8Array>): Generator<string> {
  const parser = new SseParser();
  for (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.end();
}

/** Splits bytes into chunks of the given sizes, repeating the sizes. */
export function* cut(bytes: Uint8Array, ...sizes: number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

// Blobs are sealed afresh each time that a server writes them, so two copies of one item differ.
const sealed: ReadonlySet<string> = new Set(["encrypted_content", "fingerprint"]);

/** Checks the fold law: reducing all events gives the terminal event's response. */
export function foldLaw(events: readonly ResponseEvent[]): Finding {
  const last = events.at(-1);
  if (!last || !isTerminal(last)) return "The last event is not terminal.";
  const whole = firstDifference(reduce(events), last.response);
  if (whole) return `The reduced response differs from the terminal response at ${whole}.`;
  const fold = new Reducer();
  for (const event of events.slice(0, -1)) fold.push(event);
  const items = firstDifference(fold.items, last.response.output, sealed);
  return items && `The streamed items differ from the terminal response's at ${items}.`;
}

const ofOneAnswer: ReadonlySet<string> = new Set(["id", "item_id", "call_id", "created_at", "completed_at", ...sealed]);

/**
 * Checks the parity law: the fold of a stream equals the plain response of the same answer, except for ids and times.
 */
export function parityLaw(streamed: ResponseResource, plain: ResponseResource): Finding {
  const path = firstDifference(streamed, plain, ofOneAnswer);
  return path && `The streamed response differs from the plain one at ${path}.`;
}

/** Checks the chunking law: any byte split of the same bytes gives the same events. */
export function chunkingLaw(codec: Codec, makeCtx: MakeCtx, bytes: Uint8Array, splits: readonly (readonly number[])[]): Finding {
  const whole = decodeBytes(codec, makeCtx(), [bytes]);
  for (const sizes of splits) {
    const path = firstDifference(decodeBytes(codec, makeCtx(), cut(bytes, ...sizes)), whole);
    if (path) return `Chunks of ${sizes.join(", ")} bytes change the events at ${path}.`;
  }
  return undefined;
}

/** Checks the lifecycle law: numbers without gaps, every part closed, one terminal event, which is the last. */
export function lifecycleLaw(events: readonly ResponseEvent[]): Finding {
  const violation = checkLifecycle(events);
  return violation && `Event ${violation.index} violates ${violation.rule}: ${violation.message}`;
}

/** Checks the round-trip law: decoding our own request gives the request, except for reported losses. */
export function roundTripLaw(codec: Codec, server: ServerCodec, ctx: Ctx): Finding {
  const { body, losses } = codec.encodeRequest(ctx);
  const lost = new Set(losses.map(({ path }) => path.replace(/[[.].*$/, "")));
  const wire: unknown = JSON.parse(JSON.stringify(body));
  const path = firstDifference(server.decodeRequest(wire), asSent(ctx.request), new Set([...lost, "stream"]));
  return path && `The decoded request differs at ${path}, and no loss was reported.`;
}

const asSent = (request: CreateResponse): unknown => JSON.parse(JSON.stringify(request));

/** Checks the identity law: every event passes in order with every field unchanged. Only missing fields are added. */
export function identityLaw(
  codec: Codec,
  ctx: Ctx,
  values: readonly unknown[],
  names: ReadonlyMap<string, string> = new Map(),
): Finding {
  const before = structuredClone(values) as { type: string }[];
  for (const value of before) value.type = names.get(value.type) ?? value.type;
  const decoder = codec.createDecoder(ctx);
  const after = values.flatMap((value) => decoder.push(value));
  let at = 0;
  for (const [index, value] of before.entries()) {
    while (at < after.length && after[at]?.type !== value.type) at += 1;
    const path = firstDifference(value, restrict(after[at], value));
    if (path) return `Event ${index}, ${value.type}, changed at ${path}.`;
    at += 1;
  }
  return undefined;
}

/** The part of a value that another one has too, lists and all. */
function restrict(value: unknown, shape: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(shape)) return value.map((inner, index) => restrict(inner, shape[index]));
  if (!isObject(value) || !isObject(shape)) return value;
  return Object.fromEntries(Object.keys(shape).map((key) => [key, restrict(value[key], shape[key])]));
}

/** Checks the unread law: lists the fields of these streams that a codec neither reads nor passes on. */
export function unreadLaw(codec: Codec, makeCtx: MakeCtx, streams: Iterable<readonly unknown[]>): string[] {
  const log = new ReadLog();
  for (const values of streams) {
    const decoder = codec.createDecoder(makeCtx());
    const events = values.flatMap((value) => decoder.push(log.watch(value)));
    // What is passed on as it came is looked at here, on behalf of whoever reads the events.
    JSON.stringify([...events, ...decoder.end()]);
  }
  return log.unread();
}

/**
 * Checks the truncation law: a stream cut before its end gives a failed response with the partial output. Long
 * streams are cut in `cuts` places, the first and the last always among them.
 */
export function truncationLaw(codec: Codec, makeCtx: MakeCtx, values: readonly unknown[], cuts = 40): Finding {
  const whole = decodeValues(codec, makeCtx(), structuredClone(values));
  const end = whole.findIndex(isTerminal);
  const stride = Math.max(1, Math.floor(values.length / cuts));
  const lengths = values.map((_, index) => index).filter((index) => index % stride === 0 || index > values.length - 4);
  for (const length of lengths) {
    const events = decodeValues(codec, makeCtx(), structuredClone(values.slice(0, length)));
    const last = events.at(-1);
    if (!last || !isTerminal(last)) return `Cut after ${length} values, the stream has no terminal event.`;
    if (events.length > end && last.type === whole[end]?.type) return undefined;
    if (last.type !== "response.failed") return `Cut after ${length} values, the stream ends in ${last.type}.`;
    const broken = lifecycleLaw(events) ?? foldLaw(events);
    if (broken) return `Cut after ${length} values: ${broken}`;
  }
  return undefined;
}

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

/** Everything that a codec makes of a stream's JSON values. */
export function decodeValues(codec: Codec, ctx: Ctx, values: Iterable<unknown>): ResponseEvent[] {
  const decoder = codec.createDecoder(ctx);
  const events: ResponseEvent[] = [];
  for (const value of values) for (const event of decoder.push(value)) events.push(event);
  return events.concat(decoder.end());
}

/** Decodes a stream that arrives in these chunks. */
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

/** Cuts bytes into pieces of these sizes, over and over. */
export function* cut(bytes: Uint8Array, ...sizes: number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

// Blobs are sealed afresh each time that a server writes them, so two copies of one item differ.
const sealed: ReadonlySet<string> = new Set(["encrypted_content", "fingerprint"]);

/** **Fold**: reducing all events gives the terminal event's response, and its items are those that were streamed. */
export function foldLaw(events: readonly ResponseEvent[]): Finding {
  const last = events.at(-1);
  if (!last || !isTerminal(last)) return "The last event is not terminal.";
  const whole = firstDifference(reduce(events), last.response);
  if (whole) return `The fold differs from the terminal response at ${whole}.`;
  const fold = new Reducer();
  for (const event of events.slice(0, -1)) fold.push(event);
  const items = firstDifference(fold.items, last.response.output, sealed);
  return items && `The streamed items differ from the terminal response's at ${items}.`;
}

const ofOneAnswer: ReadonlySet<string> = new Set(["id", "item_id", "call_id", "created_at", "completed_at", ...sealed]);

/** **Parity**: the fold of a stream is the plain response of the same answer, but for ids and times. */
export function parityLaw(streamed: ResponseResource, plain: ResponseResource): Finding {
  const path = firstDifference(streamed, plain, ofOneAnswer);
  return path && `The streamed response differs from the plain one at ${path}.`;
}

/** **Chunking**: any byte split of the same bytes gives the same events. */
export function chunkingLaw(codec: Codec, makeCtx: MakeCtx, bytes: Uint8Array, splits: readonly (readonly number[])[]): Finding {
  const whole = decodeBytes(codec, makeCtx(), [bytes]);
  for (const sizes of splits) {
    const path = firstDifference(decodeBytes(codec, makeCtx(), cut(bytes, ...sizes)), whole);
    if (path) return `Chunks of ${sizes.join(", ")} bytes change the events at ${path}.`;
  }
  return undefined;
}

/** **Lifecycle**: numbered without gaps, everything opened is closed, deltas add up, one terminal event, last. */
export function lifecycleLaw(events: readonly ResponseEvent[]): Finding {
  const violation = checkLifecycle(events);
  return violation && `Event ${violation.index} breaks ${violation.rule}: ${violation.message}`;
}

/** **Round trip**: what a server reads of our request is the request, but for declared losses. */
export function roundTripLaw(codec: Codec, server: ServerCodec, ctx: Ctx): Finding {
  const { body, losses } = codec.encodeRequest(ctx);
  const lost = new Set(losses.map(({ path }) => path.replace(/[[.].*$/, "")));
  const wire: unknown = JSON.parse(JSON.stringify(body));
  const path = firstDifference(server.decodeRequest(wire), asSent(ctx.request), new Set([...lost, "stream"]));
  return path && `The request comes back different at ${path}, and no loss was declared.`;
}

const asSent = (request: CreateResponse): unknown => JSON.parse(JSON.stringify(request));

/** **Identity**: whatever came goes out, in order and with every field unchanged; only what a server left out is added. */
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

/** **Unread**: the fields of these streams that a codec neither looks at nor passes on; a reviewed list holds what may be among them. */
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
 * **Truncation**: a stream cut anywhere before its end yields a failed response with what had come, never a completed one. Long
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

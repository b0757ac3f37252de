import { isRun, isWire, piecesOf, type CreateResponse, type Machine, type ResponseEvent, type ServerCodec } from "antiphon";
import { clientError, type Face } from "./faces.ts";
import type { Tape } from "../runs/live.ts";
import { withHeaders, type Reply, type Sink } from "./exchange.ts";
import { Frames, type Out } from "./frames.ts";
import type { Heartbeat } from "./heartbeat.ts";

const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** How a stream is told. */
export interface Telling {
  face: Face;
  heartbeat: Heartbeat;
  request: CreateResponse;
  /** Whether the model speaks the wire of the client, so that its own frames are passed on. */
  relays?: boolean;
  /** Only events with a number above this one are told. */
  after?: number;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Is told all that the client is told. */
  tape?: Tape | undefined;
}

/**
 * Streams the events of a response in the client's wire format. An error before the first event rejects, so that it becomes an
 * HTTP error, unless the model has been silent for a heartbeat: then the stream begins without an event, because clients and
 * proxies give up on a connection without a byte, and a later error is the stream's only event.
 */
export async function streamReply(batches: AsyncIterator<ResponseEvent[]>, telling: Telling): Promise<Reply> {
  const { heartbeat } = telling;
  const first = firstEvents(batches);
  // The stream reports a rejection that comes after the silence.
  first.catch(() => {});
  const silence = new Promise<"silence">((resolve) => {
    const pulse = heartbeat.start(() => resolve("silence"));
    const stop = (): void => heartbeat.stop(pulse);
    first.then(stop, stop);
  });
  const isSilent = (await Promise.race([first, silence])) === "silence";
  return {
    status: 200,
    headers: withHeaders(streamHeaders, telling.headers),
    stream: (sink) => {
      if (isSilent && !sink.closed) sink.write(comment);
      return writeStream(batches, first, telling, sink);
    },
  };
}

/** Reads up to the first batch that clients see something of. */
async function firstEvents(batches: AsyncIterator<ResponseEvent[]>): Promise<IteratorResult<ResponseEvent[]>> {
  let first = await batches.next();
  while (!first.done && first.value.every(isOutOfBand)) first = await batches.next();
  return first;
}

const isOutOfBand = (event: ResponseEvent): boolean => event.type.startsWith("antiphon:") && !isWire(event) && !isRun(event);

async function writeStream(
  batches: AsyncIterator<ResponseEvent[]>,
  first: Promise<IteratorResult<ResponseEvent[]>>,
  telling: Telling,
  sink: Sink,
): Promise<void> {
  const { codec, answersFailures } = telling.face;
  const encode = new Encoding(telling);
  const { tape, heartbeat } = telling;
  const pulse = heartbeat.start(() => {
    if (!sink.closed) sink.write(comment);
  });
  const out = tape ? taped(sink, tape) : sink;
  let endsWell = true;
  try {
    const begun = await first.catch((thrown: unknown) => {
      endsWell = answersFailures;
      return encode.error(thrown);
    });
    for (let next = begun; !next.done && !sink.closed; next = await batches.next()) {
      writeBatch(next.value, encode, out);
      pulse.told = true;
      tape?.told();
      // The last event alone says how it ended.
      if (next.value.at(-1)?.type === "response.failed") endsWell = answersFailures;
      const drained = sink.drained();
      if (drained) await drained;
    }
    encode.end(endsWell ? codec.lastFrame : "");
    if (!sink.closed) encode.frames.writeTo(out);
  } finally {
    heartbeat.stop(pulse);
    await batches.return?.();
  }
}

/** What readers of server-sent events pass over. */
const comment = ":\n\n";

/** Writes to both. */
const taped = (sink: Sink, tape: Tape): Out => ({
  write(bytes) {
    sink.write(bytes);
    tape.write(bytes);
  },
});

/** Writes what is to be written of a batch, as few pieces as can be. */
function writeBatch(batch: readonly ResponseEvent[], encode: Encoding, out: Out): void {
  for (const event of batch) {
    if (!isWire(event)) {
      encode.event(event);
      continue;
    }
    encode.passes();
    encode.frames.writeTo(out);
    out.write(event.bytes);
  }
  encode.frames.writeTo(out);
}

/** How events become the frames of a stream. */
class Encoding {
  readonly frames: Frames;
  readonly #codec: ServerCodec;
  readonly #encoder: Machine<ResponseEvent, unknown>;
  readonly #after: number | undefined;
  readonly #isResponses: boolean;
  /** On wires without numbers the frames that pass are the whole stream, unless it broke off. Whether they pass shows after the beginning. */
  #passing: boolean | undefined;
  #beginning: ResponseEvent[] = [];

  constructor({ face: { codec, wire }, request, after, relays }: Telling) {
    this.frames = new Frames(codec);
    this.#codec = codec;
    this.#encoder = codec.createEncoder(request);
    this.#after = after;
    this.#isResponses = wire === "responses";
    this.#passing = relays === true && wire !== "responses" ? undefined : false;
  }

  event(event: ResponseEvent): void {
    if (this.#passing === false || (this.#passing && isBreak(event))) return this.#tell(event);
    if (this.#passing) return;
    this.#beginning.push(event);
    if (beginnings.has(event.type) || isOutOfBand(event)) return;
    this.#passing = false;
    for (const one of this.#beginning) this.#tell(one);
  }

  /** Adds the error of a stream that failed before its first event, and ends the stream. */
  error(thrown: unknown): IteratorResult<never> {
    const { body } = this.#codec.encodeError(clientError(thrown));
    this.frames.add(this.#isResponses ? { type: "error", sequence_number: 0, ...(body as object) } : body);
    return { done: true, value: undefined };
  }

  /** A frame of the model's own was passed on. */
  passes(): void {
    this.#passing ??= true;
    if (this.#beginning.length > 0) this.#beginning = [];
  }

  end(lastFrame: string): void {
    if (!this.#passing) this.#add(this.#encoder.end());
    this.frames.text(lastFrame);
  }

  #tell(event: ResponseEvent): void {
    if (!isRun(event) || this.#codec.takesRuns) this.#add(this.#encoder.push(event));
    else for (const piece of piecesOf(event)) this.#add(this.#encoder.push(piece));
  }

  #add(values: readonly unknown[]): void {
    for (const value of values) if (this.#after === undefined || isAfter(value, this.#after)) this.frames.add(value);
  }
}

const beginnings: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

const isBreak = (event: ResponseEvent): boolean =>
  event.type === "response.failed" ||
  (event.type === "response.incomplete" && event.response.incomplete_details?.reason === "cancelled");

const isAfter = (value: unknown, after: number): boolean =>
  ((value as { sequence_number?: number }).sequence_number ?? 0) > after;

import { isRun, isWire, piecesOf, type CreateResponse, type ResponseEvent } from "antiphon";
import type { Face } from "./faces.ts";
import type { Tape } from "../runs/live.ts";
import type { Reply, Sink } from "./exchange.ts";
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
  headers?: Record<string, string>;
  /** Is told all that the client is told. */
  tape?: Tape | undefined;
}

/** Tells the events of a response as a stream of a face. What fails before the first is thrown: it is still an HTTP error. */
export async function streamReply(batches: AsyncIterator<ResponseEvent[]>, telling: Telling): Promise<Reply> {
  let first = await batches.next();
  // What is told to programs alone is no answer yet.
  while (!first.done && first.value.every(isOutOfBand)) first = await batches.next();
  return {
    status: 200,
    headers: { ...streamHeaders, ...telling.headers },
    stream: (sink) => writeStream(batches, first, telling, sink),
  };
}

const isOutOfBand = (event: ResponseEvent): boolean => event.type.startsWith("antiphon:") && !isWire(event) && !isRun(event);

async function writeStream(
  batches: AsyncIterator<ResponseEvent[]>,
  first: IteratorResult<ResponseEvent[]>,
  telling: Telling,
  sink: Sink,
): Promise<void> {
  const { codec, answersFailures } = telling.face;
  const encode = encoding(telling);
  const { tape, heartbeat } = telling;
  const pulse = heartbeat.start(() => {
    if (!sink.closed) sink.write(comment);
  });
  const out = tape ? taped(sink, tape) : sink;
  let endsWell = true;
  try {
    for (let next = first; !next.done && !sink.closed; next = await batches.next()) {
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
interface Encoding {
  readonly frames: Frames;
  event(event: ResponseEvent): void;
  /** A frame of the model's own was passed on. */
  passes(): void;
  end(lastFrame: string): void;
}

function encoding({ face, request, after, relays }: Telling): Encoding {
  const { codec, wire } = face;
  const encoder = codec.createEncoder(request);
  const frames = new Frames(codec);
  const add = (values: readonly unknown[]): void => {
    for (const value of values) if (after === undefined || isAfter(value, after)) frames.add(value);
  };
  // On wires without numbers the frames that pass are the whole stream, unless it broke off. Whether they pass shows after the beginning.
  let passing: boolean | undefined = relays === true && wire !== "responses" ? undefined : false;
  let beginning: ResponseEvent[] = [];
  const tell = (event: ResponseEvent): void => {
    if (!isRun(event) || codec.takesRuns) add(encoder.push(event));
    else for (const piece of piecesOf(event)) add(encoder.push(piece));
  };
  return {
    frames,
    event(event) {
      if (passing === false || (passing && isBreak(event))) return tell(event);
      if (passing) return;
      beginning.push(event);
      if (beginnings.has(event.type) || isOutOfBand(event)) return;
      passing = false;
      for (const one of beginning) tell(one);
    },
    passes() {
      passing ??= true;
      beginning = [];
    },
    end(lastFrame) {
      if (!passing) add(encoder.end());
      frames.text(lastFrame);
    },
  };
}

const beginnings: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

const isBreak = (event: ResponseEvent): boolean =>
  event.type === "response.failed" ||
  (event.type === "response.incomplete" && event.response.incomplete_details?.reason === "cancelled");

const isAfter = (value: unknown, after: number): boolean =>
  ((value as { sequence_number?: number }).sequence_number ?? 0) > after;

import type { RunEvent } from "../../model/index.ts";
import { strings, textsOf, type Texts } from "../shared/write-texts.ts";

/** A chunk's place in its stream, as every chunk repeats it. */
export interface Head {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  service_tier: string;
  system_fingerprint: null;
}

/** What all chunks of text in one stream have in common, as values and as text. */
export interface TextFrame {
  head: Head;
  /** Whether chunks speak of usage, as they do to clients that asked for it. */
  counts: boolean;
  before: string;
  after: string;
  /** What lies between two texts, as bytes: the end of one chunk and the beginning of the next. */
  seam: Uint8Array;
  /** How many of these bytes end a chunk. */
  ending: number;
}

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

const place = '"content":';

export function textFrame(head: Head, counts: boolean): TextFrame {
  const empty = new TextChunk({ head, counts, before: "", after: "", seam: nothing, ending: 0 }, "");
  const whole = JSON.stringify(empty);
  // Quotes in other fields are escaped, so that nothing else looks like it.
  const at = whole.indexOf(`${place}""`) + place.length;
  const before = `data: ${whole.slice(0, at)}`;
  const after = `${whole.slice(at + 2)}\n\n`;
  // The fields behind the text are of this wire alone, and have a byte for each character.
  return { head, counts, before, after, seam: encoder.encode(after + before), ending: after.length };
}

/** Writes the chunks of texts, and gives where they end; nothing where there is not enough room. */
function writeChunks({ seam, ending }: TextFrame, texts: Texts, room: Uint8Array, at: number): number | undefined {
  if (at + seam.length > room.length) return undefined;
  room.set(seam.subarray(ending), at);
  let end = at + seam.length - ending;
  for (let index = 0; index < texts.count; index += 1) {
    if (end + texts.most(index) + seam.length + quotes > room.length) return undefined;
    end = texts.write(index, room, end);
    room.set(seam, end);
    end += seam.length;
  }
  // Behind the last there is no other.
  return end - seam.length + ending;
}

const quotes = 2;

/** A chunk that adds text to the message: most of a stream is such, and putting one together takes a fifth of what `JSON.stringify` takes. */
export class TextChunk implements Head {
  readonly id: string;
  readonly object = "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly service_tier: string;
  readonly system_fingerprint = null;
  readonly choices: [{ index: 0; delta: { content: string }; logprobs: null; finish_reason: null }];
  declare readonly usage?: null;
  readonly #frame: TextFrame;

  constructor(frame: TextFrame, content: string) {
    const { head, counts } = frame;
    this.id = head.id;
    this.created = head.created;
    this.model = head.model;
    this.service_tier = head.service_tier;
    this.choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
    if (counts) this.usage = null;
    this.#frame = frame;
  }

  /** As a client reads it off the stream. */
  get frame(): string {
    const { before, after } = this.#frame;
    return `${before}${JSON.stringify(this.choices[0].delta.content)}${after}`;
  }

  /** Writes the same as bytes, as `ServerCodec` has it. */
  write(room: Uint8Array, at: number): number | string {
    return writeChunks(this.#frame, strings([this.choices[0].delta.content]), room, at) ?? this.frame;
  }
}

/** Chunks that add the pieces of a run. */
export class TextChunks {
  readonly #frame: TextFrame;
  readonly #run: RunEvent;

  constructor(frame: TextFrame, run: RunEvent) {
    this.#frame = frame;
    this.#run = run;
  }

  /** As a client reads them off the stream. */
  get frame(): string {
    const { before, after } = this.#frame;
    let frames = "";
    for (const text of this.#run.deltas) frames += `${before}${JSON.stringify(text)}${after}`;
    return frames;
  }

  /** Writes the same as bytes, as `ServerCodec` has it. */
  write(room: Uint8Array, at: number): number | string {
    return writeChunks(this.#frame, textsOf(this.#run), room, at) ?? this.frame;
  }
}

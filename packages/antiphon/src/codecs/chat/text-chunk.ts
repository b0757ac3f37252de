import { RawRun } from "../../core/runs.ts";
import type { RunEvent } from "../../model/index.ts";

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
}

const place = '"content":';

export function textFrame(head: Head, counts: boolean): TextFrame {
  const empty = new TextChunk({ head, counts, before: "", after: "" }, "");
  const whole = JSON.stringify(empty);
  // Quotes in other fields are escaped, so that nothing else looks like it.
  const at = whole.indexOf(`${place}""`) + place.length;
  return { head, counts, before: `data: ${whole.slice(0, at)}`, after: `${whole.slice(at + 2)}\n\n` };
}

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
  get frames(): string {
    const { before, after } = this.#frame;
    let frames = "";
    for (const text of textsIn(this.#run)) frames += `${before}${text}${after}`;
    return frames;
  }
}

/** The texts of a run as JSON, which those of another wire are already. */
const textsIn = (run: RunEvent): string[] =>
  run instanceof RawRun ? run.raw.escaped.map((text) => `"${text}"`) : run.deltas.map((text) => JSON.stringify(text));

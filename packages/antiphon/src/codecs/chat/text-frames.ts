import { RawPieces } from "../../core/raw-pieces.ts";
import { isObject } from "../../model/guards.ts";
import { dataOf, parseIntact } from "../shared/frames.ts";
import { textEnd } from "../shared/text-end.ts";
import { Words } from "../shared/words.ts";
import { alikeChunks } from "./alike-chunks.ts";

/** Frames that tell pieces of text, one behind the other. */
export interface FoundTexts {
  pieces: RawPieces;
  /** The tier that each of them repeats. */
  tier: unknown;
  /** Where the last of them ends. */
  end: number;
}

/** How a server writes chunks that tell text and nothing else. */
interface Form {
  /** All before the text, its quote included. */
  head: Words;
  /** What follows the text, from its quote on: the rest of the frame, or what stands before its padding. */
  behind: Words;
  /** What follows the padding. */
  end: Words | undefined;
  tier: unknown;
}

const encoder = new TextEncoder();
const content = new Words(encoder.encode('"content":'));
const padding = new Words(encoder.encode('"obfuscation":'));
const [lf, space, quote, backslash] = [10, 32, 34, 92];

/** So many frames are looked at closely: where they are not alike, the next will not be, either. */
const mostTries = 4;

/**
 * Finds frames that tell text, as the server of one stream writes them: they differ in the text, and in letters that some are padded with.
 * How they are written is seen from the first of them.
 */
export class TextFrames {
  #form: Form | undefined;
  #tries = 0;

  /** Those at a position, where there are some. One alone is none: it is read as quickly in the usual way. `view` is of `bytes`. */
  find(bytes: Uint8Array, view: DataView, from: number): FoundTexts | undefined {
    const form = this.#form?.head.isAt(view, from) ? this.#form : this.#learn(bytes, view, from);
    if (!form) return undefined;
    const places: number[] = [];
    let end = from;
    while (form.head.isAt(view, end)) {
      const start = end + form.head.length;
      const close = textEnd(bytes, start);
      const next = frameEnd(form, bytes, view, close);
      // An empty piece says nothing.
      if (next === -1 || close === start) break;
      places.push(start, close);
      end = next;
    }
    return places.length > 2 ? { pieces: new RawPieces(bytes, places), tier: form.tier, end } : undefined;
  }

  #learn(bytes: Uint8Array, view: DataView, from: number): Form | undefined {
    if (this.#tries >= mostTries) return undefined;
    const end = lineEnd(bytes, from);
    const start = valueOf(bytes, view, content, from, end);
    // One without a word says nothing; and without another behind it, it need not be known.
    if (start === -1 || bytes[start] === quote || end + 2 >= bytes.length) return undefined;
    this.#tries += 1;
    return (this.#form = formOf(bytes, view, from, start, end));
  }
}

/** The form of a frame whose text begins at a position, an empty line behind it; nothing where it tells anything but text. */
function formOf(bytes: Uint8Array, view: DataView, from: number, start: number, end: number): Form | undefined {
  const chunk = parseIntact(dataOf(bytes.subarray(from, end)) ?? "");
  const varying = isObject(chunk) ? alikeChunks.varying(chunk) : undefined;
  const close = textEnd(bytes, start);
  // A name may stand at another place, too, and a text be written in a way of its own.
  if (!varying || bytes[close] !== quote || varying["content"] !== new RawPieces(bytes, [start, close]).text) return undefined;
  const head = new Words(bytes.subarray(from, start));
  const tier = (chunk as { service_tier?: unknown }).service_tier;
  if (varying["obfuscation"] === undefined)
    return { head, behind: new Words(bytes.subarray(close, end + 2)), end: undefined, tier };
  const pad = valueOf(bytes, view, padding, close, end);
  if (pad === -1) return undefined;
  return {
    head,
    behind: new Words(bytes.subarray(close, pad)),
    end: new Words(bytes.subarray(padEnd(bytes, pad), end + 2)),
    tier,
  };
}

/** Where the frame ends whose text ends at a position; -1 where something else stands behind the text. */
function frameEnd({ behind, end }: Form, bytes: Uint8Array, view: DataView, close: number): number {
  if (!behind.isAt(view, close)) return -1;
  if (!end) return close + behind.length;
  const at = padEnd(bytes, close + behind.length);
  return end.isAt(view, at) ? at + end.length : -1;
}

function padEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let code = bytes[at]!; code > space && code !== quote && code !== backslash; code = bytes[++at]!);
  return at;
}

/** Where the line ends that a frame consists of. */
function lineEnd(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(lf, from);
  return end !== -1 && bytes[end + 1] === lf ? end : bytes.length;
}

/** Where the text of a field begins, between two positions; -1 where there is none. */
function valueOf(bytes: Uint8Array, view: DataView, name: Words, from: number, end: number): number {
  let at = from;
  while (at < end && !name.isAt(view, at)) at += 1;
  if (at >= end) return -1;
  at += name.length;
  while (bytes[at] === space) at += 1;
  return bytes[at] === quote ? at + 1 : -1;
}

import { Words } from "../shared/words.ts";

/** A kind of frame that passes unread. */
export interface Passing {
  /** How it begins. */
  head: string;
  /** Whether a whole frame of this kind is one that clients can do with. */
  fits(frame: string): boolean;
  /** Where such frames come in runs, all alike, the line that each of them begins with. */
  line?: Words;
  /** What it does to an item. */
  item?: "added" | "done";
  /** For one that only says that the response has begun, the number that it bears then. */
  opens?: number;
}

const any = (): boolean => true;
// OpenAI's clients insist on these lists. Probabilities that are there were asked for; they are part of the answer.
const hasLogprobs = (frame: string): boolean => frame.includes('"logprobs":[]');
const hasAnnotations = (frame: string): boolean => !frame.includes('"output_text"') || frame.includes('"annotations":[');
/** Others go under two names; and where OpenAI writes `null`, the specification often has nothing. */
const isPlainItem = (frame: string): boolean =>
  /"item":\{[^[{]*"type":"(?:message|function_call|reasoning)"/.test(frame) && !frame.includes('":null');

interface Rule extends Omit<Passing, "head" | "line"> {
  inRuns: boolean;
}
const delta: Rule = { fits: any, inRuns: true };
const once: Rule = { fits: any, inRuns: false };

/** The events whose frames mean the same to clients of the specification and to OpenAI's own. */
const rules: Readonly<Record<string, Rule>> = {
  "response.created": { ...once, opens: 0 },
  "response.in_progress": { ...once, opens: 1 },
  "response.output_text.delta": { ...delta, fits: hasLogprobs },
  "response.output_text.done": { ...once, fits: hasLogprobs },
  "response.output_text.annotation.added": once,
  "response.refusal.delta": delta,
  "response.refusal.done": once,
  "response.reasoning_summary_part.added": once,
  "response.reasoning_summary_text.delta": delta,
  "response.reasoning_summary_text.done": once,
  "response.reasoning_summary_part.done": once,
  "response.function_call_arguments.delta": delta,
  "response.function_call_arguments.done": once,
  "response.content_part.added": { ...once, fits: hasAnnotations },
  "response.content_part.done": { ...once, fits: hasAnnotations },
  "response.output_item.added": { ...once, fits: isPlainItem, item: "added" },
  "response.output_item.done": { ...once, fits: isPlainItem, item: "done" },
};

const encoder = new TextEncoder();

const kinds: ReadonlyMap<string, Passing> = new Map(
  Object.entries(rules).map(([type, { inRuns, ...rule }]) => {
    const line = `event: ${type}\n`;
    return [
      type,
      { ...rule, head: `${line}data: {"type":"${type}",`, ...(inRuns && { line: new Words(encoder.encode(`${line}data`)) }) },
    ];
  }),
);

const [lf, zero, quote, colon, brace, letterR] = [10, 48, 34, 58, 125, 114];
const nameAt = "event: ".length;

/** The kind of the frame between two positions, if it passes; nothing for one that is to be read. */
export function passing(
  bytes: Uint8Array,
  at: number,
  end: number,
  textOf: (from: number, to: number) => string,
): Passing | undefined {
  const kind = kinds.get(textOf(at + nameAt, bytes.indexOf(lf, at)));
  if (!kind) return undefined;
  const frame = textOf(at, end);
  return frame.startsWith(kind.head) && kind.fits(frame) ? kind : undefined;
}

/** Where the empty line begins that ends the frame at a position, or where the bytes end. */
export function endOf(bytes: Uint8Array, from: number): number {
  let end = bytes.indexOf(lf, from);
  while (end !== -1 && bytes[end + 1] !== lf) end = bytes.indexOf(lf, end + 1);
  return end === -1 ? bytes.length : end;
}

/**
 * Frames of one kind, one behind the other: most of a stream. More often than not a frame is at least as long as the shortest so far,
 * so that its end is looked for from there. A shorter one leads into the next, where there is no empty line, or another number.
 */
export class Run {
  readonly #kind: Passing;
  readonly #shortest: number;

  constructor(kind: Passing, shortest: number) {
    this.#kind = kind;
    this.#shortest = shortest;
  }

  /** Where the frame at a position ends, which is to bear a number; -1 where it has to be looked at more closely. `view` is of `bytes`. */
  endOf(bytes: Uint8Array, view: DataView, at: number, number: number): number {
    const { line, head } = this.#kind;
    if (!line?.isAt(view, at)) return -1;
    let end = at + this.#shortest;
    while (end < bytes.length && bytes[end] !== lf) end += 1;
    return bytes[end + 1] === lf && numberIn(bytes, at + head.length, end) === number ? end : -1;
  }
}

function isAt(bytes: Uint8Array, words: Uint8Array, at: number): boolean {
  for (let index = 0; index < words.length; index += 1) if (bytes[at + index] !== words[index]) return false;
  return true;
}

const field = encoder.encode('"sequence_number":');

/** The number of the event between two positions, or -1. Nothing else in it can look like it, for quotes in strings are escaped. */
export function numberIn(bytes: Uint8Array, from: number, end: number): number {
  // Behind the event there may be a comment.
  if (bytes[end - 1] !== brace) return -1;
  const last = lastNumber(bytes, end - 1);
  if (last !== -1) return last;
  for (let at = from; at < end; at += 1) if (isAt(bytes, field, at)) return digitsAt(bytes, at + field.length);
  return -1;
}

/**
 * The number that stands last in the event, as most servers write it; -1 where that is something else. No other field of these events
 * that holds a number ends in this letter.
 */
function lastNumber(bytes: Uint8Array, end: number): number {
  let at = end - 1;
  let number = 0;
  for (let unit = 1; isDigit(bytes[at]); at -= 1, unit *= 10) number += (bytes[at]! - zero) * unit;
  const named = bytes[at] === colon && bytes[at - 1] === quote && bytes[at - 2] === letterR;
  return named && at < end - 1 ? number : -1;
}

const isDigit = (code = 0): boolean => code >= zero && code < zero + 10;

function digitsAt(bytes: Uint8Array, at: number): number {
  let number = 0;
  for (let digit = at; isDigit(bytes[digit]); digit += 1) number = number * 10 + bytes[digit]! - zero;
  return number;
}

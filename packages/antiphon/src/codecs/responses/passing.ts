/** A kind of frame that passes unread. */
export interface Passing {
  /** How it begins. */
  head: string;
  /** Whether a whole frame of this kind is one that clients can do with. */
  fits(frame: string): boolean;
  /** Whether such frames come in runs, all alike. */
  inRuns: boolean;
  /** What it does to an item. */
  item?: "added" | "done";
}

const any = (): boolean => true;
// OpenAI's clients insist on these lists. Probabilities that are there were asked for; they are part of the answer.
const hasLogprobs = (frame: string): boolean => frame.includes('"logprobs":[]');
const hasAnnotations = (frame: string): boolean => !frame.includes('"output_text"') || frame.includes('"annotations":[');
/** Others go under two names; and where OpenAI writes `null`, the specification often has nothing. */
const isPlainItem = (frame: string): boolean =>
  /"item":\{[^[{]*"type":"(?:message|function_call|reasoning)"/.test(frame) && !frame.includes('":null');

type Rule = Omit<Passing, "head">;
const delta: Rule = { fits: any, inRuns: true };
const once: Rule = { fits: any, inRuns: false };

/** The events whose frames mean the same to clients of the specification and to OpenAI's own. */
const rules: Readonly<Record<string, Rule>> = {
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

const kinds: ReadonlyMap<string, Passing> = new Map(
  Object.entries(rules).map(([type, rule]) => [type, { ...rule, head: `event: ${type}\ndata: {"type":"${type}",` }]),
);

const nameAt = "event: ".length;

/** The kind of a frame that passes; nothing for one that is to be read. */
export function passing(text: string, at: number, end: number): Passing | undefined {
  const kind = kinds.get(text.slice(at + nameAt, text.indexOf("\n", at)));
  return kind && isAt(text, kind.head, at) && kind.fits(text.slice(at, end)) ? kind : undefined;
}

/** Whether a text has these words at a position: several times faster than `startsWith`, which compares letter by letter. */
export const isAt = (text: string, words: string, at: number): boolean => text.slice(at, at + words.length) === words;

const field = '"sequence_number":';
const [zero, quote, colon, brace, letterR] = [48, 34, 58, 125, 114];

/** The number of the event between two positions, or -1. Nothing else in it can look like it, for quotes in strings are escaped. */
export function numberIn(text: string, from: number, end: number): number {
  // Behind the event there may be a comment.
  if (text.charCodeAt(end - 1) !== brace) return -1;
  const last = lastNumber(text, end - 1);
  if (last !== -1) return last;
  const at = isAt(text, field, from) ? from : text.indexOf(field, from);
  return at === -1 || at > end ? -1 : digitsAt(text, at + field.length);
}

/**
 * The number that stands last in the event, as most servers write it; -1 where that is something else. No other field of these events
 * that holds a number ends in this letter, and looking at single letters is much cheaper than comparing words.
 */
function lastNumber(text: string, end: number): number {
  let at = end - 1;
  let number = 0;
  for (let unit = 1; isDigit(text.charCodeAt(at)); at -= 1, unit *= 10) number += (text.charCodeAt(at) - zero) * unit;
  const named = text.charCodeAt(at) === colon && text.charCodeAt(at - 1) === quote && text.charCodeAt(at - 2) === letterR;
  return named && at < end - 1 ? number : -1;
}

const isDigit = (code: number): boolean => code >= zero && code < zero + 10;

function digitsAt(text: string, at: number): number {
  let number = 0;
  for (let digit = at; isDigit(text.charCodeAt(digit)); digit += 1) number = number * 10 + text.charCodeAt(digit) - zero;
  return number;
}

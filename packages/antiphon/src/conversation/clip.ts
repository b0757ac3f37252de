import { isObject } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import { closes } from "./call-pairs.ts";

const isTrailing = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** A text cut to about a length in the middle, with a mark that says so. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.floor(length / 4);
  const [head, tail] = [Math.ceil(length) - end, text.length - end];
  // Not between the halves of one character.
  const start = text.slice(0, isTrailing(text, head) ? head - 1 : head);
  const rest = end > 0 ? text.slice(isTrailing(text, tail) ? tail + 1 : tail) : "";
  return `${start}\n[… ${text.length - start.length - rest.length} characters omitted …]\n${rest}`;
}

const charactersPerToken = 4;

/** A tool's result with at most so many tokens of text, or the item itself where it is no longer than that. */
export function clipOutput(item: InputItem, tokens: number): InputItem {
  if (closes(item) === undefined || !("output" in item)) return item;
  const output = clipTexts(item.output, tokens * charactersPerToken);
  // The same output with shorter texts is still what this item may hold.
  return output === item.output ? item : ({ ...item, output } as InputItem);
}

function clipTexts(output: unknown, length: number): unknown {
  if (typeof output === "string") return clip(output, length);
  if (!Array.isArray(output)) return output;
  const parts = output.map((part: unknown) =>
    isObject(part) && typeof part["text"] === "string" && part["text"].length > length
      ? { ...part, text: clip(part["text"], length) }
      : part,
  );
  return parts.every((part, index) => part === output[index]) ? output : parts;
}
